//! Conditions that are functions of the program.

use std::fmt;

use crate::contexts::Contexts;

/// A condition in Rust.
#[derive(Clone)]
pub(crate) struct Function {
    pub(super) text: String,
    pub(super) call: fn(&Contexts) -> Result<bool, String>,
}

impl Function {
    pub(crate) fn new(text: &str, call: fn(&Contexts) -> Result<bool, String>) -> Self {
        Self { text: text.to_owned(), call }
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Function").field(&self.text).finish()
    }
}
