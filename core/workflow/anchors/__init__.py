"""Anchors: signed receipts of the ledger's head, kept where whoever owns the database is not."""
