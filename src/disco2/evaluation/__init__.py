"""Gold and predicted labels -> figures, and whether a difference between them means anything."""
