//! What it shows: a builder over a `RailManager` whose method is generic over `ManagedRail`: it takes the rail of a function, a
//! chain, an optional rail, and a rail whose state is a closure.

use exo_rails::prelude::*;
use exo_rails::{DuplicateRail, ManagedRail, testing};

#[rail(priority = 10, on = [PreToolCall])]
fn no_shell(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

/// A rail whose rule is a closure.
struct Rule<F> {
    reason: &'static str,
    holds: F,
}

#[rail(priority = 30)]
impl<F: Fn(&ToolCallInputs) -> bool + Send + Sync> Rule<F> {
    #[on(PreToolCall)]
    fn check(&self, call: &ToolCallInputs) -> RailAction {
        if (self.holds)(call) { RailAction::Continue } else { RailAction::skip(self.reason) }
    }
}

#[rail(priority = 80, on = [PreToolCall])]
fn trim(call: &mut ToolCallInputs) {
    call.tool_name = call.tool_name.trim().to_owned();
}

rail_chain! {
    #[chain(priority = 5)]
    struct Cleaning { trim }
}

#[derive(Default)]
struct Builder {
    rails: RailManager,
    names: Vec<String>,
}

impl Builder {
    fn with<R: ManagedRail>(mut self, name: &str, rail: R) -> Result<Self, DuplicateRail> {
        self.rails.add_named(name.to_owned(), rail)?;
        self.names.push(name.to_owned());
        Ok(self)
    }

    fn build(self) -> (Vec<String>, impl GuardSet) {
        (self.names, self.rails)
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), DuplicateRail> {
    let longest = 12;
    let short = Rule { reason: "the name is too long", holds: move |call: &ToolCallInputs| call.tool_name.len() <= longest };
    let plain = Rule { reason: "letters only", holds: |call: &ToolCallInputs| !call.tool_name.contains('/') };
    let builder = Builder::default().with("shell", no_shell {})?.with("short", short)?;
    let (names, rails) = builder.with("plain", Some(plain))?.with("cleaning", Cleaning {})?.build();
    assert_eq!(names, ["shell", "short", "plain", "cleaning"]);

    testing::at::<PreToolCall>(&rails, ToolCallInputs::new(" shell ")).await.assert_aborted("no shell").assert_by("shell");
    testing::at::<PreToolCall>(&rails, ToolCallInputs::new("delete_all_files")).await.assert_by("short");
    testing::at::<PreToolCall>(&rails, ToolCallInputs::new("a/b")).await.assert_skipped("letters").assert_by("plain");
    testing::at::<PreToolCall>(&rails, ToolCallInputs::new("search   ")).await.assert_continued();
    Ok(())
}
