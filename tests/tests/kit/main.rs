//! The ready-made guards, with real attacks and real work.

mod shell;
