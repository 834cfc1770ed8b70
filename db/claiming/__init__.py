"""Giving items to people who ask for them."""
