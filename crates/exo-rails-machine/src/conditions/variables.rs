//! The variables of a condition, with values that borrow those of the contexts.

use cel::common::value::{CowVal, Val};
use cel::context::VariableResolver;
use serde_json::Value;

use super::value::cel_of;

/// Values by their names. A condition has few, so a search of all is faster than a map.
pub(super) struct Variables<'v>(Vec<(&'v str, Box<dyn Val + 'v>)>);

impl<'v> Variables<'v> {
    pub(super) fn of(values: impl Iterator<Item = (&'v str, &'v Value)>) -> Self {
        Self(values.map(|(name, value)| (name, cel_of(value))).collect())
    }
}

impl VariableResolver for Variables<'_> {
    fn resolve<'b>(&'b self, variable: &str) -> Option<CowVal<'b, 'b>> {
        let (_, value) = self.0.iter().find(|(name, _)| *name == variable)?;
        Some(CowVal::Borrowed(&**value))
    }
}
