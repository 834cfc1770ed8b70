"""What the program remembers; knows no rule of the pipeline."""
