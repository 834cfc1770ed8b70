"""What a report says beside the scores: methods, the human ceiling, intervals for any look."""
