"""News knowledge: events and articles of GDELT from files, its DOC API or BigQuery."""
