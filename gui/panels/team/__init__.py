"""The team: who works here, in which role, on which tasks and until when."""
