"""Runs: the list, starting, stopping and resuming them."""
