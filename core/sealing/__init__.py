"""Sealing: what others can check of a split, and what only the holders of a key can read."""
