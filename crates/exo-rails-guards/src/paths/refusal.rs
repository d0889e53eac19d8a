//! The error of a path that a sandbox refuses.

use std::fmt;

use super::root::Root;
use super::{PathRule, Rights};
use crate::finding::{Finding, Place};

/// A path that the sandbox refuses. The message names the rule and the root, and never the path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct PathRefusal {
    rule: PathRule,
    detail: Option<String>,
    is_decoded: bool,
}

impl PathRefusal {
    pub(super) const fn new(rule: PathRule) -> Self {
        Self { rule, detail: None, is_decoded: false }
    }

    /// Returns the rule that the path breaks.
    #[must_use]
    pub const fn rule(&self) -> PathRule {
        self.rule
    }

    pub(super) fn decoded(mut self) -> Self {
        self.is_decoded = true;
        self
    }

    pub(super) fn in_root(mut self, root: &Root) -> Self {
        self.detail = Some(format!("in the root `{}`", root.name));
        self
    }

    pub(super) fn with_name(mut self, name: &str) -> Self {
        self.detail = Some(format!("{}: `{name}`", self.detail.unwrap_or_default()));
        self
    }

    pub(super) fn missing(mut self, rights: Rights) -> Self {
        self.detail = Some(match self.detail {
            Some(detail) => format!("{detail}: {rights}"),
            None => format!("({rights})"),
        });
        self
    }

    pub(super) fn with_roots(mut self, roots: &[Root]) -> Self {
        let roots = roots.iter().map(|root| format!("`{}` ({})", root.name, root.path.display()));
        self.detail = Some(roots.collect::<Vec<_>>().join(", "));
        self
    }

    /// Returns the finding about the path at this place.
    pub(super) fn finding(&self, place: Place) -> Finding {
        Finding::new("paths", self.rule.name(), self.rule.severity(), self.to_string()).at(place)
    }
}

impl fmt::Display for PathRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule.message())?;
        if let Some(detail) = &self.detail {
            write!(f, " {detail}")?;
        }
        if self.is_decoded {
            f.write_str(", if a tool resolves `..` or decodes the path")?;
        }
        Ok(())
    }
}
