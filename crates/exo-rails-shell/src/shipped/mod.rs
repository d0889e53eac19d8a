//! The shipped rule set, as it is in the program.
//!
//! The text of the rule set, [`DEFAULT_RULES`](super::DEFAULT_RULES), is for people. Reading it would take a program longer than
//! judging a hundred commands. So the file `table.rs` has the same as constants, without the examples, and a test writes it. A rule set
//! finds a program in the sorted names, and makes a rule, a program or a language at the first command that needs it. All rule
//! sets of a process share them.

pub(crate) mod table;

use std::borrow::Cow;
use std::sync::OnceLock;

use self::table::{LANGUAGES, NAMES, PROGRAMS, RULES};
use super::config::{IfUnknown, LanguageConfig, ProgramConfig, Runs, ShellRule};
use super::decision::{Caution, ShellDecision};
use super::matching::Rule;
use super::severity::Severity;

type Texts = &'static [&'static str];

/// What the rule set has about one program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    pub(crate) known: bool,
    /// The number of the program in the table of programs.
    pub(crate) program: Option<usize>,
    /// The numbers of the rules.
    pub(crate) rules: Cow<'static, [usize]>,
}

/// What is not about a single program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base {
    pub(crate) unlisted: Option<ShellDecision>,
    pub(crate) project: Option<ShellDecision>,
    pub(crate) strict: Option<bool>,
    pub(crate) unknown: Option<Caution>,
    pub(crate) unreadable: Option<Caution>,
    pub(crate) max_bytes: Option<usize>,
    pub(crate) temp: Texts,
    pub(crate) build: Texts,
}

impl Base {
    /// That of a rule set without the shipped one.
    pub(crate) const NONE: Self = Self {
        unlisted: None,
        project: None,
        strict: None,
        unknown: None,
        unreadable: None,
        max_bytes: None,
        temp: &[],
        build: &[],
    };
}

/// A rule: see [`ShellRule`]. It has no examples.
#[derive(Debug)]
pub(crate) struct ShippedRule {
    pub(crate) name: &'static str,
    pub(crate) program: Texts,
    pub(crate) subcommand: Texts,
    pub(crate) flags: Texts,
    pub(crate) and_flags: Texts,
    pub(crate) without_flags: Texts,
    pub(crate) values: Texts,
    pub(crate) except_values: Texts,
    pub(crate) leading: bool,
    pub(crate) operands: Texts,
    pub(crate) except_operands: Texts,
    pub(crate) arguments: Texts,
    pub(crate) deciding: Option<usize>,
    pub(crate) without_arguments: Texts,
    pub(crate) min_operands: usize,
    pub(crate) max_operands: Option<usize>,
    pub(crate) input_from: Texts,
    pub(crate) decision: ShellDecision,
    pub(crate) severity: Severity,
    pub(crate) reason: &'static str,
    pub(crate) if_unknown: IfUnknown,
}

impl ShippedRule {
    /// A rule without conditions.
    pub(crate) const NONE: Self = Self {
        name: "",
        program: &[],
        subcommand: &[],
        flags: &[],
        and_flags: &[],
        without_flags: &[],
        values: &[],
        except_values: &[],
        leading: false,
        operands: &[],
        except_operands: &[],
        arguments: &[],
        deciding: None,
        without_arguments: &[],
        min_operands: 0,
        max_operands: None,
        input_from: &[],
        decision: ShellDecision::Deny,
        severity: Severity::Medium,
        reason: "",
        if_unknown: IfUnknown::Decide,
    };

    fn config(&self) -> ShellRule {
        ShellRule {
            program: list(self.program),
            subcommand: list(self.subcommand),
            flags: list(self.flags),
            and_flags: list(self.and_flags),
            without_flags: list(self.without_flags),
            values: list(self.values),
            except_values: list(self.except_values),
            leading: self.leading,
            operands: list(self.operands),
            except_operands: list(self.except_operands),
            arguments: list(self.arguments),
            deciding: self.deciding,
            without_arguments: list(self.without_arguments),
            min_operands: self.min_operands,
            max_operands: self.max_operands,
            input_from: list(self.input_from),
            severity: self.severity,
            if_unknown: self.if_unknown,
            ..ShellRule::new(self.name, self.decision, self.reason)
        }
    }
}

/// What a program is like: see [`ProgramConfig`].
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a key of the configuration")]
pub(crate) struct ShippedProgram {
    pub(crate) name: Texts,
    pub(crate) values: Texts,
    pub(crate) runs: Runs,
    pub(crate) subcommands: Texts,
    pub(crate) skip: usize,
    pub(crate) assignments: bool,
    pub(crate) downloads: bool,
    pub(crate) appends: bool,
    pub(crate) placeholders: Texts,
    pub(crate) fetches: Texts,
    pub(crate) outputs: Texts,
    pub(crate) writes: bool,
    pub(crate) writes_last: bool,
    pub(crate) looks_up: Texts,
    pub(crate) modules: Texts,
    pub(crate) text_options: Texts,
    pub(crate) exec_options: Texts,
    pub(crate) language: Option<&'static str>,
    pub(crate) code_options: Texts,
    pub(crate) code_operand: bool,
}

