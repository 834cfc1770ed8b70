"""What the program does; knows no Qt."""
