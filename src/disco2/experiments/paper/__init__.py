"""The paper's tables and figures: an experiment says which runs it needs and what it reads off them."""
