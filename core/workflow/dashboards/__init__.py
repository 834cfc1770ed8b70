"""What leads watch: one module per panel, each a pure function of the judgements.

Every function returns frozen values: a sentence that answers first, the series behind each figure,
and the items behind each mark, so that the window, the command line and an export show the same.
"""
