"""Which paragraphs are plainly prose: a grammar of what is accepted, not a list of what is not."""
