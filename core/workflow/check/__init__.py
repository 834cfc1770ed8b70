"""Stage 2: the gate, review, adjudication, ratings and gold items."""
