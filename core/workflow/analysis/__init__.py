"""What scores mean: leaderboards, the analyses of the papers, simulations, the report site."""
