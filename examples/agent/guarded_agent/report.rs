//! Prints the text before and after the timeline.

use std::path::Path;

use exo_rails::prelude::*;
use exo_rails_agent::Model;

use crate::audit::Ledger;
use crate::describe::count;
use crate::options::Options;
use crate::page::{Ink, Page, WIDTH, print, wrap};
use crate::timeline::Tally;
use crate::workspace::Changes;

pub(crate) fn opening(page: Page, options: &Options, model: &dyn Model) {
    print(&page.ink(Ink::Heading, "A guarded support agent"));
    row("files", &format!("a copy of {}", near(&options.files)));
    match (model.provider(), model.model_name()) {
        (Some(provider @ "openai"), Some(name)) => row("model", &format!("{provider}:{name}")),
        _ => row("script", &near(&options.script_or_default())),
    }
    row("[a > b]", "the rails that ran, in their order; they continued where nothing else is said");
}

/// Returns the path as a user in the current directory would write it.
fn near(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}

/// Prints the answer, or the reason why the run ended without one.
pub(crate) fn ending(page: Page, result: &Result<InvokeOutput, RunError>) {
    let (heading, ink, text) = match result {
        Ok(output) => ("Answer", Ink::Good, output.text.clone()),
        // An error of a tool goes to the model, so this is an error of the model.
        Err(RunError::Operation(error)) => ("No answer", Ink::Bad, format!("the model failed: {error}")),
        Err(error) => ("No answer", Ink::Bad, error.to_string()),
    };
    print(&format!("\n{}", page.ink(ink, heading)));
    page.print_wrapped(2, None, &text);
}

pub(crate) fn summary(page: Page, tally: &Tally, ctx: &RailContext, changes: &Changes) {
    let ledger = ctx.run.get::<Ledger>().unwrap_or_default();
    let decisions: Vec<_> = tally.decisions.iter().map(|(kind, times)| format!("{times} {}", kind.name())).collect();
    print(&format!("\n{}", page.ink(Ink::Heading, "Summary")));
    row("events", &format!("{}, at which rails ran {}", tally.events, count(tally.rails, "time")));
    row("decisions", &decisions.join(", "));
    row("rewritten", &count(tally.rewritten, "event"));
    row("tool calls", &tools(tally));
    row("audit", &books(ledger));
    row("files", &files(changes));
}

fn row(name: &str, text: &str) {
    for (i, line) in wrap(text, WIDTH - 14).iter().enumerate() {
        let name = if i == 0 { name } else { "" };
        print(&format!("  {name:<10}  {line}"));
    }
}

fn tools(tally: &Tally) -> String {
    format!("{} run ({} of them failed), {} skipped", tally.tools_run, tally.tools_failed, tally.tools_skipped)
}

fn books(ledger: Ledger) -> String {
    let (answers, outputs) = (count(ledger.answers, "answer"), count(ledger.outputs, "tool output"));
    let (tokens, bytes) = (ledger.tokens, count(ledger.bytes, "byte"));
    format!("{answers} ({tokens} tokens), {outputs} ({bytes}), {}", count(ledger.failures, "failure"))
}

fn files(changes: &Changes) -> String {
    let some = |paths: &[String]| if paths.is_empty() { "none".to_owned() } else { paths.join(", ") };
    format!("added {}; changed {}; deleted {}", some(&changes.added), some(&changes.changed), some(&changes.deleted))
}
