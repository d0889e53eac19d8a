//! The ways in which an abort ends a run that does not fail.

use serde::Serialize;

use super::Suspension;
use crate::message::InvokeOutput;

/// The way in which a rail ends a run that does not fail: with an answer, or with a question.
///
/// See [`RailAction::abort_with`](crate::RailAction::abort_with) and
/// [`RailAction::suspend`](crate::RailAction::suspend).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ending {
    /// The run succeeds with this answer.
    Answer(InvokeOutput),
    /// The run waits for a decision from outside.
    Suspension(Suspension),
}
