//! A rule set, checked and indexed.

use std::collections::{BTreeSet, HashMap};

use exo_rails_text::names::advice;

use super::config::{LanguageConfig, ProgramConfig, ShellConfig};
use super::decision::ShellDecision;
use super::lexer::Limits;
use super::matching::Rule;
use super::place::Places;
use super::shipped::table::{self, BASE};
use super::shipped::{self, Base, Named};
use crate::error::ShellConfigError;

#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) unlisted: ShellDecision,
    pub(super) project: ShellDecision,
    pub(super) strict: bool,
    pub(super) unknown: ShellDecision,
    pub(super) unreadable: ShellDecision,
    pub(super) max_bytes: usize,
    pub(super) limits: Limits,
    pub(super) places: Places,
    /// Whether the shipped rule set is the base. Its items have the first numbers, and those below the next ones.
    pub(super) shipped: bool,
    pub(super) programs: Vec<ProgramConfig>,
    pub(super) languages: HashMap<String, LanguageConfig>,
    /// The programs that the configuration names, with what the shipped rule set has about them.
    pub(super) names: HashMap<String, Named>,
    pub(super) rules: Vec<Rule>,
}

impl ProgramConfig {
    /// Counts the options with code among those with a value.
    pub(super) fn with_all_values(mut self) -> Self {
        let code = self.code_options.iter().chain(&self.text_options).chain(&self.placeholders).chain(&self.fetches);
        let code = code.chain(self.outputs.iter().filter(|option| option.starts_with('-'))).chain(&self.modules);
        let code: Vec<String> = code.filter(|option| !self.values.contains(option)).cloned().collect();
        self.values.extend(code);
        self
    }
}

impl Compiled {
    pub(super) fn new(config: ShellConfig) -> Result<Self, ShellConfigError> {
        let base = if config.shipped { BASE } else { Base::NONE };
        let (first_program, first_rule) =
            if config.shipped { (table::PROGRAMS.len(), table::RULES.len()) } else { (0, 0) };
        let mut names: HashMap<String, Named> = HashMap::new();
        let of_shipped = |name: &str| shipped::named(name).filter(|_| config.shipped).cloned().unwrap_or_default();
        for name in &config.known {
            names.entry(name.clone()).or_insert_with(|| of_shipped(name)).known = true;
        }
        for (number, program) in config.program.iter().enumerate() {
            check_language(program, &config)?;
            for name in &program.name {
                let entry = names.entry(name.clone()).or_insert_with(|| of_shipped(name));
                entry.known = true;
                // The first table of a name counts. Those of the shipped rule set come last.
                if entry.program.is_none_or(|program| program < first_program) {
                    entry.program = Some(first_program + number);
                }
            }
        }
        let mut rules = Vec::new();
        for rule in config.rule {
            let key = format!("rule.{}", rule.name);
            if rule.name.is_empty() {
                return Err(ShellConfigError::new("a rule has an empty name").in_key("rule"));
            }
            if rule.program.is_empty() {
                return Err(ShellConfigError::new(
                    "the rule has no program: write the names of programs, or `*` for all",
                )
                .in_key(key));
            }
            for name in &rule.program {
                let entry = names.entry(name.clone()).or_insert_with(|| of_shipped(name));
                // A rule that denies must not make the rest of a program known: it would allow more.
                entry.known |= rule.decision == ShellDecision::Allow;
                entry.rules.to_mut().push(first_rule + rules.len());
            }
            rules.push(Rule::new(rule).map_err(|message| ShellConfigError::new(message).in_key(key))?);
        }
        let unslash = |path: String| path.trim_end_matches('/').to_owned();
        let with = |base: &'static [&str], own: Vec<String>| base.iter().map(|&text| text.to_owned()).chain(own);
        Ok(Self {
            unlisted: config.unlisted.or(base.unlisted).unwrap_or(ShellDecision::Ask),
            project: config.project.or(base.project).unwrap_or(ShellDecision::Ask),
            strict: config.strict.or(base.strict).unwrap_or(false),
            unknown: config.unknown.or(base.unknown).unwrap_or_default().into(),
            unreadable: config.unreadable.or(base.unreadable).unwrap_or_default().into(),
            max_bytes: config.max_bytes.or(base.max_bytes).unwrap_or(65_536),
            limits: Limits { depth: 16, nesting: 32, tokens: 4_096, braces: 64 },
            places: Places {
                project: config.places.working_directory.map(unslash).filter(|path| !path.is_empty()),
                home: config.places.home.map(unslash).filter(|path| !path.is_empty()),
                temp: with(base.temp, config.places.temp).map(unslash).filter(|path| !path.is_empty()).collect(),
                build: with(base.build, config.places.build).collect(),
            },
            shipped: config.shipped,
            programs: config.program.into_iter().map(ProgramConfig::with_all_values).collect(),
            languages: config.language.into_iter().collect(),
            names,
            rules,
        })
    }

