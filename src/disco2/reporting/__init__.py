"""Plain data about results -> tables, figures and one page that people read."""
