//! Programs that must, or must not, compile: see `fail/` and `pass/`, a fixture for each rule.
