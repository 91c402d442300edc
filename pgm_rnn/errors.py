"""Every error that a user can meet, in one small tree.

PgmError
 |- UnknownName        a node, figure or option value that does not exist; close ones are listed
 |   |- UnknownNode
 |   |- UnknownFigure
 |- AmbiguousNode      a string that names a node and a family of nodes at once
 |- BadOption          a value out of range or of the wrong type
 |- TooLarge           something that would not fit; carries `entries`, `bytes` and `limit`
 |- GraphError         a graph that is not what it should be (a cycle, an unknown kind)
 |- ProgramError       a program that cannot be read as a graphical model
 |   |- NoSites
 |   |- DuplicateSite
 |- TargetError        a command-line target that cannot be found or called
 |- MalformedReference a reference file with a wrong field; names the file and the field
 |- DataError          sequences that a program cannot read; names the place and the value
 |- CheckpointError    a saved run that is damaged, or of another program
 |- OutputError        a path that cannot be written

PgmWarning             something that a user should know, though there is an answer
 |- LeakWarning        a step of a sequence reads its own or a later target
 |- CrossingWarning    a member of a plate reads other members

A message says what was wrong, the value, what is allowed and what to try.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class PgmError(Exception):
    """The root of the tree: catch this one to catch them all."""


class UnknownName(PgmError, LookupError):
    """A name that does not exist, with the close ones that do."""

    what = "name"

    def __init__(self, name: object, known: Iterable[str]):
        self.name, self.known = name, sorted(map(str, known))
        close = get_close_matches(str(name), self.known, n=3, cutoff=0.5)
        shown = close or self.known[:8]
        hint = "did you mean" if close else "there are"
        more = "" if close or len(self.known) <= 8 else f" and {len(self.known) - 8} more"
        listed = ", ".join(map(repr, shown)) + more if shown else "nothing"
        super().__init__(f"unknown {self.what} {name!r}; {hint} {listed}")


class UnknownNode(UnknownName):
    """A string that is neither a node of the graph nor a family of nodes."""

    what = "node"


class UnknownFigure(UnknownName):
    """A figure that is not in the catalogue."""

    what = "figure"


class AmbiguousNode(PgmError, ValueError):
    """A string that names one node and, at the same time, a family of others."""


class BadOption(PgmError, ValueError):
    """A value out of range or of the wrong type."""


class TooLarge(PgmError, MemoryError):
    """Something that would not fit in memory, said before anything is allocated."""

    def __init__(self, message: str, *, entries: int, bytes: int, limit: int):
        self.entries, self.bytes, self.limit = entries, bytes, limit
        super().__init__(message)


class GraphError(PgmError, ValueError):
    """A graph that is not what it should be."""


class ProgramError(PgmError, ValueError):
    """A program that cannot be read as a graphical model."""


class NoSites(ProgramError):
    """A program that ran to its end without a named site."""


class DuplicateSite(ProgramError):
    """Two sites of one run that bear the same name."""


class TargetError(PgmError, ValueError):
    """A command-line target that cannot be found or called."""


class MalformedReference(PgmError, ValueError):
    """A reference file with a missing, wrong or unknown field."""

    def __init__(self, file: object, field: str, problem: str):
        self.file, self.field = str(file), field
        super().__init__(f"{file}: field {field}: {problem}")


class DataError(PgmError, ValueError):
    """Sequences that a program cannot read: the place, the value and what is allowed."""


class CheckpointError(PgmError, ValueError):
    """A saved run that is damaged, or that belongs to another program."""


class OutputError(PgmError, OSError):
    """A path that cannot be written."""


class PgmWarning(UserWarning):
    """Something that a user should know, though there is an answer."""


class LeakWarning(PgmWarning):
    """A step of a sequence reads its own or a later target."""


class CrossingWarning(PgmWarning):
    """A member of a plate reads other members, which the plate says are independent."""
