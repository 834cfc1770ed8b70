"""Frozen splits: freezing, their life after it, and how their items are asked."""
