//! The rail that checks the paths of tool calls.

use std::path::PathBuf;
use std::sync::Arc;

use exo_rails::{Provide, RailContext, ToolCallInputs, events::PreToolCall, rail};
use exo_rails_policy::ToolName;
use exo_rails_policy::{ConfigError, PointerPattern, ToolPattern};
use serde_json::Value;

use super::sandbox::{LastLink, Sandbox};
use super::{PathRefusal, PathRule, PathSandboxConfig, Rights, RootConfig, SandboxRoots, ToolPaths};
use crate::arguments::{Search, items, last_word, place, texts, words};
use crate::finding::{Finding, Place};
use crate::kit_guard::needs_only_its_configuration;
use crate::refusal::Check;
use crate::vault;

/// A guard that keeps the paths of tool calls inside directories.
///
/// It refuses a call if one of its paths breaks a [`PathRule`]. If it allows the call, it provides [`SandboxRoots`] to the tool.
/// The module docs explain why the tool should use it: see [`paths`](super).
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::paths::{PathSandbox, Rights};
/// use serde_json::json;
///
/// rail_chain! {
///     struct Rails { paths: PathSandbox }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = std::env::temp_dir().join(format!("exo-rails-sandbox-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir)?;
/// let sandbox = PathSandbox::builder()
///     .root("project", &dir, Rights::READ | Rights::WRITE | Rights::CREATE)
///     .tool("read_*", ["/path", "/files/*/path"], Rights::READ)
///     .build()?;
/// let (rails, mut ctx) = (Rails { paths: sandbox }, RunContext::new("demo"));
/// let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
///
/// // The guard finds the paths of tools without a rule by the names of their arguments.
/// let call = ToolCallInputs::new("write_file").with_arguments(json!({ "file_path": "../secret.txt" }));
/// let output = rails.guard_tool_call(call, &mut ctx, tool).await?;
/// assert!(output.content.contains("paths/outside: the path leads outside of the roots `project`"), "{}", output.content);
///
/// let call = ToolCallInputs::new("read_text").with_arguments(json!({ "files": [{ "path": "%2e%65nv" }] }));
/// let output = rails.guard_tool_call(call, &mut ctx, tool).await?;
/// assert!(output.content.contains("paths/denied-name"), "{}", output.content);
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok(()) }
/// ```
///
/// The check makes a few system calls for each path. It does not read files.
#[derive(Clone, Debug)]
pub struct PathSandbox {
    sandbox: Arc<Sandbox>,
}

#[rail(priority = 12, name = "paths")]
impl PathSandbox {
    #[on(PreToolCall, provides = [SandboxRoots])]
    fn check_call(&self, call: &ToolCallInputs, ctx: &mut RailContext) -> Provide<SandboxRoots> {
        let config = &self.sandbox.config;
        let mut check = Check::new(config.enforce_from);
        let result = self.check_all(&vault::revealed(call, ctx), &mut check);
        check.decide(result, config.on_refusal, vault::hidden, ctx)
    }
}

impl PathSandbox {
    /// Makes a guard from its configuration. It opens the roots.
    ///
    /// # Errors
    /// Returns an error that names the key if there is no root, if a root cannot be opened, if the base is not in a root, or
    /// if a denied name is not a glob.
    pub fn new(config: PathSandboxConfig) -> Result<Self, ConfigError> {
        Ok(Self { sandbox: Arc::new(Sandbox::new(config)?) })
    }

    /// Starts a configuration in code.
    pub fn builder() -> PathSandboxBuilder {
        PathSandboxBuilder { config: PathSandboxConfig::default(), error: None }
    }

    /// Checks all paths of a tool call, as the rail does.
    ///
    /// # Errors
    /// Returns the finding about the first path that breaks a rule, if the guard [enforces](PathSandboxConfig::enforce_from) it.
    pub fn check(&self, call: &ToolCallInputs) -> Result<SandboxRoots, Box<Finding>> {
        self.check_all(call, &mut Check::new(self.sandbox.config.enforce_from))
    }

