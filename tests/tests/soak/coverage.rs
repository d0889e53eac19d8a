//! What has happened in all runs together: so that nothing is held which never happens.

use std::collections::BTreeMap;

use exo_rails::HookPoint;

use crate::plan::{Ending, Plan};
use crate::trace::{Broke, Choice, Outcome};

#[derive(Debug, Default)]
pub(crate) struct Coverage(BTreeMap<String, usize>);

impl Coverage {
    pub(crate) fn add(&mut self, what: impl Into<String>, times: usize) {
        *self.0.entry(what.into()).or_default() += times;
    }

    pub(crate) fn count(&self, what: &str) -> usize {
        self.0.get(what).copied().unwrap_or_default()
    }

    pub(crate) fn plan(&mut self, plan: &Plan) {
        self.add("runs", 1);
        self.add(format!("set {:?}", plan.set), 1);
        self.add(format!("streamed {}", plan.streamed), 1);
        self.add(format!("session {}", plan.turns.is_some()), 1);
        self.add(format!("compaction {}", plan.compaction), 1);
        self.add(
            match plan.ending {
                Ending::Left => "ending Left",
                Ending::CancelledBetweenPolls(_) => "ending CancelledBetweenPolls",
                Ending::CancelledMeanwhile(_) => "ending CancelledMeanwhile",
                Ending::Dropped(_) => "ending Dropped",
                Ending::Aborted(_) => "ending Aborted",
                Ending::Unread(_) => "ending Unread",
            },
            1,
        );
    }

    pub(crate) fn choice(&mut self, rail: &str, event: HookPoint, choice: &Choice) {
        let choice = match choice {
            Choice::Continue => "Continue",
            Choice::Changes(_) => "Changes",
            Choice::Skip { substitute: false } => "Skip",
            Choice::Skip { substitute: true } => "Substitute",
            Choice::Retry { .. } => "Retry",
            Choice::Abort(_) => "Abort",
            Choice::Fails(_) => "Fails",
        };
        self.add(format!("rail {rail} {choice}"), 1);
        self.add(format!("{event} {choice}"), 1);
    }

    pub(crate) fn broke(&mut self, rail: &str, broke: &Broke) {
        let how = if *broke == Broke::Dropped { "Timeout" } else { "Panic" };
        self.add(format!("rail {rail} {how}"), 1);
    }

    pub(crate) fn outcome(&mut self, outcome: &Outcome) {
        self.add(
            match outcome {
                Outcome::Answered(_) => "ends Answered",
                Outcome::Abort { .. } => "ends Abort",
                Outcome::Fault { .. } => "ends Fault",
                Outcome::Exhausted { .. } => "ends Exhausted",
                Outcome::Operation(_) => "ends Operation",
                Outcome::StepLimit => "ends StepLimit",
                Outcome::Cancelled => "ends Cancelled",
                Outcome::Dropped => "ends Dropped",
                Outcome::Other(_) => "ends Other",
            },
            1,
        );
    }

    /// What has happened less often than it must, for what is held to be held at all.
    pub(crate) fn missing(&self) -> Vec<String> {
        let required = required();
        required
            .into_iter()
            .filter(|(what, times)| self.count(what) < *times)
            .map(|(what, times)| format!("{what}: {} of {times}", self.count(&what)))
            .collect()
    }
}

impl std::fmt::Display for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|(what, count)| writeln!(f, "{count:>9}  {what}"))
    }
}

/// What has to happen, and how often.
fn required() -> Vec<(String, usize)> {
    let mut required = Vec::new();
    let mut all = |times, kinds: &[&str], names: &[&str]| {
        for kind in kinds {
            required.extend(names.iter().map(|name| (format!("{kind}{name}"), times)));
        }
    };
    all(100, &["set "], &["Chain", "Nested", "Manager", "HooksOfChain", "HooksOfManager"]);
    all(100, &["streamed ", "session ", "compaction "], &["true", "false"]);
    all(50, &["ending "], &["Left", "CancelledBetweenPolls", "CancelledMeanwhile", "Dropped", "Aborted", "Unread"]);
    all(5, &["ends "], &["Answered", "Abort", "Fault", "Exhausted", "Operation", "StepLimit", "Cancelled"]);
    let all_do = ["Continue", "Changes", "Skip", "Retry", "Abort", "Fails", "Timeout", "Panic"];
    all(10, &["rail first ", "rail second ", "rail third "], &all_do);
    all(3, &["rail plain "], &all_do[..6]);
    all(10, &["rail watcher "], &["Continue", "Fails", "Timeout", "Panic"]);
    let retried =
        ["start ", "pre_llm_call ", "llm_chunk ", "post_llm_call ", "pre_tool_call ", "post_tool_call ", "finished "];
    all(3, &retried, &["Skip", "Retry", "Abort", "Fails", "Changes"]);
    all(3, &["llm_error ", "tool_error "], &["Substitute", "Retry"]);
    all(3, &["start ", "pre_llm_call ", "pre_tool_call ", "pre_compaction "], &["Substitute"]);
    all(10, &["Run ", "Model ", "Tool "], &["retried"]);
    all(10, &[""], &["renamed", "tool panics", "hostile extras"]);
    all(10, &[""], &["gone", "stream interrupted", "stopped in mid-stream", "answer ended by a rail"]);
    all(10, &[""], &["call cancelled by another", "stream dropped", "session refused", "session ended", "compacted"]);
    all(1, &["rail of "], &["Model cancelled", "Tool cancelled"]);
    all(1, &[""], &["model interrupted", "1 tools at once", "3 tools at once", "6 tools at once"]);
    all(50, &["event "], &["session_start", "session_end", "error", "pre_compaction", "post_compaction", "finished"]);
    required
}
