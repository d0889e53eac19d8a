//! The configuration of a rule set: rules about commands, and what programs are like, as data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::decision::{Caution, ShellDecision};
use crate::severity::Severity;

/// The configuration of a [`ShellRules`](super::ShellRules).
///
/// What a configuration does not set comes from the [shipped rule set](super::DEFAULT_RULES). Its lists are added to those of
/// the shipped rule set.
///
/// ```
/// use exo_rails_shell::{ShellDecision, ShellRules};
///
/// let rules = ShellRules::new(toml::from_str(r#"
///     unlisted = "ask"
///     known = ["frobnicate"]
///
///     [[rule]]
///     name = "no-publish"
///     program = ["cargo"]
///     subcommand = ["publish"]
///     decision = "deny"
///     severity = "high"
///     reason = "releases are made by the pipeline"
///     match = ["cargo publish", "cargo --locked publish -p core"]
///     not_match = ["cargo build"]
/// "#)?)?;
/// assert_eq!(rules.judge("cargo publish").decision, ShellDecision::Deny);
/// assert_eq!(rules.judge("frobnicate --all").decision, ShellDecision::Allow);
/// assert_eq!(rules.judge("other-program").decision, ShellDecision::Ask);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ShellConfig {
    /// Whether the shipped rule set is the base. Without it, a rule set has only what this configuration says. Default: `true`.
    pub shipped: bool,
    /// The decision about a program that neither `known` nor a `program` table names. The shipped rule set notifies, and asks
    /// where the arguments look like harm.
    pub unlisted: Option<ShellDecision>,
    /// The same for a program of the project: a path to a file in the project, such as `./build.sh`. The shipped rule set notifies.
    pub project: Option<ShellDecision>,
    /// The decision where a command depends on something that is not known before it runs. The shipped rule set asks.
    pub unknown: Option<Caution>,
    /// Whether an unknown word such as `"$x"` may also be an option with its value, as in `--output=/etc/hosts`, and whether
    /// unknown parts also matter to rules with `if_unknown = "ignore"`. The shipped rule set is not strict: it takes such a word for an operand
    /// or for an option without a value.
    pub strict: Option<bool>,
    /// The decision about a text that is not a bash program, or is beyond a limit. The shipped rule set asks.
    pub unreadable: Option<Caution>,
    /// The longest text that is read, in bytes. The shipped rule set reads 65,536.
    pub max_bytes: Option<usize>,
    /// What paths mean.
    pub places: ShellPlaces,
    /// Programs that no rule has to name to run them without a question.
    pub known: Vec<String>,
    /// What programs are like: which options have values, and how they run other programs.
    pub program: Vec<ProgramConfig>,
    /// The languages in which programs take code, such as `python -c`. The keys are names for `language` of a program.
    pub language: BTreeMap<String, LanguageConfig>,
    /// The rules.
    pub rule: Vec<ShellRule>,
}

impl Default for ShellConfig {
    fn default() -> Self {
        Self {
            shipped: true,
            unlisted: None,
            project: None,
            unknown: None,
            strict: None,
            unreadable: None,
            max_bytes: None,
            places: ShellPlaces::default(),
            known: Vec::new(),
            program: Vec::new(),
            language: BTreeMap::new(),
            rule: Vec::new(),
        }
    }
}

/// What paths mean in a rule set.
///
/// Rules name places as operands: see [`ShellRule::operands`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ShellPlaces {
    /// The absolute path of the project, in which commands run. Without it, only relative paths are inside of the project.
    pub working_directory: Option<String>,
    /// The home directory. Without it, directories such as `/home/NAME`, `/Users/NAME` and `/root` are homes.
    pub home: Option<String>,
    /// Directories of temporary files.
    pub temp: Vec<String>,
    /// Names of directories that tools write and can write again, such as `target`.
    pub build: Vec<String>,
}

