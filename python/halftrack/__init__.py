"""The IBM Z I/O subsystem in software: studies, RMF reports and sweeps."""

from halftrack._native import __version__

__all__ = ["__version__"]
