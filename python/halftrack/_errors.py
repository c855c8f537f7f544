"""Exceptions of the package, and the messages that they have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Place:
    """A further place of a message."""

    file: str
    """Name of the file."""
    line: int
    """Line, from 1."""
    column: int
    """Column, from 1."""
    text: str
    """Words about the place; may be empty."""


@dataclass(frozen=True)
class Diagnostic:
    """A message about a user's file."""

    severity: str
    """`error`, `warning`, `caution`, `information` or `advice`."""
    code: str
    """Number and letter, such as `HTK226E`; `halftrack explain` has a page for each."""
    message: str
    """The mistake, in one sentence."""
    file: str | None = None
    """Name of the file."""
    line: int | None = None
    """Line, from 1; None in a file that is missing or empty."""
    column: int | None = None
    """Column, from 1."""
    expected: str | None = None
    """Expectation at the place, where it is known apart from the message."""
    fix: str | None = None
    """A way to correct it."""
    ibm: str | None = None
    """Number of the IBM message of the same meaning, such as `ICP226I`."""
    others: tuple[Place, ...] = ()
    """Further places."""
    text: str = field(default="", compare=False)
    """The message as the command prints it, of several lines."""

    @classmethod
    def of(cls, record: Mapping[str, Any], text: str) -> Diagnostic:
        """Makes the message of one object of `--json`."""
        others = tuple(
            Place(other["file"], other["line"], other["column"], other["text"])
            for other in record["others"]
        )
        return cls(
            severity=record["severity"],
            code=record["code"],
            message=record["message"],
            file=record["file"],
            line=record["line"],
            column=record["column"],
            expected=record["expected"],
            fix=record["help"],
            ibm=record["ibm"],
            others=others,
            text=text,
        )

    def __str__(self) -> str:
        return self.text or self.message


class StudyError(ValueError):
    """A study, deck or catalog that cannot be used.

    `diagnostics` has every message; `file`, `line`, `column`, `code` and `fix` are those of the first error.
    """

    diagnostics: list[Diagnostic]
    file: str | None
    line: int | None
    column: int | None
    code: str | None
    fix: str | None

    def __init__(self, diagnostics: Sequence[Diagnostic] = (), message: str | None = None) -> None:
        super().__init__(diagnostics, message)
        self.diagnostics = list(diagnostics)
        self.message = message
        errors = [one for one in self.diagnostics if one.severity == "error"]
        first = next(iter(errors or self.diagnostics), None)
        self.file = first.file if first else None
        self.line = first.line if first else None
        self.column = first.column if first else None
        self.code = first.code if first else None
        self.fix = first.fix if first else None

    def __str__(self) -> str:
        if self.message is not None:
            return self.message
        return "\n".join(str(one) for one in self.diagnostics)


class Cancelled(Exception):
    """A run that was cancelled: its progress function returned False."""