/// A rule about commands.
///
/// A rule matches a command if all conditions that it has hold. When a condition depends on a part of the command that is not
/// known before it runs, the rule may match; then the rule set takes the decision [`unknown`](ShellConfig::unknown), unless the
/// rule says otherwise.
///
/// A redirection is a command for rules: its program is `>` or `<`, and its operand is the path. An assignment is a command
/// with the program `=` and the argument `NAME=value`.
///
/// ```
/// use exo_rails_shell::Severity;
/// use exo_rails_shell::{ShellRules, ShellRule, ShellDecision};
///
/// let rule = ShellRule::deny("no-release", "people make releases")
///     .program(["just"])
///     .subcommand(["release", "publish"])
///     .severity(Severity::High);
/// let rules = ShellRules::builder().rule(rule).build()?;
/// assert_eq!(rules.judge("just test").decision, ShellDecision::Allow);
/// assert_eq!(rules.judge("cd docs && just release").decision, ShellDecision::Deny);
/// # Ok::<(), exo_rails_shell::ShellConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShellRule {
    /// The name, which findings and explanations show.
    pub name: String,
    /// The programs, by their names without directories. `*` is all programs, and `?` those that the rule set does not name.
    pub program: Vec<String>,
    /// Subcommands: the first operands. A subcommand of several words is one text: `stash drop`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subcommand: Vec<String>,
    /// Options of which the command has at least one. `-f` is also found in `-rf`, and `--force` in `--force=true` and `--forc`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
    /// Further options of which the command has at least one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub and_flags: Vec<String>,
    /// Options of which the command has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_flags: Vec<String>,
    /// Options with values of which the command has at least one, each as `-c=alias.*`: the option, and a pattern of the value
    /// as in `operands`, which does not distinguish upper and lower case. `-c x`, `-cx`, `--config x` and `--config=x` are the
    /// ways to give a value; the [`values`](ProgramConfig::values) of the program say which options have one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// Options with values, as in `values`, that do not count for `values`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except_values: Vec<String>,
    /// Whether `flags` and `values` count only in front of the first operand: those of `git` and not those of `git log`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub leading: bool,
    /// Patterns of which at least one matches an operand. `*` matches any characters, `?` one, and `~` at the start is the home
    /// directory. A pattern that begins with `@` is a place:
    ///
    /// | pattern | place |
    /// |---|---|
    /// | `@inside` | in the project, but none of the next three |
    /// | `@build` | a build directory of the project, or in one |
    /// | `@project` | the whole project, or everything in it, such as `.` and `*` |
    /// | `@git` | the repository's own directory, `.git` |
    /// | `@temp` | in a directory of temporary files |
    /// | `@home` | the home directory itself, or everything in it |
    /// | `@home-file` | in the home directory |
    /// | `@system` | a directory of the system, such as `/etc` |
    /// | `@root` | `/`, or a directory in it |
    /// | `@device` | a device file |
    /// | `@null` | `/dev/null`, the terminal, or an open file of the process |
    /// | `@outside` | any other path outside of the project |
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<String>,
    /// Patterns of operands that do not count for `operands`. Without `operands`, all other operands match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except_operands: Vec<String>,
    /// Patterns of which at least one matches an argument of any kind, or a here-document that the command reads. They do not
    /// distinguish upper and lower case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// How many of the first operands can match `arguments` if they are unknown. Without it, all words can. The subcommands of
    /// `aws` are its first two operands: the unknown name in `aws s3api get-object "$name"` is not one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deciding: Option<usize>,
    /// Patterns of which none matches an argument.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_arguments: Vec<String>,
    /// How many operands the command has at least, with its subcommand.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub min_operands: usize,
    /// How many operands the command has at most, with its subcommand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_operands: Option<usize>,
    /// Programs of which at least one writes what the command reads, in the same pipeline.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub input_from: Vec<String>,
    /// The decision.
    pub decision: ShellDecision,
    /// How serious a match is.
    #[serde(default = "medium")]
    pub severity: Severity,
    /// Why, for people and for the model.
    pub reason: String,
    /// What an unknown part of a command does to the rule.
    #[serde(default)]
    pub if_unknown: IfUnknown,
    /// Commands that the rule must match. They are checked when the rule set is built.
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    /// Commands that the rule must not match, not even perhaps. They are checked when the rule set is built.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_match: Vec<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

fn medium() -> Severity {
    Severity::Medium
}

