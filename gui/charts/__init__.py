"""Charts, matrices and the page a dashboard is drawn on."""
