"""The artifact audit: how far shallow solvers get with an item set."""
