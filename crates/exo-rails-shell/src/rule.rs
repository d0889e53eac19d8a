//! Rules of people, ready to match.

use std::sync::Arc;

use crate::command::ShellCommand;
use crate::command_pattern::CommandPattern;
use crate::config::ShellRule;
use crate::effect::Effect;
use crate::error::ShellConfigError;
use crate::pattern::{Holds, glob};
use crate::word::marked;

#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) name: Arc<str>,
    pub(crate) reason: Arc<str>,
    commands: Vec<CommandPattern>,
    pub(crate) config: ShellRule,
}

impl Rule {
    pub(crate) fn new(config: ShellRule) -> Result<Self, ShellConfigError> {
        let name = &config.name;
        if name.is_empty() {
            return Err(ShellConfigError::new("a rule has an empty name").in_key("rule"));
        }
        let error =
            |key: &str, message: String| Err(ShellConfigError::new(message).in_key(format_args!("rule.{name}.{key}")));
        if config.command.is_empty() && !is_about_effects(&config) {
            let message = "the rule is about nothing: write `command`, `effect`, `place` or `object`";
            return Err(ShellConfigError::new(message).in_key(format_args!("rule.{name}")));
        }
        if !config.lifts.is_empty() && !config.decision.passes() {
            return error("lifts", "only a rule with `allow` or `notify` lifts a denial: remove the key".to_owned());
        }
        let mut commands = Vec::new();
        for command in &config.command {
            match CommandPattern::new(command) {
                Ok(pattern) => commands.push(pattern),
                Err(message) => return error("command", message),
            }
        }
        Ok(Self { name: name.as_str().into(), reason: config.reason.as_str().into(), commands, config })
    }

    /// Returns whether the rule is about commands as a whole, and not about their effects.
    pub(crate) fn is_about_commands(&self) -> bool {
        !is_about_effects(&self.config)
    }

    /// Returns whether a rule that stops is about a command.
    pub(crate) fn catches(&self, command: &ShellCommand) -> Holds {
        Holds::any(self.commands.iter().map(|pattern| pattern.catches(command)))
    }

    /// Returns whether the rule is about an effect of a command.
    pub(crate) fn matches(&self, effect: &Effect, command: Option<&ShellCommand>) -> Holds {
        let ShellRule { effect: kinds, place: places, object: objects, decision, .. } = &self.config;
        let is_kind = kinds.is_empty() || kinds.contains(&effect.kind);
        let is_place = places.is_empty() || effect.place.is_some_and(|place| places.contains(&place));
        if !is_kind || !is_place {
            return Holds::No;
        }
        let object = if objects.is_empty() {
            Holds::Yes
        } else {
            let object = marked(&effect.object);
            Holds::any(objects.iter().map(|pattern| glob(pattern.strip_prefix("./").unwrap_or(pattern), &object)))
        };
        let command = match command {
            _ if self.commands.is_empty() => Holds::Yes,
            None => Holds::No,
            Some(command) if decision.passes() => {
                let names = self.commands.iter().any(|pattern| pattern.names(command, &effect.span));
                if names { Holds::Yes } else { Holds::No }
            }
            Some(command) => self.catches(command),
        };
        let holds = object.min(command);
        // A rule that lets commands run needs to be certain.
        if decision.passes() && holds < Holds::Yes { Holds::No } else { holds }
    }
}

fn is_about_effects(config: &ShellRule) -> bool {
    !config.effect.is_empty() || !config.place.is_empty() || !config.object.is_empty()
}
