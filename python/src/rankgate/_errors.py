"""The one exception of this package."""


class RankgateError(Exception):
    """Something could not be computed: an input with an error in it, a program that is missing.

    Its text is what the command says. No score is made up in its place.
    """
