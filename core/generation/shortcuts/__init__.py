"""What gives a right option away to somebody who never sees the question's point."""