macro_rules! list_setters {
    ($($(#[doc = $doc:literal])* $name:ident => $field:ident;)*) => {
        $($(#[doc = $doc])*
        #[must_use]
        pub fn $name<T: Into<String>>(mut self, values: impl IntoIterator<Item = T>) -> Self {
            self.$field.extend(values.into_iter().map(Into::into));
            self
        })*
    };
}

impl ShellRule {
    /// Makes a rule without conditions. Add the programs with [`program`](Self::program).
    #[must_use]
    pub fn new(name: impl Into<String>, decision: ShellDecision, reason: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            program: Vec::new(),
            subcommand: Vec::new(),
            flags: Vec::new(),
            and_flags: Vec::new(),
            without_flags: Vec::new(),
            values: Vec::new(),
            except_values: Vec::new(),
            leading: false,
            deciding: None,
            operands: Vec::new(),
            except_operands: Vec::new(),
            arguments: Vec::new(),
            without_arguments: Vec::new(),
            min_operands: 0,
            max_operands: None,
            input_from: Vec::new(),
            decision,
            severity: Severity::Medium,
            reason: reason.into(),
            if_unknown: IfUnknown::default(),
            matches: Vec::new(),
            not_match: Vec::new(),
        }
    }

    /// Makes a rule that denies.
    #[must_use]
    pub fn deny(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::new(name, ShellDecision::Deny, reason)
    }

    /// Makes a rule that asks.
    #[must_use]
    pub fn ask(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::new(name, ShellDecision::Ask, reason)
    }

    /// Sets the severity. Default: [`Severity::Medium`].
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    list_setters! {
        /// Adds programs.
        program => program;
        /// Adds subcommands.
        subcommand => subcommand;
        /// Adds options of which the command must have one.
        flags => flags;
        /// Adds patterns of operands.
        operands => operands;
        /// Adds patterns of arguments.
        arguments => arguments;
        /// Adds commands that the rule must match.
        matches => matches;
        /// Adds commands that the rule must not match.
        not_match => not_match;
    }
}

/// What a part of a command that is not known before it runs does to a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IfUnknown {
    /// The rule set takes the decision [`unknown`](ShellConfig::unknown) if the unknown part may make the rule match. Rules that
    /// allow or notify do not match.
    #[default]
    Decide,
    /// The rule does not match, unless the rule set is [`strict`](ShellConfig::strict). This is for rules that know a few names
    /// among many harmless ones, such as files with secrets.
    Ignore,
}

/// What a program is like.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a key of the configuration")]
pub struct ProgramConfig {
    /// The names of the program.
    pub name: Vec<String>,
    /// Options whose value is the next argument.
    pub values: Vec<String>,
    /// What the program runs.
    pub runs: Runs,
    /// Subcommands behind which the command stands that the program runs: `run` of `uv run`. Without any, it stands behind
    /// the options.
    pub subcommands: Vec<String>,
    /// How many operands stand in front of what the program runs.
    pub skip: usize,
    /// Whether `NAME=value` may stand in front of what the program runs.
    pub assignments: bool,
    /// Whether the program downloads what it runs. A program that the rule set does not name is then unknown.
    pub downloads: bool,
    /// Whether the program adds arguments to what it runs, from its input.
    pub appends: bool,
    /// Options whose value stands for such an argument: `-I` of `xargs`. The value `{}` always does.
    pub placeholders: Vec<String>,
    /// Options whose value is a file that the program writes with content from elsewhere. For a program with such options, a
    /// file with the last name of an operand counts too.
    pub fetches: Vec<String>,
    /// Options whose value is a file or a directory to which the program writes. The rules about `>` judge it.
    pub outputs: Vec<String>,
    /// Whether the operands are files that the program writes. The rules about `>` judge them.
    pub writes: bool,
    /// Whether the last operand is a file or a directory to which the program writes, unless an option of `outputs` names one:
    /// `cp`. The rules about `>` judge it.
    pub writes_last: bool,
    /// Options after which the program only looks something up, and runs nothing.
    pub looks_up: Vec<String>,
    /// Options whose value is the name of a module, which runs with the arguments behind it: `-m` of `python`. If the rule set has
    /// rules about a program of this name, they judge it.
    pub modules: Vec<String>,
    /// Options whose value is a shell program.
    pub text_options: Vec<String>,
    /// Options after which a command follows, until `;` or `+`.
    pub exec_options: Vec<String>,
    /// The language of the code that the program takes: a key of [`ShellConfig::language`].
    pub language: Option<String>,
    /// Options whose value is code.
    pub code_options: Vec<String>,
    /// Whether the first operand is code, if none of `code_options` is present.
    pub code_operand: bool,
}

/// What a program runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Runs {
    /// Nothing, or only what its options say.
    #[default]
    Nothing,
    /// Its operands are a command: `sudo`.
    Command,
    /// Its operands, with spaces between them, are a shell program: `eval`.
    Text,
    /// Its first operand is a shell program: `trap`.
    First,
    /// Each of its operands is a shell program: `hyperfine`.
    Each,
    /// Its first operand is a file with a program. Without operands, its input is the program: `bash`.
    Script,
}

/// A language in which programs take code.
///
/// Code passes when it has no effect outside of the program: all functions, methods and modules that it names are listed here.
/// All other code is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LanguageConfig {
    /// Names without effects outside of the program: functions, methods and modules.
    pub harmless: Vec<String>,
    /// Names that are never values, because other code can call them: `eval`.
    pub never: Vec<String>,
    /// Names behind which modules are named, such as `import`.
    pub imports: Vec<String>,
    /// What begins a comment.
    pub comments: Vec<String>,
    /// Characters around texts.
    pub quotes: String,
    /// Texts that code must not have outside of its texts, such as the backquote of perl.
    pub refused: Vec<String>,
    /// What begins code in a text, and what ends it: `${` and `}`.
    pub interpolation: Option<(String, String)>,
    /// Whether `/…/` is a pattern.
    pub patterns: bool,
    /// Whether names that are neither called nor methods are values, and pass. Otherwise all names must be harmless.
    pub values: bool,
    /// Functions behind which `>` writes to a file.
    pub printing: Vec<String>,
}
