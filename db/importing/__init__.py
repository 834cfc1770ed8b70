"""Importing: what an import is still bringing."""
