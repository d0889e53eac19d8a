//! Words as the shell hands them to a program: with the values of variables and the outputs of commands, as far as they are known.

use std::ops::Range;

use super::expansion;
use super::field::Field;
use super::lowering::Lowering;
use super::place::below;
use super::scope::{Scope, Stream, StreamKind, Taint, Variable, working_directory};
use crate::effect::EffectKind;
use crate::read::{Limits, Parameter, Part, Word, read_expansions};
use crate::word::mark;

/// The most words that one word becomes.
const MOST: usize = 64;

/// Collects the fields of one word.
struct Fields {
    done: Vec<Field>,
    current: Field,
    /// The current field exists, be it empty.
    begun: bool,
    /// The characters at which the shell divides values: `IFS`.
    separators: String,
}

impl Fields {
    fn push(&mut self, text: &str, at: Option<usize>) {
        let joins = match (self.current.at, at) {
            (Some(begin), Some(at)) => begin + self.current.value.len() == at,
            _ => false,
        };
        self.current.at =
            if self.begun && !self.current.value.is_empty() { self.current.at.filter(|_| joins) } else { at };
        self.current.value.push_str(text);
        self.begun = true;
    }

    fn mark(&mut self, mark: char) {
        self.push(mark.encode_utf8(&mut [0; 4]), None);
    }

    /// Adds a value that the shell splits at blanks.
    fn split(&mut self, text: &str) {
        let separators = self.separators.clone();
        let mut words = text.split(|c: char| separators.contains(c));
        if let Some(first) = words.next().filter(|first| !first.is_empty()) {
            self.push(first, None);
        }
        for word in words {
            self.next();
            if !word.is_empty() {
                self.push(word, None);
            }
        }
    }

    fn next(&mut self) {
        if self.begun {
            // A `[` without `]` is a plain character.
            if let Some(open) = self.current.value.find(mark::CLASS)
                && !self.current.value[open..].contains(']')
            {
                self.current.value = self.current.value.replace(mark::CLASS, "[");
            }
            let span = self.current.span.clone();
            self.done.push(std::mem::take(&mut self.current));
            self.current.span = span;
            self.begun = false;
        }
    }
}

