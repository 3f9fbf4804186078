"""Results as plain data -> tables, figures and one page."""
