"""Labelled data sets that people bring: their tasks, files and rows."""
