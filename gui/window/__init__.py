"""The window itself: start page, frame, workbench and the poll behind its counts."""
