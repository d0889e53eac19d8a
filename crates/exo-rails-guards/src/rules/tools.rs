//! What tools do, and which of their arguments are commands, paths and addresses.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use exo_rails_policy::ToolName;
use exo_rails_policy::permissions::ToolConfig;
use exo_rails_policy::{ConfigError, PointerPattern};

use crate::arguments::ByTool;
use exo_rails_policy::permissions::Effect;

const READ: [&str; 28] = [
    "read",
    "read_file",
    "read_files",
    "read_many_files",
    "view",
    "view_file",
    "cat",
    "ls",
    "list",
    "list_files",
    "list_dir",
    "list_directory",
    "glob",
    "grep",
    "search",
    "search_files",
    "file_search",
    "codebase_search",
    "find",
    "find_files",
    "stat",
    "tree",
    "directory_tree",
    "get_file_info",
    "read_text_file",
    "notebook_read",
    "think",
    "todo_read",
];

const EDIT: [&str; 19] = [
    "write",
    "write_file",
    "edit",
    "edit_file",
    "multi_edit",
    "multiedit",
    "create_file",
    "apply_patch",
    "str_replace",
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "notebook_edit",
    "notebookedit",
    "replace",
    "replace_in_file",
    "insert",
    "append_file",
    "write_to_file",
    "update_file",
];

const EXECUTE: [&str; 15] = [
    "shell",
    "bash",
    "sh",
    "zsh",
    "run_command",
    "run_shell_command",
    "run_terminal_cmd",
    "run_in_terminal",
    "execute_command",
    "exec",
    "exec_command",
    "execute_bash",
    "terminal",
    "local_shell",
    "container.exec",
];

const NETWORK: [&str; 13] = [
    "fetch",
    "web_fetch",
    "webfetch",
    "http",
    "http_request",
    "http_get",
    "http_post",
    "curl",
    "browse",
    "open_url",
    "web_search",
    "websearch",
    "download",
];

const COMMANDS: [&str; 7] = ["command", "cmd", "script", "commands", "shell_command", "bash", "argv"];

const PATHS: [&str; 24] = [
    "path",
    "paths",
    "file",
    "files",
    "file_path",
    "filepath",
    "file_paths",
    "filename",
    "dir",
    "directory",
    "folder",
    "cwd",
    "workdir",
    "working_directory",
    "src",
    "dst",
    "source_path",
    "destination",
    "destination_path",
    "old_path",
    "new_path",
    "notebook_path",
    "target_file",
    "relative_path",
];

const HOSTS: [&str; 14] = [
    "url",
    "urls",
    "uri",
    "uris",
    "href",
    "link",
    "host",
    "hosts",
    "hostname",
    "domain",
    "endpoint",
    "base_url",
    "webhook",
    "webhook_url",
];

/// The arguments of a tool that rules look at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolFacts<'t> {
    pub(crate) effect: Effect,
    pub(crate) commands: &'t [PointerPattern],
    pub(crate) argv: &'t [PointerPattern],
    pub(crate) paths: ArgumentPlaces<'t>,
    #[cfg_attr(not(feature = "urls"), expect(dead_code, reason = "rules about hosts need the feature `urls`"))]
    pub(crate) hosts: ArgumentPlaces<'t>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ArgumentPlaces<'t> {
    pub(crate) places: &'t [PointerPattern],
    /// Whether the list comes from the configuration, so that no other argument can be meant.
    pub(crate) is_configured: bool,
}

impl<'t> ToolFacts<'t> {
    /// Returns whether the tool runs shell commands.
    pub(crate) fn is_shell(&self) -> bool {
        self.effect == Effect::Execute || !self.commands.is_empty() || !self.argv.is_empty()
    }

    fn new(folded_name: &str, config: Option<&'t ToolConfig>) -> Self {
        static NONE: LazyLock<ToolConfig> = LazyLock::new(ToolConfig::default);
        let config = config.unwrap_or(&NONE);
        let has_commands = config.commands.is_some() || config.argv.is_some();
        let effect = config.effect.unwrap_or(if has_commands { Effect::Execute } else { usual_effect(folded_name) });
        let places = |configured: &'t Option<Vec<PointerPattern>>, usual: &'static [PointerPattern]| ArgumentPlaces {
            places: configured.as_deref().unwrap_or(usual),
            is_configured: configured.is_some(),
        };
        let usual_commands = if effect == Effect::Execute && !has_commands { USUAL.commands.as_slice() } else { &[] };
        Self {
            effect,
            commands: config.commands.as_deref().unwrap_or(usual_commands),
            argv: config.argv.as_deref().unwrap_or_default(),
            paths: places(&config.paths, &USUAL.paths),
            hosts: places(&config.hosts, &USUAL.hosts),
        }
    }
}

/// The usual names of arguments.
struct Usual {
    commands: Vec<PointerPattern>,
    paths: Vec<PointerPattern>,
    hosts: Vec<PointerPattern>,
}

static USUAL: LazyLock<Usual> = LazyLock::new(|| {
    let names = |names: &[&str]| names.iter().map(|name| PointerPattern::name(name)).collect();
    Usual { commands: names(&COMMANDS), paths: names(&PATHS), hosts: names(&HOSTS) }
});

/// Returns what a tool with this name usually does.
pub(crate) fn usual_effect(folded_name: &str) -> Effect {
    let kinds: [(&[&str], Effect); 4] =
        [(&EXECUTE, Effect::Execute), (&EDIT, Effect::Edit), (&NETWORK, Effect::Network), (&READ, Effect::Read)];
    kinds.iter().find(|(names, _)| names.contains(&folded_name)).map_or(Effect::Other, |(_, effect)| *effect)
}

/// The facts about all tools, by the names and patterns of the configuration.
#[derive(Debug)]
pub(crate) struct Tools(ByTool<ToolConfig>);

impl Tools {
    pub(crate) fn new(tools: BTreeMap<String, ToolConfig>) -> Result<Self, ConfigError> {
        ByTool::new(tools).map(Self)
    }

    /// Returns the facts about a tool. If one [reading](ToolName::readings) of its name is the name of a shell, the tool is a
    /// shell.
    pub(crate) fn facts(&self, tool: &ToolName<'_>) -> ToolFacts<'_> {
        let mut all = tool.readings.iter().map(|reading| ToolFacts::new(reading, self.0.get(reading)));
        let first = all.next().unwrap_or_else(|| ToolFacts::new("", None));
        all.find(ToolFacts::is_shell).unwrap_or(first)
    }
}
