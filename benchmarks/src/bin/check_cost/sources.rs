//! Writes the sources of the crates. The same functions are rails in a chain or called by hand, in a library or in a
//! program.

use std::fmt::Write as _;

/// A typical rail of an agent: its event, its parameters and its body.
struct Kind {
    event: &'static str,
    /// The payload of the event, as parameters of the hand-written function.
    payload: &'static str,
    params: &'static str,
    /// The parameters of the rail, taken from the payload.
    passed: &'static str,
    /// The arguments of a program's call, one for each part of the payload.
    parts: &'static str,
    body: &'static str,
}

const KINDS: [Kind; 9] = [
    Kind {
        event: "Start",
        payload: "run: &mut InvokeInputs",
        params: "run: &InvokeInputs",
        passed: "run",
        parts: "&mut run",
        body: r#"
    let text = run.input.text();
    if text.len() > 10_000 {
        return RailAction::abort(format!("{} bytes are too many", text.len()));
    }
    RailAction::Continue"#,
    },
    Kind {
        event: "PreLlmCall",
        payload: "call: &mut ModelCallInputs",
        params: "call: &mut ModelCallInputs, ctx: &RailContext",
        passed: "call, ctx",
        parts: "&mut call",
        body: r#"
    if ctx.step() > 8 {
        return RailAction::abort(format!("{} messages and no end", call.messages.len()));
    }
    if call.messages.len() > 100 {
        call.messages.drain(1..50);
    }
    RailAction::Continue"#,
    },
    Kind {
        event: "PostLlmCall",
        payload: "call: &ModelCallInputs, response: &mut ModelResponse",
        params: "response: &mut ModelResponse",
        passed: "response",
        parts: "&call, &mut response",
        body: r#"
    let text = response.message.text();
    let secret = text.split_whitespace().find(|word| word.starts_with("sk-") && word.len() > 20);
    match secret {
        Some(_) => RailAction::retry(RetryRequest::new("the answer has a key in it").with_max_retries(2)),
        None => RailAction::Continue,
    }"#,
    },
    Kind {
        event: "LlmError",
        payload: "call: &ModelCallInputs, error: &OperationError",
        params: "error: &OperationError",
        passed: "error",
        parts: "&call, &failure",
        body: r#"
    if error.kind != OperationErrorKind::RateLimited {
        return RailAction::Continue;
    }
    let wait = error.retry_after.unwrap_or(std::time::Duration::from_secs(1));
    RailAction::retry(RetryRequest::new("rate limited").with_delay(wait).with_max_retries(3))"#,
    },
    Kind {
        event: "PreToolCall",
        payload: "call: &mut ToolCallInputs",
        params: "call: &mut ToolCallInputs, ctx: &RailContext",
        passed: "call, ctx",
        parts: "&mut tool",
        body: r#"
    match call.tool_name.as_str() {
        "delete_file" | "drop_table" => return RailAction::abort("destructive tools are off limits"),
        "search" if ctx.attempt() > 3 => return RailAction::skip("enough of searching"),
        _ => {}
    }
    let path = call.str_argument("path").unwrap_or_default().trim_start_matches("./").to_owned();
    if path.contains("..") {
        return RailAction::skip(format!("`{path}` leaves the workspace"));
    }
    RailAction::Continue"#,
    },
    Kind {
        event: "PostToolCall",
        payload: "call: &ToolCallInputs, output: &mut ToolOutput",
        params: "call: &ToolCallInputs, output: &mut ToolOutput",
        passed: "call, output",
        parts: "&tool, &mut output",
        body: r#"
    let shown: Vec<_> = output.content.lines().filter(|line| !line.contains("password")).collect();
    output.content = shown.join("\n");
    if output.content.len() > 50_000 {
        return RailAction::abort(format!("`{}` returned too much", call.tool_name));
    }
    RailAction::Continue"#,
    },
    Kind {
        event: "ToolError",
        payload: "call: &ToolCallInputs, error: &OperationError",
        params: "call: &ToolCallInputs, error: &OperationError, ctx: &RailContext",
        passed: "call, error, ctx",
        parts: "&tool, &failure",
        body: r#"
    if ctx.attempt() < 2 && call.tool_name == "search" {
        return RailAction::retry(RetryRequest::new(error.to_string()));
    }
    RailAction::Continue"#,
    },
    Kind {
        event: "Finished",
        payload: "run: &InvokeInputs, output: &mut InvokeOutput",
        params: "run: &InvokeInputs, output: &mut InvokeOutput",
        passed: "run, output",
        parts: "&run, &mut answer",
        body: r#"
    if output.text.is_empty() {
        output.text = format!("there is no answer to {}", run.input.text());
    }
    RailAction::Continue"#,
    },
    Kind {
        event: "Error",
        payload: "run: &InvokeInputs, error: &RunError",
        params: "run: &InvokeInputs, error: &RunError, ctx: &RailContext",
        passed: "run, error, ctx",
        parts: "&run, &error",
        body: r#"
    let at = format!("{} {} {}", ctx.agent(), ctx.run_id(), ctx.step());
    eprintln!("{at}: {} failed: {error}", run.input.text());"#,
    },
];

const HEAD: &str =
    "#![allow(dead_code, unused_variables)]\n\nuse exo_rails::events::Error;\nuse exo_rails::prelude::*;\n";

impl Kind {
    fn output(&self) -> &'static str {
        if self.event == "Error" { "" } else { " -> RailAction" }
    }

    fn function(&self, i: usize) -> String {
        format!("async fn guard_{i}({}){} {{{}\n}}\n", self.params, self.output(), self.body)
    }
}

