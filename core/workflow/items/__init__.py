"""Items across all stages: search, history, bulk actions, undo and verification."""
