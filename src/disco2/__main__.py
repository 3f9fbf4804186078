"""``python -m disco2``: the command line."""

from disco2.interfaces.cli import main

if __name__ == "__main__":
    main()