    /// Makes a rule set that denies everything: what is left of a shipped rule set that cannot be read.
    pub(super) fn closed(error: &ShellConfigError) -> Self {
        tracing::error!(%error, "the shipped rules for shell commands cannot be read");
        Self {
            unlisted: ShellDecision::Deny,
            project: ShellDecision::Deny,
            strict: true,
            unknown: ShellDecision::Deny,
            unreadable: ShellDecision::Deny,
            max_bytes: 0,
            limits: Limits { depth: 0, nesting: 0, tokens: 0, braces: 0 },
            places: Places::default(),
            shipped: false,
            programs: Vec::new(),
            languages: HashMap::new(),
            names: HashMap::new(),
            rules: Vec::new(),
        }
    }

    /// Finds what the rule set says about a program. Tries the name as it is written. Then ignores case and `.exe`, because some file
    /// systems do not distinguish case. Then also ignores the number of a version at the end.
    pub(super) fn named(&self, name: &str) -> Option<&Named> {
        if let Some(found) = self.exactly(name) {
            return Some(found);
        }
        let lower = name.to_ascii_lowercase();
        let lower = lower.strip_suffix(".exe").unwrap_or(&lower);
        self.exactly(lower).or_else(|| {
            let base = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
            self.exactly(base).filter(|_| !base.is_empty())
        })
    }

    /// Finds what the rule set says about a program of exactly this name.
    pub(super) fn exactly(&self, name: &str) -> Option<&Named> {
        self.names.get(name).or_else(|| shipped::named(name).filter(|_| self.shipped))
    }

    /// Returns a rule by its number.
    pub(super) fn rule(&self, number: usize) -> Option<&Rule> {
        let first = if self.shipped { table::RULES.len() } else { 0 };
        match number.checked_sub(first) {
            Some(own) => self.rules.get(own),
            None => shipped::rule(number),
        }
    }

    /// Returns what a program is like, by its number.
    pub(super) fn program(&self, number: usize) -> Option<&ProgramConfig> {
        let first = if self.shipped { table::PROGRAMS.len() } else { 0 };
        match number.checked_sub(first) {
            Some(own) => self.programs.get(own),
            None => shipped::program(number),
        }
    }

    /// Returns a language by its name.
    pub(super) fn language(&self, name: &str) -> Option<&LanguageConfig> {
        self.languages.get(name).or_else(|| shipped::language(name).filter(|_| self.shipped))
    }
}

/// Checks that there is a language with the name that a program has.
fn check_language(program: &ProgramConfig, config: &ShellConfig) -> Result<(), ShellConfigError> {
    let mut known: BTreeSet<&str> = config.language.keys().map(String::as_str).collect();
    if config.shipped {
        for name in shipped::languages() {
            known.insert(name);
        }
    }
    let Some(language) = program.language.as_deref().filter(|language| !known.contains(language)) else {
        return Ok(());
    };
    let known: Vec<&str> = known.into_iter().collect();
    let advice = advice(language, &known);
    let place = format!("program.{}.language", program.name.first().map_or("", String::as_str));
    Err(ShellConfigError::new(format!("unknown language `{language}`: {advice}")).in_key(place))
}
