//! The table `hook_handlers`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::ToolPattern;
use crate::list::one_or_many;
use crate::table::{Table, named};

/// The configuration of `HookHandlers`.
///
/// ```
/// use exo_rails_policy::hook_handlers::{HookHandlersConfig, Run};
///
/// let config: HookHandlersConfig = exo_rails_policy::from_toml(r#"
///     allowed_dirs = ["/opt/hooks"]
///
///     [[handlers]]
///     events = ["pre_tool_call"]
///     tool = ["shell", "write_*"]
///     run.command = { program = "/opt/hooks/check", args = ["--strict"] }
///
///     [[handlers]]
///     events = ["finished"]
///     background = true
///     run.http = { url = "http://127.0.0.1:8080/audit" }
/// "#)?;
/// assert!(matches!(config.handlers[1].run, Run::Http(_)));
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HookHandlersConfig {
    /// The handlers. Those of one event run in this order.
    pub handlers: Vec<HandlerConfig>,
    /// The directories that may hold the programs of commands, as absolute paths. Symbolic links are resolved first, in
    /// these paths and in those of the programs.
    pub allowed_dirs: Vec<PathBuf>,
    /// The variables that a command receives from the environment of this process, as they are when the guard is made. A
    /// command receives no others. The
    /// default is `PATH`, `HOME`, `LANG` and `TZ`.
    pub inherit_env: Vec<String>,
    /// The number of background handlers that may run at once. More are not started, which `tracing` reports. The default is
    /// 16.
    pub max_background: usize,
}

impl Default for HookHandlersConfig {
    fn default() -> Self {
        Self {
            handlers: Vec::new(),
            allowed_dirs: Vec::new(),
            inherit_env: ["PATH", "HOME", "LANG", "TZ"].map(str::to_owned).to_vec(),
            max_background: 16,
        }
    }
}

/// One handler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandlerConfig {
    /// The name in findings and faults. The default is the place in the list, such as `handlers[0]`.
    #[serde(default)]
    pub name: Option<String>,
    /// The events.
    pub events: Vec<HandlerEvent>,
    /// The tools: names, or globs such as `write_*`. In a configuration, one text or a list. An empty list is every tool. The
    /// handler also runs for other spellings of the names: see [`ToolPattern`]. Only events of tools can have tools.
    #[serde(default, deserialize_with = "one_or_many")]
    pub tool: Vec<ToolPattern>,
    /// What the handler runs.
    pub run: Run,
    /// The time for one event, in milliseconds. The default is 5000 for commands and requests, 30 000 for prompts and
    /// 120 000 for agents.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
    /// The largest answer, in bytes. The default is 1 MiB.
    #[serde(default = "default_max_output_bytes")]
    pub max_output_bytes: usize,
    /// What a fault of the handler does.
    #[serde(default)]
    pub fail_mode: FailMode,
    /// What a block does.
    #[serde(default)]
    pub on_block: OnBlock,
    /// Whether the handler runs in the background: the event does not wait for it, and it decides nothing. Only commands and
    /// requests can.
    #[serde(default)]
    pub background: bool,
}

const fn default_max_output_bytes() -> usize {
    1 << 20
}

impl HandlerConfig {
    /// Makes a handler with the defaults.
    #[must_use]
    pub fn new(events: impl Into<Vec<HandlerEvent>>, run: Run) -> Self {
        Self {
            name: None,
            events: events.into(),
            tool: Vec::new(),
            run,
            timeout_ms: None,
            max_output_bytes: default_max_output_bytes(),
            fail_mode: FailMode::default(),
            on_block: OnBlock::default(),
            background: false,
        }
    }

    /// Adds a [tool](field@Self::tool), or the tools that a glob matches.
    #[must_use]
    pub fn with_tool(mut self, tool: ToolPattern) -> Self {
        self.tool.push(tool);
        self
    }
}

/// What a handler runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Run {
    /// A program.
    Command(CommandRun),
    /// A request to an HTTP endpoint. Needs the feature `http`, and `https` for TLS.
    Http(HttpRun),
    /// A question to a model. Needs the feature `agent`.
    Prompt(PromptRun),
    /// A task for an agent with tools. Needs the feature `agent`.
    Agent(AgentRun),
}

/// A program that decides.
///
/// No shell is involved: the arguments reach the program as they are. The program runs in a process group. When the time is
/// over, when the run is cancelled, and when the program has ended, the whole group is killed. So a process that the program
/// has left behind does not survive, unless it has left the group, for example with `setsid`.
///
/// Commands need a Unix system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandRun {
    /// The absolute path of the program, inside one of the [allowed directories](HookHandlersConfig::allowed_dirs).
    pub program: PathBuf,
    /// The arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// More variables for the environment of the program.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The working directory, as an absolute path. The default is that of this process.
    #[serde(default)]
    pub working_dir: Option<PathBuf>,
}

/// An HTTP endpoint that decides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpRun {
    /// The URL.
    pub url: String,
    /// More headers. `${NAME}` and `$NAME` stand for a variable of the environment, which must exist when the guard is made.
    /// `$$` is a dollar.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}

