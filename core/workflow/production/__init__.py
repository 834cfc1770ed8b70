"""Stage 1: items written, imported, generated or rewritten, and what authors see."""
