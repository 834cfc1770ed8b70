"""Frozen splits: their manifests, and the formats in which they leave the workspace."""
