"""Sealing splits and scores so that others can check them without seeing an item."""
