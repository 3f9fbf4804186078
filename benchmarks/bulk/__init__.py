"""disco2 bulk at work: how fast, how large, and what it does when processes are killed."""
