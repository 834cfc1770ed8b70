"""What running text is made of: citations, formulas, raised characters, and signs of damage."""
