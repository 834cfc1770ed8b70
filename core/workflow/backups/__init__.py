"""Backups, and a workspace moved whole between SQLite and PostgreSQL."""
