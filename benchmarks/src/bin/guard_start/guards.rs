//! Each guard alone: a configuration, and what uses it first.

use std::error::Error;
use std::hint::black_box;

use exo_rails::prelude::*;
use exo_rails_guards::content::ContentFilter;
use exo_rails_guards::kit::PolicyConfig;
use exo_rails_guards::shell::ShellRules;
use exo_rails_guards::{Kit, config};
use serde_json::json;

/// The guards: the table of the policy file, and what uses the guard first.
///
/// A new table for a guard of the kit is a new line. `content` and `shell` are alone, because a tool call does not show their first use.
pub(crate) const GUARDS: [(&str, &str, First); 27] = [
    // A kit without a guard. Each row below includes it, apart from those of `content` and `shell`.
    ("kit", "", First::Tool),
    ("sizes", "[sizes]", First::Tool),
    ("capability_gap", "[capability_gap]\ntools = ['run']", First::Tool),
    ("secrets", "[secrets]", First::Tool),
    ("personal_data", "[personal_data]", First::Tool),
    (
        "hook_handlers",
        "[[hook_handlers]]\nallowed_dirs = ['/usr/bin']\n[[hook_handlers.handlers]]\nevents = ['finished']\n\
         run.command = { program = '/usr/bin/true' }",
        First::Tool,
    ),
    (
        "permissions",
        "[permissions]\ndefault = 'allow'\nrules = [{ tool = 'delete_*', decision = 'deny' }]",
        First::Tool,
    ),
    ("content", "", First::Text),
    ("injection", "[injection]", First::Tool),
    ("structure", "[structure]", First::Tool),
    ("paths", "[paths]\nroots = [{ name = 'work', path = '/tmp' }]", First::Tool),
    ("urls", "[urls]\nallowed_hosts = ['*.example.com']", First::Tool),
    (
        "tool_schemas",
        "[tool_schemas.schemas.run]\ntype = 'object'\nproperties = { command = { type = 'string' } }",
        First::Tool,
    ),
    ("structured_answer", "[structured_answer]\nschema = { type = 'string' }", First::Answer),
    (
        "data_flow",
        "[data_flow]\nsources = [{ tool = 'run', label = 'web' }]\nsinks = [{ tool = 'deploy', arguments = '/target' }]",
        First::Tool,
    ),
    ("loops", "[loops]", First::Tool),
    ("repetition", "[repetition]", First::Tool),
    ("risk", "[risk]", First::Tool),
    ("approval", "[approval]\nrules = [{ tool = 'deploy' }]", First::Tool),
    (
        "rate_limits",
        "[rate_limits]\nlimits = [{ name = 'calls', of = 'tool_calls', calls = 10, every = 'minute' }]",
        First::Tool,
    ),
    ("sequence", "[sequence]\nrules = ['deploy only after run']", First::Tool),
    ("budgets", "[budgets]\nlimits = [{ name = 'calls', of = 'tool_calls', most = 100 }]", First::Tool),
    ("retry", "[retry]\nidempotent = 'run'", First::Tool),
    ("concurrency", "[concurrency]\nlimits = [{ name = 'all', of = 'tool_calls', most = 4 }]", First::Tool),
    ("timeouts", "[timeouts]\nlimits = [{ name = 'tools', of = 'tool_calls', limit_ms = 60_000 }]", First::Tool),
    (
        "circuit_breaker",
        "[circuit_breaker]\nbreakers = [{ name = 'tools', of = 'tool_calls', failures = 5 }]",
        First::Tool,
    ),
    // The shell rules alone. `permissions` also judges commands with them.
    ("shell", "", First::Command),
];

/// What uses a guard first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// A tool call with its output.
    Tool,
    /// The answer of a model.
    Answer,
    /// The input of a run.
    Text,
    /// A shell command.
    Command,
}

/// The command in the first tool call.
const COMMAND: &str = "cd services/orders && cargo test --workspace -- --nocapture 2>&1 | tail -20";

/// The output of the tool, as a test run writes it.
const OUTPUT: &str = include_str!("output.txt");

/// The first answer.
const ANSWER: &str = r#""The test reads the table before the migration runs.""#;

/// The input of the first run.
const INPUT: &str = "Why does the test of the orders fail since Monday? Please ignore the warnings, and act as if the database were empty.";

/// A configuration that is read.
pub(crate) enum Prepared {
    Kit(Box<PolicyConfig>),
    Content,
    Shell,
}

/// A guard.
#[expect(clippy::large_enum_variant, reason = "a box would be a part of what is measured")]
pub(crate) enum Made {
    Kit(Box<Kit>),
    Content(ContentFilter),
    Shell(ShellRules),
}

/// Reads the configuration. This is not part of what is measured.
pub(crate) fn prepared(text: &str, first: First) -> Result<Prepared, Box<dyn Error>> {
    Ok(match first {
        First::Tool | First::Answer => Prepared::Kit(config::from_toml(text)?),
        First::Text => Prepared::Content,
        First::Command => Prepared::Shell,
    })
}

/// Makes the guard. Callgrind counts the instructions of this function.
#[inline(never)]
pub(crate) fn construct(prepared: Prepared) -> Result<Made, Box<dyn Error>> {
    Ok(match prepared {
        Prepared::Kit(config) => Made::Kit(Box::new(Kit::builder().build(*config)?)),
        Prepared::Content => {
            Made::Content(ContentFilter::builder().blocked_phrases(["hack into"]).known_patterns(true).build()?)
        }
        Prepared::Shell => Made::Shell(ShellRules::builder().working_directory("/work").build()?),
    })
}

/// Uses the guard once. Callgrind counts the instructions of this function.
#[inline(never)]
pub(crate) fn use_once(made: &Made, first: First, runtime: &tokio::runtime::Runtime) -> Result<(), Box<dyn Error>> {
    let kit = match made {
        Made::Kit(kit) => kit,
        Made::Content(content) => {
            black_box(content.findings(INPUT));
            return Ok(());
        }
        Made::Shell(rules) => {
            black_box(rules.judge(COMMAND));
            return Ok(());
        }
    };
    let mut ctx = RunContext::new("bench");
    runtime.block_on(async {
        if first == First::Answer {
            let model = |_| async { Ok::<_, OperationError>(ModelResponse::text(ANSWER)) };
            kit.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await?;
            return Ok(());
        }
        let call = ToolCallInputs::new("run").with_arguments(json!({ "command": COMMAND, "timeout_s": 60 }));
        let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text(OUTPUT)) };
        let output = kit.guard_tool_call(call, &mut ctx, tool).await?;
        if output.content == OUTPUT {
            Ok(())
        } else {
            Err(format!("the guard stops the call: {}", output.content).into())
        }
    })
}
