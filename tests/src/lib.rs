//! The behaviour of the whole: see `tests/`, a file for each capability.
