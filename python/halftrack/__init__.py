"""The IBM Z I/O subsystem in software: studies, RMF reports and sweeps.

>>> import halftrack
>>> study = halftrack.Study.load("studies/z16-oltp")
>>> run = study.set({"plant.cable.*.km": 10}).run(seed=7)
>>> print(run.rmf("PROD1"))
>>> run.streams.to_polars()
"""

from halftrack._errors import Cancelled, Diagnostic, Place, StudyError
from halftrack._native import (
    MODEL_VERSION,
    Capture,
    Deck,
    DeckCheck,
    DeckDiff,
    DeckIslink,
    Display,
    Progress,
    Run,
    Study,
    Table,
    __version__,
    explain,
    installed_cards,
    new_study,
    published,
    quantities,
    study_models,
)
from halftrack.sweep import Sweep, SweepProgress, SweepResult, latin_hypercube, sobol, sweep

__all__ = [
    "MODEL_VERSION",
    "Cancelled",
    "Capture",
    "Deck",
    "DeckCheck",
    "DeckDiff",
    "DeckIslink",
    "Diagnostic",
    "Display",
    "Place",
    "Progress",
    "Run",
    "Study",
    "StudyError",
    "Sweep",
    "SweepProgress",
    "SweepResult",
    "Table",
    "__version__",
    "explain",
    "installed_cards",
    "latin_hypercube",
    "new_study",
    "published",
    "quantities",
    "sobol",
    "study_models",
    "sweep",
]
