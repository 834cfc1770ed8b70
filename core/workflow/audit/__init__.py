"""Stage 3: lots, their random samples, and what a lead sees of them."""
