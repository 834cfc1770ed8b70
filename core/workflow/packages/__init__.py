"""Work packages: items in an encrypted file for who has no connection, and their way back."""
