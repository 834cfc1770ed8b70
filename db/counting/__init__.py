"""Counts over all items: when they hold, and which were made."""
