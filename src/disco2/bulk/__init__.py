"""Relations of a whole corpus: files in shards, shards on many workers, a folder with a manifest."""
