"""The exceptions of this package, and its one warning."""


class RankgateError(Exception):
    """Something could not be computed. Its text is the message of the command. No score is made up in its place."""


class InputError(RankgateError, ValueError):
    """An argument, a name, or a file has an error in it. The text names it, and how to fix it."""


class ProgramError(RankgateError, RuntimeError):
    """The program ``rankgate`` is missing, cannot be started, or ended without a result."""


class RankgateWarning(UserWarning):
    """What nothing fails for, and what should be known before a number or a verdict is believed.

    Of scores: that no result was judged, say. Under pytest: an advisory gate that does not hold, and warnings of what passed.
    """
