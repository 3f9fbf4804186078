"""The built-in constituency parser: spans scored by a small BiLSTM, the best tree found by CKY, in NumPy."""