impl Lowering<'_> {
    /// Expands the words of a command.
    pub(super) fn fields(&mut self, words: &[Word], scope: &mut Scope) -> Vec<Field> {
        words.iter().flat_map(|word| self.expand(word, scope)).collect()
    }

    /// Expands a word that stays one word, as behind `=` and in redirections.
    pub(super) fn value(&mut self, word: &Word, scope: &mut Scope) -> Field {
        let mut fields = self.expand(word, scope);
        match fields.len() {
            0 => Field::new("", word.span.clone()),
            1 => fields.swap_remove(0),
            _ => {
                let value = fields.iter().map(|field| field.value.as_str()).collect::<Vec<_>>().join(" ");
                Field { value, taint: Taint::of(&fields), ..Field::new("", word.span.clone()) }
            }
        }
    }

    pub(super) fn expand(&mut self, word: &Word, scope: &mut Scope) -> Vec<Field> {
        let mut all = Vec::new();
        let mut lists = vec![Vec::new()];
        alternatives(&word.parts, &mut lists);
        let is_cut = lists.len() >= MOST;
        for parts in lists {
            let current = Field::new("", word.span.clone());
            let mut fields = Fields { done: Vec::new(), current, begun: false, separators: separators(scope) };
            for part in parts {
                self.part(part, scope, &mut fields);
            }
            fields.next();
            all.extend(fields.done);
            if all.len() > MOST {
                break;
            }
        }
        if is_cut || all.len() > MOST {
            all.truncate(MOST);
            // The other words are not known.
            let taint = Taint { is_made: true, ..Taint::default() };
            all.push(Field { taint, ..Field::new(mark::SPLITS.to_string(), word.span.clone()) });
        }
        all
    }

    fn part(&mut self, part: &Part, scope: &mut Scope, fields: &mut Fields) {
        match part {
            Part::Text { text, quoted, at } => {
                if *quoted || !text.is_empty() {
                    fields.push(text, *at);
                }
            }
            Part::Glob(c) => fields.mark(match c {
                '*' => mark::STAR,
                '?' => mark::ANY,
                _ => mark::CLASS,
            }),
            Part::ExtendedGlob(words) => {
                for word in words {
                    self.expand(word, scope);
                }
                fields.mark(mark::STAR);
            }
            Part::Tilde(user) => match user.as_str() {
                "" => fields.mark(mark::HOME),
                "+" => fields.mark(mark::PWD),
                "-" => fields.mark(mark::UNKNOWN),
                user => fields.push(&format!("/home/{user}"), None),
            },
            Part::Arithmetic(parts) => {
                // Its substitutions run, and its value is a number.
                let span = fields.current.span.clone();
                self.arithmetic(parts, &span, scope);
                for part in parts {
                    let mut inner =
                        Fields { done: Vec::new(), current: Field::default(), begun: false, separators: String::new() };
                    self.part(part, scope, &mut inner);
                }
                fields.mark(mark::NUMBER);
            }
            Part::Braces(lists) => {
                // Only in values: a word of a command was divided before.
                for part in lists.iter().flatten() {
                    self.part(part, scope, fields);
                }
            }
            Part::Process { program, reads } => {
                let number = 63 - u32::try_from(self.processes.len()).unwrap_or(0).min(40);
                let mut inside = scope.clone();
                if *reads {
                    // What the command writes there is not known, so the program reads something unknown.
                    self.program(program, &mut inside, &Stream::unknown());
                } else {
                    let output = self.program(program, &mut inside, &Stream::default());
                    self.processes.push((number, output));
                }
                fields.push(&format!("/dev/fd/{number}"), None);
            }
            Part::Output { program, quoted } => {
                let mut inside = scope.clone();
                let output = self.program(program, &mut inside, &Stream::default());
                Self::output(&output, *quoted, fields);
            }
            Part::Parameter { parameter, quoted } => self.parameter(parameter, *quoted, scope, fields),
        }
    }

    fn output(output: &Stream, quoted: bool, fields: &mut Fields) {
        let is_made = matches!(output.kind, StreamKind::Inherited | StreamKind::File(_) | StreamKind::Unknown);
        let taint = Taint { is_made: output.taint.is_made || is_made, ..output.taint };
        fields.current.taint = fields.current.taint.and(taint);
        match &output.kind {
            StreamKind::Text(text) => {
                let text = text.trim_end_matches('\n');
                if quoted {
                    fields.push(text, None);
                } else {
                    fields.split(text);
                }
            }
            StreamKind::Name => fields.mark(mark::NUMBER),
            StreamKind::Places(places) => {
                for (number, place) in places.iter().enumerate() {
                    if number > 0 && !quoted {
                        fields.next();
                    }
                    fields.push(&below(place), None);
                }
            }
            StreamKind::Inherited | StreamKind::File(_) | StreamKind::Unknown => {
                fields.mark(if quoted { mark::UNKNOWN } else { mark::SPLITS });
            }
        }
    }

    fn parameter(&mut self, parameter: &Parameter, quoted: bool, scope: &mut Scope, fields: &mut Fields) {
        let unknown = if quoted { mark::UNKNOWN } else { mark::SPLITS };
        // What stands in the expansion is expanded, whatever the value is.
        let words: Vec<Field> = parameter.words.iter().map(|word| self.value(word, scope)).collect();
        if let Some(index) = &parameter.index {
            self.expand(index, scope);
        }
        if parameter.length {
            return fields.mark(mark::NUMBER);
        }
        let operator = parameter.operator.as_str();
        // `${NAME@P}` expands the value as a prompt.
        if operator == "@"
            && let Some(Variable::Value(value)) = scope.variables.get(&parameter.name)
        {
            let value = value.clone();
            self.later(&value, &fields.current.span, scope);
        }
        fields.current.taint = fields.current.taint.and(scope.taint(&parameter.name)).and(Taint::of(&words));
        fields.current.taint.is_secret |=
            is_secret_name(&parameter.name) && !scope.variables.contains_key(&parameter.name);
        let known = if parameter.indirect { None } else { Self::known(parameter, scope) };
        let default = words.first();
        let values: Vec<String> = match (known, operator) {
            (_, ":+" | "+") => default.map(|field| field.value.clone()).into_iter().collect(),
            (Some(values), "") => values,
            (Some(values), ":-" | "-" | ":=" | "=" | ":?" | "?") => {
                match default.filter(|_| values.is_empty() || values == [""]) {
                    Some(default) => vec![default.value.clone()],
                    None => values,
                }
            }
            (Some(values), _) => {
                let mut text = operator.to_owned();
                for (number, word) in words.iter().enumerate() {
                    if number > 0 {
                        text.push(if operator.starts_with('/') { '/' } else { ':' });
                    }
                    text.push_str(&word.value.replace(mark::STAR, "*"));
                }
                let expanded: Option<Vec<_>> = values.iter().map(|value| expansion::expand(value, &text)).collect();
                match expanded {
                    Some(values) => values,
                    None => return fields.mark(unknown),
                }
            }
            (None, ":-" | "-" | ":=" | "=") => default.map(|field| field.value.clone()).into_iter().collect(),
            (None, _) => return fields.mark(unknown),
        };
        if matches!(operator, ":=" | "=")
            && let [value] = &values[..]
        {
            scope.set(parameter.name.clone(), Variable::Value(value.clone()), fields.current.taint);
        }
        let is_list = parameter.name == "@"
            || parameter.index.as_ref().is_some_and(|index| index.bare() == Some("@"))
            || !quoted && values.len() > 1;
        for (number, value) in values.iter().enumerate() {
            if number > 0 && is_list {
                fields.next();
            } else if number > 0 {
                fields.push(" ", None);
            }
            if quoted {
                fields.push(value, None);
            } else {
                fields.split(value);
            }
        }
    }

    /// Runs what stands in the values of variables that arithmetic evaluates.
    pub(super) fn arithmetic(&mut self, parts: &[Part], span: &Range<usize>, scope: &Scope) {
        for part in parts {
            let Part::Text { text, .. } = part else { continue };
            for name in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
                if let Some(Variable::Value(value)) = scope.variables.get(name) {
                    self.later(&value.clone(), span, scope);
                }
            }
        }
    }

    /// Runs the substitutions in a value that the shell expands a second time.
    pub(super) fn later(&mut self, value: &str, span: &Range<usize>, scope: &Scope) {
        if !value.contains("$(") && !value.contains('`') {
            return;
        }
        let Ok(word) = read_expansions(value, Limits::DEFAULT) else {
            return self.add(EffectKind::RunsCode, "a text that cannot be read", span);
        };
        self.texts += 1;
        let outer = std::mem::replace(&mut self.text, self.texts);
        self.at(span, |lowering| lowering.expand(&word, &mut scope.clone()));
        self.text = outer;
    }

    /// Returns the values of a parameter, if the text decides them.
    fn known(parameter: &Parameter, scope: &Scope) -> Option<Vec<String>> {
        let one = |value: char| Some(vec![value.to_string()]);
        if let Some(variable) = scope.variables.get(&parameter.name) {
            return match (variable, &parameter.index) {
                (Variable::Unknown, _) => None,
                (Variable::Value(value), _) => Some(vec![value.clone()]),
                (Variable::Array(elements), None) => Some(elements.iter().take(1).cloned().collect()),
                (Variable::Array(elements), Some(index)) => match index.bare().filter(|index| *index != "@") {
                    Some(index) => {
                        index.parse().ok().and_then(|index: usize| elements.get(index)).map(|e| vec![e.clone()])
                    }
                    // `@`, or `*`, which is a character of a pattern for the reader.
                    None => Some(elements.clone()),
                },
            };
        }
        match parameter.name.as_str() {
            "HOME" => one(mark::HOME),
            "PWD" => Some(vec![working_directory(scope)]),
            "TMPDIR" | "TMP" | "TEMP" | "RUNNER_TEMP" => one(mark::TEMP),
            "USER" | "LOGNAME" | "HOSTNAME" | "UID" | "EUID" | "PPID" | "RANDOM" | "SECONDS" | "LINENO" | "BASHPID"
            | "EPOCHSECONDS" | "OSTYPE" | "HOSTTYPE" | "MACHTYPE" | "SHLVL" | "COLUMNS" | "LINES" | "#" | "?" | "$"
            | "!" | "-" => one(mark::NUMBER),
            "IFS" => Some(vec![" \t\n".to_owned()]),
            "@" | "*" => scope.arguments.clone(),
            "0" => None,
            name => {
                let number: usize = name.parse().ok()?;
                let arguments = scope.arguments.as_ref()?;
                Some(vec![arguments.get(number - 1).cloned().unwrap_or_default()])
            }
        }
    }
}

/// Returns the characters at which the shell divides values.
fn separators(scope: &Scope) -> String {
    match scope.variables.get("IFS") {
        Some(Variable::Value(value)) => value.clone(),
        _ => " \t\n".to_owned(),
    }
}

/// Returns whether a variable of the environment looks like one that holds credentials.
fn is_secret_name(name: &str) -> bool {
    let parts =
        ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL"];
    parts.iter().any(|part| name.contains(part))
}

/// Divides a word with braces into the words that it becomes.
fn alternatives<'p>(parts: &'p [Part], lists: &mut Vec<Vec<&'p Part>>) {
    for part in parts {
        let Part::Braces(choices) = part else {
            for list in lists.iter_mut() {
                list.push(part);
            }
            continue;
        };
        let before = std::mem::take(lists);
        for list in &before {
            for choice in choices {
                if lists.len() >= MOST {
                    return;
                }
                let mut inner = vec![list.clone()];
                alternatives(choice, &mut inner);
                lists.extend(inner);
            }
        }
    }
}