    fn check_all(&self, call: &ToolCallInputs, check: &mut Check) -> Result<SandboxRoots, Box<Finding>> {
        let config = &self.sandbox.config;
        let name = ToolName::new(&call.tool_name);
        if let Some(rule) = config.tools.iter().find(|rule| rule.tool.iter().any(|tool| tool.allows(&name))) {
            self.check_rule(rule, &call.arguments, check)?;
            return Ok(SandboxRoots::new(Arc::clone(&self.sandbox), rule.needs));
        }
        let mut needs = config.detected_needs;
        // The name may be another spelling, so these rules may be about the tool.
        for rule in config.tools.iter().filter(|rule| rule.tool.iter().any(|tool| tool.catches(&name))) {
            self.check_rule(rule, &call.arguments, check)?;
            needs = needs.common(rule.needs);
        }
        if config.detect {
            self.check_detected(call, check)?;
        }
        Ok(SandboxRoots::new(Arc::clone(&self.sandbox), needs))
    }

    /// Checks one path.
    ///
    /// ```
    /// use exo_rails_guards::paths::{PathRule, PathSandbox, Rights};
    ///
    /// let sandbox = PathSandbox::builder().root("temporary", std::env::temp_dir(), Rights::READ).build()?;
    /// assert!(sandbox.check_path("notes.txt", Rights::READ).is_ok());
    /// assert_eq!(sandbox.check_path("..%c0%afetc", Rights::READ).unwrap_err().rule(), PathRule::Encoding);
    /// # Ok::<(), exo_rails_guards::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// Returns the rule that the path breaks.
    pub fn check_path(&self, path: &str, needs: Rights) -> Result<(), PathRefusal> {
        self.sandbox.locate(path, needs, LastLink::Follow).map(drop)
    }

    fn check_rule(&self, rule: &ToolPaths, arguments: &Value, check: &mut Check) -> Result<(), Box<Finding>> {
        rule.paths.iter().try_for_each(|paths| self.check_listed(paths, arguments, rule.needs, check))
    }

    fn check_listed(
        &self,
        paths: &PointerPattern,
        arguments: &Value,
        needs: Rights,
        check: &mut Check,
    ) -> Result<(), Box<Finding>> {
        // Arguments that could not be read as JSON are a text. Their paths are unknown.
        if arguments.is_string() && !paths.to_string().is_empty() {
            return check.found(not_a_path(Place::default()));
        }
        let mut checked = Ok(());
        paths.each(arguments, &mut |way, value| {
            if checked.is_ok() {
                checked = items(value).iter().try_for_each(|item| match item.as_str() {
                    Some(text) => self.check_text(text, needs, || place(way), check),
                    None => check.found(not_a_path(place(way))),
                });
            }
        });
        checked
    }

    fn check_detected(&self, call: &ToolCallInputs, check: &mut Check) -> Result<(), Box<Finding>> {
        let is_file_tool = is_file_tool(&call.tool_name);
        for text in texts(&None, &call.arguments) {
            if text.name.is_some_and(|name| is_path_name(name) || (is_file_tool && is_name_of_file_tools(name))) {
                self.check_text(text.content, self.sandbox.config.detected_needs, || text.place(), check)?;
            }
        }
        Ok(())
    }

    fn check_text(
        &self,
        text: &str,
        needs: Rights,
        place: impl FnOnce() -> Place,
        check: &mut Check,
    ) -> Result<(), Box<Finding>> {
        self.check_path(text, needs).or_else(|refusal| check.found(refusal.finding(place())))
    }
}

fn not_a_path(place: Place) -> Finding {
    PathRefusal::new(PathRule::NotAPath).finding(place)
}

