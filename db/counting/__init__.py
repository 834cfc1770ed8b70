"""How many items there are, and whether anybody committed anything."""