/// A question to a model.
///
/// The model answers with `{"ok": true}`, or with `{"ok": false, "reason": "…"}`, and nothing else. A code fence around the
/// JSON is allowed. Anything else is a fault.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptRun {
    /// The question. `$ARGUMENTS` stands for the JSON of the event.
    pub text: String,
    /// The model: the name that `HookHandlersBuilder::model` has given it, or a specification
    /// such as `openai:gpt-4o`.
    pub model: String,
}

/// A task for an agent, which answers as in a [`PromptRun`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentRun {
    /// The task. `$ARGUMENTS` stands for the JSON of the event.
    pub text: String,
    /// The model, as in [`PromptRun::model`].
    pub model: String,
    /// The names of the tools that the agent may use. The program registers them with
    /// `HookHandlersBuilder`.
    #[serde(default)]
    pub tools: Vec<String>,
    /// The number of steps that the agent may take, from 1 to 50. A step is a model call with its tool calls. The default is
    /// 10.
    #[serde(default = "default_max_steps")]
    pub max_steps: u32,
}

const fn default_max_steps() -> u32 {
    10
}

/// What a fault does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailMode {
    /// The guard faults, so the run ends.
    #[default]
    Closed,
    /// The handler has no objection. A finding reports the fault.
    Open,
}

/// What a block does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnBlock {
    /// Only the thing itself does not happen:
    ///
    /// - At `pre_tool_call`, the call is skipped, and the model reads the reason.
    /// - At `post_tool_call`, the model reads the reason instead of the output.
    /// - At `memory_recalled`, `memory_stored` and `pre_compaction`, the step is skipped.
    /// - At all other events, the run ends.
    #[default]
    Refuse,
    /// The run ends.
    Abort,
}

/// An event that a handler can name.
///
/// The events of the library except two: at `LlmChunk` a handler would run for each piece of
/// an answer, and at `Dropped` nothing can be awaited.
///
/// | event | fields beside the six of every event |
/// |---|---|
/// | `session_start`, `session_end` | `session` |
/// | `start` | `input`, the text |
/// | `memory_recalled` | `query`, `items` |
/// | `context_assembled`, `context_overflow` | `messages`, `tokens`, `budget` |
/// | `pre_compaction` | `messages`, `tokens`, `budget` |
/// | `post_compaction` | `messages`, `removed`, `summary` of the new history |
/// | `pre_llm_call` | `model`, `messages`, `tools` (their names) |
/// | `post_llm_call` | `model`, `text`, `tool_calls`, `finish_reason` |
/// | `llm_error` | `model`, `error`, `error_kind` |
/// | `pre_tool_call` | `tool_name`, `tool_call_id`, `arguments` |
/// | `post_tool_call` | the same, and `output`, `is_error` |
/// | `tool_error` | those of `pre_tool_call`, and `error`, `error_kind` |
/// | `finished` | `input`, `text` |
/// | `memory_stored` | `messages` |
/// | `error` | `input`, `error` |
/// | `suspended` | `input`, `question` |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandlerEvent {
    /// A session begins.
    SessionStart,
    /// A run begins.
    Start,
    /// A memory has answered.
    MemoryRecalled,
    /// The messages that the model reads first are assembled.
    ContextAssembled,
    /// The history is about to be compacted.
    PreCompaction,
    /// The history has been compacted. A handler cannot decide.
    PostCompaction,
    /// The next model call exceeds the budget of tokens.
    ContextOverflow,
    /// The model is about to be called.
    PreLlmCall,
    /// The model has answered.
    PostLlmCall,
    /// The model call has failed.
    LlmError,
    /// A tool is about to be called.
    PreToolCall,
    /// A tool has returned.
    PostToolCall,
    /// A tool has failed.
    ToolError,
    /// A run has its answer.
    Finished,
    /// A memory is about to store an entry.
    MemoryStored,
    /// A run ends with an error. A handler cannot decide.
    Error,
    /// A run is suspended. A handler cannot decide.
    Suspended,
    /// A session ends. A handler cannot decide.
    SessionEnd,
}

impl fmt::Display for HandlerEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl HandlerEvent {
    /// Returns whether a handler can decide about the event. Prompts and agents need such an event.
    #[must_use]
    pub const fn can_decide(self) -> bool {
        !matches!(self, Self::PostCompaction | Self::Error | Self::Suspended | Self::SessionEnd)
    }

    /// Returns whether a run can wait for a person at the event, so that a handler may answer `ask`.
    #[must_use]
    pub const fn can_wait(self) -> bool {
        self.can_decide() && !matches!(self, Self::SessionStart | Self::ContextAssembled | Self::ContextOverflow)
    }

    /// Returns whether the event is about a tool call, so that a handler may be about some tools only.
    #[must_use]
    pub const fn has_tool(self) -> bool {
        matches!(self, Self::PreToolCall | Self::PostToolCall | Self::ToolError)
    }
}

impl Table for HookHandlersConfig {
    const KEY: &'static str = "hook_handlers";

    fn tools(&self) -> Vec<(String, &str)> {
        named("handlers", self.handlers.iter().flat_map(|handler| &handler.tool))
    }
}
