"""Trainings as directories: planned, performed once, read back."""
