"""Measurements: speed as ratios within one run, and memory. Nothing here is imported by the package."""
