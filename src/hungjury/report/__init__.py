"""Render results as text, plots and pages; computes nothing."""