impl ShippedProgram {
    pub(crate) const NONE: Self = Self {
        name: &[],
        values: &[],
        runs: Runs::Nothing,
        subcommands: &[],
        skip: 0,
        assignments: false,
        downloads: false,
        appends: false,
        placeholders: &[],
        fetches: &[],
        outputs: &[],
        writes: false,
        writes_last: false,
        looks_up: &[],
        modules: &[],
        text_options: &[],
        exec_options: &[],
        language: None,
        code_options: &[],
        code_operand: false,
    };

    fn config(&self) -> ProgramConfig {
        ProgramConfig {
            name: list(self.name),
            values: list(self.values),
            runs: self.runs,
            subcommands: list(self.subcommands),
            skip: self.skip,
            assignments: self.assignments,
            downloads: self.downloads,
            appends: self.appends,
            placeholders: list(self.placeholders),
            fetches: list(self.fetches),
            outputs: list(self.outputs),
            writes: self.writes,
            writes_last: self.writes_last,
            looks_up: list(self.looks_up),
            modules: list(self.modules),
            text_options: list(self.text_options),
            exec_options: list(self.exec_options),
            language: self.language.map(str::to_owned),
            code_options: list(self.code_options),
            code_operand: self.code_operand,
        }
    }
}

/// A language: see [`LanguageConfig`].
#[derive(Debug)]
pub(crate) struct ShippedLanguage {
    pub(crate) name: &'static str,
    pub(crate) harmless: Texts,
    pub(crate) never: Texts,
    pub(crate) imports: Texts,
    pub(crate) comments: Texts,
    pub(crate) quotes: &'static str,
    pub(crate) refused: Texts,
    pub(crate) interpolation: Option<(&'static str, &'static str)>,
    pub(crate) patterns: bool,
    pub(crate) values: bool,
    pub(crate) printing: Texts,
}

impl ShippedLanguage {
    pub(crate) const NONE: Self = Self {
        name: "",
        harmless: &[],
        never: &[],
        imports: &[],
        comments: &[],
        quotes: "",
        refused: &[],
        interpolation: None,
        patterns: false,
        values: false,
        printing: &[],
    };

    fn config(&self) -> LanguageConfig {
        LanguageConfig {
            harmless: list(self.harmless),
            never: list(self.never),
            imports: list(self.imports),
            comments: list(self.comments),
            quotes: self.quotes.to_owned(),
            refused: list(self.refused),
            interpolation: self.interpolation.map(|(begin, end)| (begin.to_owned(), end.to_owned())),
            patterns: self.patterns,
            values: self.values,
            printing: list(self.printing),
        }
    }
}

fn list(texts: Texts) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

/// Returns what the rule set has about a program of this name.
pub(crate) fn named(name: &str) -> Option<&'static Named> {
    let found = NAMES.binary_search_by(|(other, _)| (*other).cmp(name)).ok()?;
    Some(&NAMES[found].1)
}

/// Returns a rule. `None` if there is no rule with this number.
pub(crate) fn rule(number: usize) -> Option<&'static Rule> {
    static MADE: [OnceLock<Rule>; RULES.len()] = [const { OnceLock::new() }; RULES.len()];
    let shipped = RULES.get(number)?;
    // A test makes each rule as it is in the table. A rule that could not be made has no conditions, so it matches more.
    let make = || {
        Rule::new(shipped.config()).unwrap_or_else(|_| {
            Rule::without_conditions(ShellRule::new(shipped.name, shipped.decision, shipped.reason))
        })
    };
    Some(MADE[number].get_or_init(make))
}

/// Returns what a program is like. `None` if there is no program with this number.
pub(crate) fn program(number: usize) -> Option<&'static ProgramConfig> {
    static MADE: [OnceLock<ProgramConfig>; PROGRAMS.len()] = [const { OnceLock::new() }; PROGRAMS.len()];
    let shipped = PROGRAMS.get(number)?;
    Some(MADE[number].get_or_init(|| shipped.config().with_all_values()))
}

/// Returns a language.
pub(crate) fn language(name: &str) -> Option<&'static LanguageConfig> {
    static MADE: [OnceLock<LanguageConfig>; LANGUAGES.len()] = [const { OnceLock::new() }; LANGUAGES.len()];
    let number = LANGUAGES.iter().position(|language| language.name == name)?;
    Some(MADE[number].get_or_init(|| LANGUAGES[number].config()))
}

