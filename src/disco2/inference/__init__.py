"""Raw text -> relations: annotate, pair, score, explain."""
