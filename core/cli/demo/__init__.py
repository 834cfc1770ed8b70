"""The demonstration: a workspace of our own articles, and a model server that stands in."""