/// Returns the names of the languages.
pub(crate) fn languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|language| language.name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::{Debug, Write};

    use super::super::DEFAULT_RULES;
    use super::super::config::ShellConfig;
    use super::*;

    /// The fields of an item, as Rust code.
    #[derive(Default)]
    struct Fields(Vec<String>);

    impl Fields {
        fn add<T: Debug>(&mut self, name: &str, value: T, is_default: bool) -> &mut Self {
            if !is_default {
                self.0.push(format!("{name}: {value:?}"));
            }
            self
        }

        fn texts(&mut self, name: &str, texts: &[String]) -> &mut Self {
            if !texts.is_empty() {
                self.0.push(format!("{name}: &{texts:?}"));
            }
            self
        }

        /// Names an item of an enum.
        fn item<T: Debug>(&mut self, name: &str, of: &str, item: T, is_default: bool) -> &mut Self {
            if !is_default {
                self.0.push(format!("{name}: {of}::{item:?}"));
            }
            self
        }

        fn end(&self, of: &str) -> String {
            format!("    {of} {{ {}, ..{of}::NONE }},\n", self.0.join(", "))
        }
    }

    fn rule_code(rule: &ShellRule) -> String {
        let mut fields = Fields::default();
        fields
            .add("name", &rule.name, false)
            .texts("program", &rule.program)
            .texts("subcommand", &rule.subcommand)
            .texts("flags", &rule.flags)
            .texts("and_flags", &rule.and_flags)
            .texts("without_flags", &rule.without_flags)
            .texts("values", &rule.values)
            .texts("except_values", &rule.except_values)
            .add("leading", rule.leading, !rule.leading)
            .texts("operands", &rule.operands)
            .texts("except_operands", &rule.except_operands)
            .texts("arguments", &rule.arguments)
            .add("deciding", rule.deciding, rule.deciding.is_none())
            .texts("without_arguments", &rule.without_arguments)
            .add("min_operands", rule.min_operands, rule.min_operands == 0)
            .add("max_operands", rule.max_operands, rule.max_operands.is_none())
            .texts("input_from", &rule.input_from)
            .item("decision", "ShellDecision", rule.decision, rule.decision == ShellDecision::Deny)
            .item("severity", "Severity", rule.severity, rule.severity == Severity::Medium)
            .add("reason", &rule.reason, false)
            .item("if_unknown", "IfUnknown", rule.if_unknown, rule.if_unknown == IfUnknown::Decide);
        fields.end("ShippedRule")
    }

    fn program_code(program: &ProgramConfig) -> String {
        let mut fields = Fields::default();
        fields
            .texts("name", &program.name)
            .texts("values", &program.values)
            .item("runs", "Runs", program.runs, program.runs == Runs::Nothing)
            .texts("subcommands", &program.subcommands)
            .add("skip", program.skip, program.skip == 0)
            .add("assignments", program.assignments, !program.assignments)
            .add("downloads", program.downloads, !program.downloads)
            .add("appends", program.appends, !program.appends)
            .texts("placeholders", &program.placeholders)
            .texts("fetches", &program.fetches)
            .texts("outputs", &program.outputs)
            .add("writes", program.writes, !program.writes)
            .add("writes_last", program.writes_last, !program.writes_last)
            .texts("looks_up", &program.looks_up)
            .texts("modules", &program.modules)
            .texts("text_options", &program.text_options)
            .texts("exec_options", &program.exec_options)
            .add("language", &program.language, program.language.is_none())
            .texts("code_options", &program.code_options)
            .add("code_operand", program.code_operand, !program.code_operand);
        fields.end("ShippedProgram")
    }

    fn language_code(name: &str, language: &LanguageConfig) -> String {
        let mut fields = Fields::default();
        fields
            .add("name", name, false)
            .texts("harmless", &language.harmless)
            .texts("never", &language.never)
            .texts("imports", &language.imports)
            .texts("comments", &language.comments)
            .add("quotes", &language.quotes, language.quotes.is_empty())
            .texts("refused", &language.refused)
            .add("interpolation", &language.interpolation, language.interpolation.is_none())
            .add("patterns", language.patterns, !language.patterns)
            .add("values", language.values, !language.values)
            .texts("printing", &language.printing);
        fields.end("ShippedLanguage")
    }

    /// What the rule set has about each program, as a rule set without the shipped one finds it.
    fn names_code(config: &ShellConfig) -> String {
        let mut names: BTreeMap<&str, Named> = BTreeMap::new();
        for name in &config.known {
            names.entry(name).or_default().known = true;
        }
        for (number, program) in config.program.iter().enumerate() {
            for name in &program.name {
                let entry = names.entry(name).or_default();
                entry.known = true;
                entry.program.get_or_insert(number);
            }
        }
        for (number, rule) in config.rule.iter().enumerate() {
            for name in &rule.program {
                let entry = names.entry(name).or_default();
                entry.known |= rule.decision == ShellDecision::Allow;
                entry.rules.to_mut().push(number);
            }
        }
        let mut code = String::new();
        for (name, Named { known, program, rules }) in names {
            let _ = writeln!(code, "    ({name:?}, named({known}, {program:?}, &{rules:?})),");
        }
        code
    }

    fn table(config: &ShellConfig) -> String {
        let ShellConfig { unlisted, project, strict, unknown, unreadable, max_bytes, places, .. } = config;
        let of = |prefix: &str, value: String| value.replace("Some(", &format!("Some({prefix}::"));
        let base = format!(
            "pub(crate) const BASE: Base = Base {{\n    unlisted: {},\n    project: {},\n    strict: {strict:?},\n    unknown: {},\n    \
             unreadable: {},\n    max_bytes: {max_bytes:?},\n    temp: &{:?},\n    build: &{:?},\n}};\n",
            of("ShellDecision", format!("{unlisted:?}")),
            of("ShellDecision", format!("{project:?}")),
            of("Caution", format!("{unknown:?}")),
            of("Caution", format!("{unreadable:?}")),
            places.temp,
            places.build,
        );
        let languages: String = config.language.iter().map(|(name, language)| language_code(name, language)).collect();
        let programs: String = config.program.iter().map(program_code).collect();
        let rules: String = config.rule.iter().map(rule_code).collect();
        format!(
            "//! The shipped rule set as constants. A test writes this file from `default.toml`: see `mod.rs`.\n\n\
             use std::borrow::Cow;\n\n\
             use super::{{Base, Named, ShippedLanguage, ShippedProgram, ShippedRule}};\n\
             use crate::config::{{IfUnknown, Runs}};\n\
             use crate::decision::{{Caution, ShellDecision}};\n\
             use crate::severity::Severity;\n\n\
             const fn named(known: bool, program: Option<usize>, rules: &'static [usize]) -> Named {{\n    \
             Named {{ known, program, rules: Cow::Borrowed(rules) }}\n}}\n\n\
             /// What is not about a single program.\n#[rustfmt::skip]\n{base}\n\
             /// The languages, by their names.\n#[rustfmt::skip]\npub(crate) static LANGUAGES: [ShippedLanguage; {}] = [\n{languages}];\n\n\
             /// The programs, in the order of the file.\n#[rustfmt::skip]\npub(crate) static PROGRAMS: [ShippedProgram; {}] = [\n{programs}];\n\n\
             /// The rules, in the order of the file.\n#[rustfmt::skip]\npub(crate) static RULES: [ShippedRule; {}] = [\n{rules}];\n\n\
             /// What the rule set has about each program, by its name.\n#[rustfmt::skip]\npub(crate) static NAMES: &[(&str, Named)] = &[\n{}];\n",
            config.language.len(),
            config.program.len(),
            config.rule.len(),
            names_code(config),
        )
    }

    #[test]
    fn the_table_is_the_text_of_the_rule_set() {
        let config: ShellConfig = toml::from_str(DEFAULT_RULES).unwrap();
        let table = table(&config);
        if std::env::var_os("EXO_RAILS_WRITE").is_some() {
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/shipped/table.rs"), &table).unwrap();
            return;
        }
        let is_same = include_str!("table.rs") == table;
        assert!(
            is_same,
            "`default.toml` has changed: run this test with the variable EXO_RAILS_WRITE=1, which writes `table.rs`"
        );
    }

    #[test]
    fn the_items_of_the_table_are_those_of_the_text() {
        let config: ShellConfig = toml::from_str(DEFAULT_RULES).unwrap();
        assert_eq!((config.rule.len(), config.program.len()), (RULES.len(), PROGRAMS.len()));
        for (number, of_text) in config.rule.into_iter().enumerate() {
            let of_text = ShellRule { matches: Vec::new(), not_match: Vec::new(), ..of_text };
            assert_eq!(RULES[number].config(), of_text);
            let made = Rule::new(of_text).unwrap();
            assert_eq!(format!("{:?}", rule(number).unwrap()), format!("{made:?}"));
        }
        for (number, of_text) in config.program.into_iter().enumerate() {
            assert_eq!(program(number).unwrap(), &of_text.with_all_values());
        }
        for (name, of_text) in &config.language {
            assert_eq!(language(name).unwrap(), of_text);
        }
        assert_eq!(languages().collect::<Vec<_>>(), config.language.keys().collect::<Vec<_>>());
        assert!(NAMES.is_sorted_by(|one, other| one.0 < other.0));
        assert!(rule(RULES.len()).is_none() && program(PROGRAMS.len()).is_none() && language("cobol").is_none());
    }
}
