"""Evaluating models on frozen splits: the plan, the run, its scores and judges."""
