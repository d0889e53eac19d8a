//! Runs each hook in a process, as coding agents do. A hook reads the event from its standard input and writes its
//! decision to its standard output, both as JSON.

use std::env;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use exo_rails::{HookPoint, Reason, RetryRequest, RunContext, ToolCallInputs, ToolOutput};
use serde::{Deserialize, Serialize};

use super::{Answer, Check, List, Visitor};
use crate::dispatch::block_on;
use crate::dispatch::hand_written::{Decision, Fault};
use crate::dispatch::variants::Variant;

/// The argument before the name of a rail. With it, the program is the hook of this rail.
pub(crate) const HOOK: &str = "hook";

/// The input of a hook.
#[derive(Serialize, Deserialize)]
struct Event<C> {
    tool_call: C,
    step: u32,
}

/// The output of a hook.
#[derive(Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
enum Said {
    Continue,
    Skip { reason: String, substitute: Option<ToolOutput> },
    Retry { reason: String, delay_ms: u64, max_retries: u32 },
    Abort { reason: String },
    Fault { error: String },
}

/// Hooks. Each hook is a process of this program, for one rail.
pub(crate) struct Hooks {
    program: PathBuf,
    rails: Vec<&'static str>,
}

impl Hooks {
    pub(crate) fn new<L: List>() -> io::Result<Self> {
        let mut names = Names(Vec::new());
        L::show(&mut names);
        Ok(Self { program: env::current_exe()?, rails: names.0 })
    }

    /// Runs one hook and waits for it on this thread. Only one hook runs at a time, so the thread has no other work.
    fn run(&self, rail: &str, event: &[u8]) -> io::Result<Said> {
        let mut hook =
            Command::new(&self.program).args([HOOK, rail]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        if let Some(mut stdin) = hook.stdin.take() {
            stdin.write_all(event)?;
        }
        let output = hook.wait_with_output()?;
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}

impl Variant for Hooks {
    type Answer = Answer;

    async fn dispatch<'a>(&'a self, call: &'a mut ToolCallInputs, ctx: &'a mut RunContext) -> Answer {
        let event = serde_json::to_vec(&Event { tool_call: &*call, step: ctx.step() })
            .map_err(|error| Fault::new("process", error))?;
        for &rail in &self.rails {
            let said = self.run(rail, &event).map_err(|error| Fault::new(rail, error))?;
            match decision(rail, said)? {
                Decision::Continue => {}
                stopped => return Ok(stopped),
            }
        }
        Ok(Decision::Continue)
    }
}

/// The names of the rails.
struct Names(Vec<&'static str>);

impl Visitor for Names {
    fn rail<C: Check>(&mut self) {
        self.0.push(C::NAME);
    }
}

/// Turns the output of a hook into the decision of its rail.
fn decision(by: &'static str, said: Said) -> Answer {
    Ok(match said {
        Said::Continue => Decision::Continue,
        Said::Skip { reason, substitute } => Decision::Skip { by, reason: Reason::from(reason), substitute },
        Said::Retry { reason, delay_ms, max_retries } => {
            let request = RetryRequest::new(reason).with_delay(Duration::from_millis(delay_ms));
            Decision::Retry { by, request: request.with_max_retries(max_retries) }
        }
        Said::Abort { reason } => Decision::Abort { by, event: HookPoint::PreToolCall, reason: Reason::from(reason) },
        Said::Fault { error } => return Err(Fault::new(by, error)),
    })
}

/// Turns a decision into the output of a hook.
fn said(answer: Answer) -> Said {
    match answer {
        Ok(Decision::Continue) => Said::Continue,
        Ok(Decision::Skip { reason, substitute, .. }) => Said::Skip { reason: text(&reason), substitute },
        Ok(Decision::Retry { request: RetryRequest { reason, delay, max_retries, .. }, .. }) => {
            let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
            Said::Retry { reason: text(&reason), delay_ms, max_retries }
        }
        Ok(Decision::Abort { reason, .. }) => Said::Abort { reason: text(&reason) },
        Err(fault) => Said::Fault { error: fault.error.to_string() },
    }
}

fn text(reason: &Reason) -> String {
    reason.as_str().to_owned()
}

/// Runs as the hook of one rail of the list.
pub(crate) fn serve<L: List>(rail: &str) -> io::Result<()> {
    let mut event = Vec::new();
    io::stdin().read_to_end(&mut event)?;
    let Event { tool_call, step } = serde_json::from_slice(&event)?;
    let mut ctx = RunContext::new("hook");
    ctx.set_step(step);
    ctx.enter(HookPoint::PreToolCall);
    let mut hook = Hook { rail, call: tool_call, ctx, answer: None };
    L::show(&mut hook);
    let answer = hook.answer.ok_or_else(|| io::Error::other(format!("there is no rail `{rail}`")))?;
    serde_json::to_writer(io::stdout(), &said(answer))?;
    io::stdout().flush()
}

/// Calls only the rail with this name.
struct Hook<'r> {
    rail: &'r str,
    call: ToolCallInputs,
    ctx: RunContext,
    answer: Option<Answer>,
}

impl Visitor for Hook<'_> {
    fn rail<C: Check>(&mut self) {
        if C::NAME == self.rail {
            self.answer = Some(block_on(C::check(&self.call, &mut self.ctx)));
        }
    }
}
