//! The parser of answers, for the fuzz target.

use super::output::{Decision, of_command};

/// What the answer of a command means: whether it blocks, whether it asks, and its reason. `None` is a fault.
pub fn meaning(exit_code: Option<i32>, stdout: &[u8], stderr: &[u8]) -> Option<(bool, bool, Option<String>)> {
    let answer = of_command(exit_code, stdout, stderr).ok()?;
    let is = |decision| answer.decision == Some(decision);
    Some((is(Decision::Block), is(Decision::Ask), answer.reason.clone()))
}
