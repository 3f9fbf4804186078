"""disco2 predict --files at work: how fast, how large, and what it does when processes are killed."""
