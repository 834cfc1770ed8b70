"""Several models on several splits as one job."""
