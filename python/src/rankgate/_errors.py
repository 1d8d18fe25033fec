"""The one exception of this package, and its one warning."""


class RankgateError(Exception):
    """Something could not be computed: an input with an error in it, a program that is missing.

    Its text is what the command says. No score is made up in its place.
    """


class RankgateWarning(UserWarning):
    """What nothing fails for, and what should be known before a number or a verdict is believed.

    Of scores: that no result was judged, say. Under pytest: an advisory gate that does not hold, and cautions of what passed.
    """
