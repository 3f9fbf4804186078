"""Relations as pictures: trees with both passes, and a page that needs nothing else."""
