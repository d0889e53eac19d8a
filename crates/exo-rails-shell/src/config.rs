//! The configuration of a rule set, as data.

use serde::{Deserialize, Serialize};

use crate::decision::{Caution, ShellDecision};
use crate::effect::{EffectKind, EffectPlace};
use crate::severity::Severity;

/// The configuration of a [`ShellRules`](crate::ShellRules).
///
/// The shipped policy is the base. Rules come before it, in both directions: they can stop what it allows, and allow what it stops.
///
/// ```
/// use exo_rails_shell::{ShellDecision, ShellRules};
///
/// let rules = ShellRules::new(toml::from_str(r#"
///     [[rule]]
///     name = "no-publish"
///     command = "cargo publish"
///     decision = "deny"
///     severity = "high"
///     reason = "releases are made by the pipeline"
///     match = ["cargo publish", "cd core && cargo --locked publish -p core"]
///     not_match = ["cargo build"]
///
///     [[rule]]
///     name = "preview-server"
///     effect = "sends"
///     object = "*.preview.example.com"
///     decision = "allow"
///     reason = "previews are ours"
/// "#)?)?;
/// assert_eq!(rules.judge("cargo publish").decision, ShellDecision::Deny);
/// assert_eq!(rules.judge("curl -d @log.txt https://a.preview.example.com").decision, ShellDecision::Allow);
/// assert_eq!(rules.judge("curl -d @log.txt https://b.example.org").decision, ShellDecision::Ask);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ShellConfig {
    /// The decision about a text that is not a bash program, or is beyond a limit. Default: `ask`.
    pub unreadable: Option<Caution>,
    /// The longest text that is read, in bytes. Default: 65,536.
    pub max_bytes: Option<usize>,
    /// What paths mean.
    pub places: ShellPlaces,
    /// The rules.
    pub rule: Vec<ShellRule>,
}

/// What paths mean in a rule set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ShellPlaces {
    /// The absolute path of the project, in which commands run. Without it, the project is the directory in which a text begins, and
    /// absolute paths are outside.
    pub working_directory: Option<String>,
    /// The home directory. Without it, directories such as `/home/NAME`, `/Users/NAME` and `/root` are homes.
    pub home: Option<String>,
    /// Further directories of temporary files. `/tmp`, `/var/tmp`, `/dev/shm` and those of macOS are known.
    pub temp: Vec<String>,
    /// Further names of directories that tools write and can write again. `target`, `node_modules`, `dist` and the like are known.
    pub build: Vec<String>,
}

/// A rule about commands, or about what they do.
///
/// A rule that only has `command` is about these commands as a whole. A rule with `effect`, `place` or `object` is about each effect for
/// which all of its conditions hold. If several rules match, one that denies decides. Otherwise, one with `command` decides. Otherwise,
/// the strictest decides.
///
/// - A rule that stops (`ask`, `deny`) matches a command in every spelling, and also what only may match: then it asks.
/// - A rule that lets commands run (`allow`, `notify`) matches only what is certain. It lifts questions and denials of the shipped policy about the
///   words that it names: the command, the options in the pattern, and all operands. It does not lift what another option adds, what a
///   redirection writes, or what a command inside does. So `git push` does not name `--force`. A pattern that is only a program, such as
///   `git`, names all of its words. Denials about the machine itself need [`lifts`](Self::lifts).
///
/// ```
/// use exo_rails_shell::{EffectKind, EffectPlace, ShellDecision, ShellRule, ShellRules};
///
/// let rules = ShellRules::builder()
///     .rule(ShellRule::deny("no-release", "people make releases").command(["just release", "just publish"]))
///     .rule(ShellRule::allow("scratch", "the agent may tidy up").effect([EffectKind::Deletes]).object(["~/scratch/*"]))
///     .rule(ShellRule::allow("database", "migrations are reviewed").command(["rails db:migrate"]))
///     .build()?;
/// assert_eq!(rules.judge("just test").decision, ShellDecision::Allow);
/// assert_eq!(rules.judge("cd docs && sudo just release").decision, ShellDecision::Deny);
/// assert_eq!(rules.judge("rm ~/scratch/a.txt").decision, ShellDecision::Allow);
/// assert_eq!(rules.judge("rm ~/scratch/../b.txt").decision, ShellDecision::Ask);
/// # Ok::<(), exo_rails_shell::ShellConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShellRule {
    /// The name, which findings and explanations show.
    pub name: String,
    /// Commands by their first words, such as `git push` or `tar -xzf *`. An option stands for all of its spellings, at every
    /// place. `*` in a word is any characters, and `-*` is all options.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub command: Vec<String>,
    /// What is done, such as `deletes` or `sends`.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub effect: Vec<EffectKind>,
    /// Where it is done, such as `home` or `credentials`.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub place: Vec<EffectPlace>,
    /// Patterns of the object of an effect: a path from the project, a path with `~` or `/` in front, a host. `*` is any characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub object: Vec<String>,
    /// The decision.
    pub decision: ShellDecision,
    /// How serious a match is. Default: `medium`.
    #[serde(default = "medium")]
    pub severity: Severity,
    /// Why, for people and for the model.
    pub reason: String,
    /// The danger that a rule with `allow` or `notify` accepts. Without it, the rule lifts no denial about the root, devices, the machine or
    /// sent credentials.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub lifts: Vec<Protected>,
    /// Commands that the rule must match. They are checked when the rule set is built.
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub matches: Vec<String>,
    /// Commands that the rule must not match, also not in a part that is not known. They are checked when the rule set is built.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub not_match: Vec<String>,
}

