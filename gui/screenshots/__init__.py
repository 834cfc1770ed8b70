"""Pictures of panels and dashboards, made without a display."""