fn kinds(count: usize) -> impl Iterator<Item = (usize, &'static Kind)> {
    KINDS.iter().cycle().take(count).enumerate()
}

/// The way to dispatch an event to the rails.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Variant {
    /// Without rails.
    Empty,
    /// The rails are functions. For each event, a function calls them in turn.
    ByHand,
    /// The rails are in one chain.
    Rails,
    /// The same rails are in nested chains.
    Nested,
}

impl Variant {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::ByHand => "by_hand",
            Self::Rails => "rails",
            Self::Nested => "nested",
        }
    }

    /// Returns the source of a library with `count` rails.
    pub(crate) fn library(self, count: usize) -> String {
        match self {
            Self::Empty => "//! Nothing.\n".to_owned(),
            Self::ByHand => by_hand(count),
            Self::Rails => rails(count),
            Self::Nested => nested(count),
        }
    }

    /// Returns the source of a program that dispatches each event to its rails. The payloads are known only at run time,
    /// so the compiler cannot remove any rail. The program without rails reads the same payloads from its command line.
    pub(crate) fn program(self, count: usize) -> String {
        let mut source = match self {
            Self::Empty => HEAD.to_owned(),
            _ => self.library(count),
        };
        source.push_str(PAYLOADS);
        for (first, kind) in kinds(KINDS.len().min(count)) {
            let _ = match self {
                Self::Empty => writeln!(source, "    black_box(({}, &mut *ctx));", kind.parts),
                Self::ByHand => {
                    writeln!(source, "    black_box(block_on(on_{first}({}, ctx)));", kind.parts)
                }
                Self::Rails | Self::Nested => writeln!(source, "    black_box(block_on({}));", kind.dispatch()),
            };
        }
        source.push_str("}\n");
        source
    }
}

/// The beginning of each program. It makes the payloads from the command line. The program needs no runtime, because no
/// rail waits.
const PAYLOADS: &str = r"
use std::hint::black_box;

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut task = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut task) {
            return output;
        }
    }
}

fn main() {
    let word = std::env::args().nth(1).unwrap_or_default();
    let mut run = InvokeInputs::new(word.clone());
    let mut call = ModelCallInputs::new(vec![exo_rails::message::Message::user(word.clone())]);
    let mut response = ModelResponse::text(word.clone());
    let failure = OperationError::new(OperationErrorKind::Other, word.clone());
    let error = RunError::from(OperationError::new(OperationErrorKind::Other, word.clone()));
    let mut tool = ToolCallInputs::new(word.clone());
    let mut output = ToolOutput::text(word.clone());
    let mut answer = InvokeOutput::text(word.clone());
    let ctx = &mut RunContext::new(word);
";

impl Kind {
    /// Returns the dispatch of the event by the chain.
    fn dispatch(&self) -> String {
        let Self { event, parts, .. } = self;
        let payload = if parts.contains(',') { format!("({parts})") } else { (*parts).to_owned() };
        format!("(Guards {{}}).dispatch::<{event}>({payload}, ctx)")
    }
}

/// Returns the rails and one chain of all rails.
fn rails(count: usize) -> String {
    let mut source = as_rails(count);
    let names: Vec<_> = (0..count).map(guard).collect();
    source.push_str(&chain("Guards", &names));
    source
}

/// The number of nested chains.
const NESTED: usize = 5;

/// Returns the rails and nested chains. Each chain lists a part of the rails and the previous chain. The innermost chain
/// has rails on all events, so there are nested chains at each event.
fn nested(count: usize) -> String {
    let mut source = as_rails(count);
    let innermost = KINDS.len().min(count);
    let mut names: Vec<_> = (0..innermost).map(guard).collect();
    for level in 1..NESTED {
        let inner = format!("Guards{level}");
        source.push_str(&chain(&inner, &names));
        let share = |others: usize| innermost + (count - innermost) * others / (NESTED - 1);
        names = (share(level - 1)..share(level)).map(guard).collect();
        names.insert(0, inner);
    }
    source.push_str(&chain("Guards", &names));
    source
}

fn as_rails(count: usize) -> String {
    let mut source = HEAD.to_owned();
    for (i, kind) in kinds(count) {
        let _ = write!(source, "\n#[rail(priority = {}, on = [{}])]\n{}", i % 90, kind.event, kind.function(i));
    }
    source
}

fn guard(i: usize) -> String {
    format!("guard_{i}")
}

fn chain(name: &str, rails: &[String]) -> String {
    format!("\nrail_chain! {{ pub struct {name} {{ {} }} }}\n", rails.join(", "))
}

/// Returns the functions, and for each event a function that calls them in turn.
fn by_hand(count: usize) -> String {
    let mut source = HEAD.to_owned();
    for (i, kind) in kinds(count) {
        let _ = write!(source, "\n{}", kind.function(i));
    }
    for (first, kind) in kinds(KINDS.len().min(count)) {
        let _ = write!(source, "\npub async fn on_{first}({}, ctx: &RailContext) -> RailAction {{\n", kind.payload);
        for i in (first..count).step_by(KINDS.len()) {
            let call = format!("guard_{i}({}).await", kind.passed);
            let _ = match kind.event {
                "Error" => writeln!(source, "    {call};"),
                _ => writeln!(
                    source,
                    "    match {call} {{\n        RailAction::Continue => {{}}\n        stop => return stop,\n    }}"
                ),
            };
        }
        source.push_str("    RailAction::Continue\n}\n");
    }
    source
}
