"""disco2: implicit discourse relations from entity-augmented distributional semantics."""
