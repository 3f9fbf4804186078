"""The Stanford parser, a Java program of its own: found in its folder, kept running, asked for trees."""

from disco2.annotation.stanford.parser import StanfordParser

__all__ = ["StanfordParser"]
