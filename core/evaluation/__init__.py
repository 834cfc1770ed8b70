"""Asking models the items of a frozen split, and scoring what they answer."""
