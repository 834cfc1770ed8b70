"""A whole database written somewhere else: as a file, or row by row into another kind."""
