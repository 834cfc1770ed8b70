"""Dialogs and windows of their own that several panels open."""