/// Tells whether the name of an argument says that its value is a path.
fn is_path_name(name: &str) -> bool {
    const WORDS: [&str; 25] = [
        "cwd",
        "dest",
        "destination",
        "dir",
        "directories",
        "directory",
        "dirs",
        "dst",
        "file",
        "filename",
        "filenames",
        "filepath",
        "filepaths",
        "files",
        "folder",
        "folders",
        "path",
        "paths",
        "pathname",
        "source",
        "src",
        "subdir",
        "workdir",
        "workspace",
        "worktree",
    ];
    let word = last_word(name);
    // `file_name` is a path, and `user_name` is not.
    let joined: String = name.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
    WORDS.contains(&word.as_str())
        || joined.ends_with("filename")
        || joined.ends_with("pathname")
        || joined.ends_with("dirname")
}

/// Tells whether the name of a tool says that it works with files, such as `copy_file`.
fn is_file_tool(name: &str) -> bool {
    const WORDS: [&str; 15] = [
        "copy",
        "directories",
        "directory",
        "dir",
        "file",
        "files",
        "folder",
        "link",
        "move",
        "mkdir",
        "path",
        "paths",
        "rename",
        "symlink",
        "zip",
    ];
    words(name).any(|word| WORDS.contains(&word.as_str()))
}

/// Tells whether a tool that works with files may take a path in an argument of this name. Other tools use the same names
/// for addresses, languages and the like.
fn is_name_of_file_tools(name: &str) -> bool {
    const WORDS: [&str; 14] = [
        "archive", "from", "input", "into", "link", "location", "name", "names", "new", "old", "output", "origin",
        "target", "to",
    ];
    WORDS.contains(&last_word(name).as_str())
}

/// The builder of a [`PathSandbox`].
#[derive(Clone, Debug)]
#[must_use = "call `build`"]
pub struct PathSandboxBuilder {
    config: PathSandboxConfig,
    error: Option<ConfigError>,
}

impl PathSandboxBuilder {
    /// Adds a root. The name appears in messages.
    pub fn root(mut self, name: impl Into<String>, path: impl Into<PathBuf>, rights: Rights) -> Self {
        self.config.roots.push(RootConfig { name: name.into(), path: path.into(), rights });
        self
    }

    /// Sets the directory to which relative paths are relative. Default: the first root.
    pub fn base(mut self, base: impl Into<PathBuf>) -> Self {
        self.config.base = Some(base.into());
        self
    }

    /// Adds the rule of a tool or of the tools that a glob matches: where the paths are, as names of arguments or JSON
    /// pointers with wildcards, and what the tool does with them. See [`ToolPattern`] and [`PointerPattern`].
    pub fn tool<'p>(mut self, tool: &str, paths: impl IntoIterator<Item = &'p str>, needs: Rights) -> Self {
        match rule(tool, paths, needs) {
            Ok(rule) => self.config.tools.push(rule),
            Err(error) => self.error = self.error.or(Some(error)),
        }
        self
    }

    /// Replaces the list of denied names: see [`PathSandboxConfig::denied`].
    pub fn denied(mut self, names: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.config.denied = names.into_iter().map(|name| name.as_ref().to_owned()).collect();
        self
    }

    /// Changes the configuration directly. Use it for the settings that have no method here.
    pub fn configure(mut self, change: impl FnOnce(&mut PathSandboxConfig)) -> Self {
        change(&mut self.config);
        self
    }

    /// Makes the guard.
    ///
    /// # Errors
    /// As [`PathSandbox::new`]. It also returns an error if the name of a tool or the place of a path cannot be read.
    pub fn build(self) -> Result<PathSandbox, ConfigError> {
        match self.error {
            Some(error) => Err(error.in_key("tools")),
            None => PathSandbox::new(self.config),
        }
    }
}

fn rule<'p>(tool: &str, paths: impl IntoIterator<Item = &'p str>, needs: Rights) -> Result<ToolPaths, ConfigError> {
    let paths = paths.into_iter().map(str::parse).collect::<Result<_, _>>()?;
    Ok(ToolPaths { tool: vec![ToolPattern::new(tool)?], paths, needs })
}

needs_only_its_configuration!(PathSandbox, PathSandboxConfig);
