"""What makes stored evidence tamper-evident: its bindings to the ledger, and triggers."""
