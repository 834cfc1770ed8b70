"""Verifying: whether what is stored is what the ledger tells of. ``checks.CHECKS`` lists how."""