/// What a denial of the shipped policy protects, if only a rule that names it can lift the denial.
///
/// ```
/// use exo_rails_shell::{Protected, ShellDecision, ShellRule, ShellRules};
///
/// let flash = || ShellRule::allow("flash", "the agent flashes boards").command(["dd"]);
/// let decision = |rule: ShellRule| {
///     let rules = ShellRules::builder().rule(rule).build()?;
///     Ok::<_, exo_rails_shell::ShellConfigError>(rules.judge("dd if=board.img of=/dev/sdb").decision)
/// };
/// assert_eq!(decision(flash())?, ShellDecision::Deny);
/// assert_eq!(decision(flash().lifts([Protected::Devices]))?, ShellDecision::Allow);
/// # Ok::<(), exo_rails_shell::ShellConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Protected {
    /// The root of the file system, and the directories in it.
    Root,
    /// The devices of the machine.
    Devices,
    /// The machine itself: it is stopped, or destroyed.
    Machine,
    /// Credentials that a command sends to a host.
    SentCredentials,
}

impl Protected {
    /// Returns the name in configuration files, such as `devices`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Devices => "devices",
            Self::Machine => "machine",
            Self::SentCredentials => "sent-credentials",
        }
    }
}

const fn medium() -> Severity {
    Severity::Medium
}

/// Reads one value, or a list of values.
fn one_or_many<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    struct OneOrMany<T>(std::marker::PhantomData<T>);

    impl<'de, T: Deserialize<'de>> serde::de::Visitor<'de> for OneOrMany<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a text or a list of texts")
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Vec<T>, E> {
            T::deserialize(serde::de::value::StrDeserializer::new(text)).map(|value| vec![value])
        }

        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            let mut values = Vec::new();
            while let Some(value) = list.next_element()? {
                values.push(value);
            }
            Ok(values)
        }
    }

    deserializer.deserialize_any(OneOrMany(std::marker::PhantomData))
}

macro_rules! list_setters {
    ($($(#[doc = $doc:literal])* $name:ident: $type:ty;)*) => {
        $($(#[doc = $doc])*
        #[must_use]
        pub fn $name<T: Into<$type>>(mut self, values: impl IntoIterator<Item = T>) -> Self {
            self.$name.extend(values.into_iter().map(Into::into));
            self
        })*
    };
}

impl ShellRule {
    /// Makes a rule without conditions. Add at least one of [`command`](Self::command), [`effect`](Self::effect),
    /// [`place`](Self::place) and [`object`](Self::object).
    #[must_use]
    pub fn new(name: impl Into<String>, decision: ShellDecision, reason: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            command: Vec::new(),
            effect: Vec::new(),
            place: Vec::new(),
            object: Vec::new(),
            decision,
            severity: Severity::Medium,
            reason: reason.into(),
            lifts: Vec::new(),
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

    /// Makes a rule that lets commands run.
    #[must_use]
    pub fn allow(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::new(name, ShellDecision::Allow, reason)
    }

    /// Sets the severity. Default: [`Severity::Medium`].
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    list_setters! {
        /// Adds commands by their first words.
        command: String;
        /// Adds kinds of effects.
        effect: EffectKind;
        /// Adds places.
        place: EffectPlace;
        /// Adds patterns of objects.
        object: String;
        /// Adds what the rule may endanger.
        lifts: Protected;
        /// Adds commands that the rule must match.
        matches: String;
        /// Adds commands that the rule must not match.
        not_match: String;
    }
}
