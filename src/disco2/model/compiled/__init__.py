"""Compiled twins (numba, extra ``fast``) of what costs most in NumPy. Single precision only.

Whoever wants the fastest code there is asks ``model.fastest``; nothing else imports this package, so numba is
loaded only where it is going to be used.
"""
