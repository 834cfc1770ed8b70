"""Adaptive evaluation: which items of a bank a model is asked, and what its answers come to."""
