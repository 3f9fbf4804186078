"""A shallow discourse parser: connectives with senses and arguments, implicit relations in sentences."""
