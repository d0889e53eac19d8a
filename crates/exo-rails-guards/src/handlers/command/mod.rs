//! Commands: programs that decide.

mod process;
mod program;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use exo_rails_policy::ConfigError;
use serde_json::Value;

use self::process::Ended;
use super::output::{self, Answer, Limits};
use super::{CommandRun, HandlerFault};

pub(super) use program::allowed_dirs;

/// A command that is ready to run.
pub(super) struct Command {
    /// The path in the configuration.
    program: PathBuf,
    /// The directories that may hold it, without symbolic links.
    allowed: Arc<[PathBuf]>,
    args: Vec<String>,
    /// The whole environment.
    env: Vec<(OsString, OsString)>,
    working_dir: Option<PathBuf>,
}

impl Command {
    pub(super) fn new(run: CommandRun, allowed: &Arc<[PathBuf]>, inherit_env: &[String]) -> Result<Self, ConfigError> {
        let CommandRun { program, args, env, working_dir } = run;
        program::check(&program, allowed).map_err(|error| error.in_key("run.command.program"))?;
        if let Some(dir) = working_dir.as_ref().filter(|dir| !dir.is_absolute() || !dir.is_dir()) {
            let message = format!("`{}` is not the absolute path of a directory", dir.display());
            return Err(ConfigError::new(message).in_key("run.command.working_dir"));
        }
        if let Some(name) = env.keys().find(|name| name.is_empty() || name.contains(['=', '\0'])) {
            let message = format!("`{name}` is not the name of a variable");
            return Err(ConfigError::new(message).in_key("run.command.env"));
        }
        if args.iter().chain(env.values()).any(|text| text.contains('\0')) {
            return Err(ConfigError::new("an argument or a variable has a NUL character").in_key("run.command"));
        }
        let inherited = inherit_env.iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
        let own = env.into_iter().map(|(name, value)| (name.into(), value.into()));
        let env = inherited.chain(own).collect();
        Ok(Self { program, allowed: Arc::clone(allowed), args, env, working_dir })
    }

    /// Runs the program for one event.
    pub(super) async fn answer(&self, handler: &str, event: &Value, limits: Limits) -> Result<Answer, HandlerFault> {
        let Ended { exit_code, stdout, stderr } = process::run(self.prepare()?, &event.to_string(), limits).await?;
        let answer = output::of_command(exit_code, &stdout, &stderr);
        if !stderr.is_empty() && !answer.as_ref().is_ok_and(|answer| answer.suppress_output) {
            let stderr = output::clean(&String::from_utf8_lossy(&stderr)).unwrap_or_default();
            tracing::debug!(handler, stderr, "a hook handler has written to its standard error");
        }
        answer
    }

    fn prepare(&self) -> Result<tokio::process::Command, HandlerFault> {
        // Resolved again, because a symbolic link may have been replaced since the configuration was read.
        let resolved = program::resolve(&self.program, &self.allowed)?;
        let mut command = tokio::process::Command::new(resolved);
        // Some programs look at the name by which they are called.
        command
            .arg0(&self.program)
            .args(&self.args)
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(dir) = &self.working_dir {
            command.current_dir(dir);
        }
        Ok(command)
    }
}
