//! The commands that the shell itself runs and that change its state.

use std::ops::Range;

use super::field::{Field, assignment};
use super::lowering::Lowering;
use super::place::below;
use super::program::is_exported_already;
use super::scope::{Scope, Stream, StreamKind, Taint, Variable};
use crate::effect::{EffectKind, EffectPlace};
use crate::read::is_name;
use crate::word::{mark, shown};

/// The names of the builtins. Other ones, such as `kill`, are described like programs.
const BUILTINS: [&str; 58] = [
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// Returns whether the shell itself runs a command.
pub(super) fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name)
}

/// Builtins that take names of variables, and evaluate what stands in the brackets of `a[…]`.
const EVALUATES: [&str; 14] = [
    "[",
    "declare",
    "export",
    "getopts",
    "let",
    "local",
    "mapfile",
    "printf",
    "read",
    "readarray",
    "readonly",
    "test",
    "typeset",
    "unset",
];

impl Lowering<'_> {
    /// Runs a builtin, or returns `None` if the name is not one that this file knows.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        fields: &[Field],
        scope: &mut Scope,
        input: &Stream,
        span: &Range<usize>,
    ) -> Option<Stream> {
        if !is_builtin(name) {
            return None;
        }
        if EVALUATES.contains(&name) {
            self.evaluated(&fields[1..], scope);
        }
        let place = self.commands.len();
        let mut is_one = true;
        let output = self.owned(fields, None, span, |lowering| {
            let output = lowering.builtin_that_runs(name, fields, scope, input, span);
            let output = output.or_else(|| lowering.builtin_that_sets(name, fields, scope, input));
            let output = output.or_else(|| printing(name, fields));
            let output = output.or_else(|| lowering.other_builtin(name, fields, scope, span));
            is_one = output.is_some();
            output.unwrap_or_default()
        });
        if !is_one {
            self.commands.truncate(place);
            return None;
        }
        // A file that the shell reads is a program.
        self.commands[place].is_builtin = !matches!(name, "source" | ".");
        Some(output)
    }

    /// The builtins that run what their words say.
    fn builtin_that_runs(
        &mut self,
        name: &str,
        fields: &[Field],
        scope: &mut Scope,
        input: &Stream,
        span: &Range<usize>,
    ) -> Option<Stream> {
        let nothing = Some(Stream::text(""));
        let operands = || fields[1..].iter().filter(|field| !field.value.starts_with('-')).cloned().collect::<Vec<_>>();
        match name {
            "eval" => {
                let text = joined(&fields[1..]);
                Some(self.text(&text, scope, input))
            }
            "source" | "." => {
                let Some(path) = operands().into_iter().next() else { return nothing };
                let content = self.open(&path, scope);
                match &content.kind {
                    StreamKind::Text(text) if !content.taint.is_downloaded => {
                        let code = Field::new(text.clone(), path.span.clone());
                        Some(self.text(&code, scope, input))
                    }
                    // `. "$NVM_DIR/nvm.sh"`: a file of the person.
                    _ if path.value.starts_with([mark::UNKNOWN, mark::SPLITS])
                        && path.value.contains('/')
                        && !path.taint.is_made =>
                    {
                        let object = shown(&path.value);
                        self.push(EffectKind::RunsCode, object, Some(EffectPlace::Variable), &path.span);
                        Some(Stream::unknown())
                    }
                    // `. ~/.cargo/env`: settings of a tool for the shell.
                    StreamKind::File(file) if file.starts_with("~/.") => {
                        self.push(EffectKind::RunsCode, file.clone(), Some(EffectPlace::Startup), &path.span);
                        Some(Stream::unknown())
                    }
                    _ => {
                        self.script("shell", &content, &path, scope, input);
                        // It may set any variable.
                        Some(Stream::unknown())
                    }
                }
            }
            "exec" => {
                let mut begin = 1;
                while let Some(option) = fields.get(begin).filter(|field| field.value.starts_with('-')) {
                    // `-a NAME`, also at the end of `-cla NAME`.
                    begin += if option.value != "--" && option.value.ends_with('a') { 2 } else { 1 };
                }
                match fields.get(begin..).filter(|rest| !rest.is_empty()) {
                    Some(rest) => Some(self.run(rest, scope, input, span)),
                    None => nothing,
                }
            }
            "command" | "builtin" => {
                let rest = fields[1..].iter().position(|field| !field.value.starts_with('-'));
                let asks = fields.iter().skip(1).any(|field| matches!(field.value.as_str(), "-v" | "-V"));
                match rest {
                    Some(begin) if !asks => Some(self.run(&fields[begin + 1..], scope, input, span)),
                    _ => Some(Stream::of(StreamKind::Name)),
                }
            }
            "trap" => {
                let action = operands().into_iter().next();
                if let Some(action) = action.filter(|_| fields.len() > 2 && fields[1].value != "-") {
                    let mut inside = scope.clone();
                    self.text(&action, &mut inside, &Stream::default());
                }
                nothing
            }
            "complete" | "compgen" | "bind" => {
                // `-C` and `-F` run a command or a function, and `bind -x` one at a key.
                for (number, field) in fields.iter().enumerate().skip(1) {
                    let value = fields.get(number + 1);
                    match (field.value.as_str(), value) {
                        ("-C" | "-W" | "-F", Some(value)) => {
                            let text = if field.value == "-W" {
                                Field::new(format!(": \"{}\"", value.value), value.span.clone())
                            } else {
                                value.clone()
                            };
                            self.text(&text, &mut scope.clone(), &Stream::default());
                        }
                        ("-x", Some(value)) => {
                            let begin = value.value.find(':').map_or(0, |at| at + 1);
                            self.text(&value.from(begin), &mut scope.clone(), &Stream::default());
                        }
                        _ => {}
                    }
                }
                nothing
            }
            _ => None,
        }
    }

    /// The builtins that change the state of the shell.
    fn builtin_that_sets(&mut self, name: &str, fields: &[Field], scope: &mut Scope, input: &Stream) -> Option<Stream> {
        let nothing = Some(Stream::text(""));
        let operands = || fields[1..].iter().filter(|field| !field.value.starts_with('-')).cloned().collect::<Vec<_>>();
        match name {
            "cd" | "pushd" => {
                let target = operands().into_iter().next();
                scope.is_directory_made = target.as_ref().is_some_and(|field| field.taint.is_made);
                scope.directory = match &target {
                    Some(field) => self.ground.directory(&field.value, scope),
                    None if fields.iter().any(|field| field.value == "-") => super::path::Directory::Unknown,
                    None => self.ground.directory(&mark::HOME.to_string(), scope),
                };
                nothing
            }
            "popd" => {
                scope.directory = super::path::Directory::Unknown;
                nothing
            }
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                for field in operands() {
                    if let Some((name, value)) = assignment(&field) {
                        self.set(&name, Variable::Value(value.value), field.taint, &field.span, scope);
                    }
                }
                nothing
            }
            "unset" => {
                for field in operands() {
                    scope.variables.remove(&field.value);
                    scope.functions.remove(&field.value);
                }
                nothing
            }
            "hash" if fields.get(1).is_some_and(|field| field.value == "-p") => {
                if let (Some(path), Some(name)) = (fields.get(2), fields.get(3)) {
                    scope.aliases.insert(name.value.clone(), path.value.clone());
                }
                nothing
            }
            "read" | "mapfile" | "readarray" => {
                self.reads_into(name, fields, scope, input);
                nothing
            }
            "alias" => {
                for field in operands() {
                    if let Some((name, value)) = field.value.split_once('=') {
                        scope.aliases.insert(name.to_owned(), value.to_owned());
                    }
                }
                nothing
            }
            "unalias" => {
                scope.aliases.clear();
                nothing
            }
            "set" | "shift" => {
                let stops = |field: &Field| field.value.starts_with('-') && field.value.contains('e');
                if name == "set" && fields[1..].iter().any(stops) {
                    scope.stops_at_errors = true;
                } else if name == "set"
                    && let Some(begin) = fields[1..].iter().position(|field| field.value == "--")
                {
                    scope.arguments = Some(fields[begin + 2..].iter().map(|field| field.value.clone()).collect());
                } else if name == "shift"
                    && let Some(arguments) = &mut scope.arguments
                {
                    let count = fields.get(1).map_or(Some(1), |field| field.value.parse().ok());
                    match count.filter(|count| *count <= arguments.len()) {
                        Some(count) => drop(arguments.drain(..count)),
                        None => scope.arguments = None,
                    }
                }
                nothing
            }
            "printf" if fields.get(1).and_then(Field::literal) == Some("-v") => {
                let (Some(name), Some(format)) = (fields.get(2), fields.get(3)) else { return nothing };
                let text = formatted(format, &fields[4.min(fields.len())..]);
                self.set(&name.value, Variable::Value(text), Taint::of(fields), &name.span, scope);
                nothing
            }
            _ => None,
        }
    }

    /// `read`, `mapfile`: variables get what the command reads.
    fn reads_into(&mut self, name: &str, fields: &[Field], scope: &mut Scope, input: &Stream) {
        let operands = || fields[1..].iter().filter(|field| !field.value.starts_with('-')).cloned().collect::<Vec<_>>();
        let callback = fields.iter().position(|field| field.value == "-C").and_then(|at| fields.get(at + 1));
        if let Some(code) = callback {
            self.text(code, &mut scope.clone(), &Stream::default());
        }
        let value = match &input.kind {
            StreamKind::Text(text) if name == "read" => {
                Variable::Value(text.lines().next().unwrap_or_default().to_owned())
            }
            StreamKind::Text(text) => Variable::Array(text.lines().map(str::to_owned).collect()),
            StreamKind::Places(places) if name == "read" && places.len() == 1 => Variable::Value(below(&places[0])),
            StreamKind::Places(places) => Variable::Array(places.iter().map(|place| below(place)).collect()),
            StreamKind::Name => Variable::Value(mark::NUMBER.to_string()),
            _ => Variable::Unknown,
        };
        let is_made = matches!(input.kind, StreamKind::File(_) | StreamKind::Unknown);
        let taint = Taint { is_made: input.taint.is_made || is_made, ..input.taint };
        let mut names: Vec<String> =
            operands().into_iter().map(|field| field.value).filter(|name| is_name(name)).collect();
        if names.is_empty() {
            names.push(if name == "read" { "REPLY" } else { "MAPFILE" }.to_owned());
        }
        let is_one = names.len() == 1;
        for name in names {
            let variable = if is_one { value.clone() } else { Variable::Unknown };
            self.set(&name, variable, taint, &fields[0].span, scope);
        }
    }

    /// Sets a variable. The shell itself obeys some of them.
    pub(super) fn set(&mut self, name: &str, variable: Variable, taint: Taint, span: &Range<usize>, scope: &mut Scope) {
        if is_exported_already(name) {
            self.variable(None, name, &variable, span, scope);
        }
        scope.set(name, variable, taint);
    }

    /// The builtins that do neither.
    fn other_builtin(&mut self, name: &str, fields: &[Field], scope: &Scope, span: &Range<usize>) -> Option<Stream> {
        let nothing = Some(Stream::text(""));
        match name {
            "history" => {
                let writes = fields.iter().position(|field| matches!(field.value.as_str(), "-w" | "-a"));
                if let Some(file) = writes.and_then(|at| fields.get(at + 1)) {
                    self.path(EffectKind::Writes, file, scope);
                }
                nothing
            }
            ":" | "let" | "test" | "[" | "true" | "false" | "wait" | "return" | "exit" | "break" | "continue"
            | "shopt" | "umask" | "ulimit" | "hash" | "type" | "jobs" | "fg" | "bg" | "disown" | "times" | "dirs"
            | "getopts" | "suspend" | "logout" | "caller" | "help" | "enable" | "fc" => {
                if name == "enable" && fields.iter().any(|field| field.value == "-f") {
                    self.add(EffectKind::RunsCode, "a library", span);
                }
                nothing
            }
            _ => None,
        }
    }

    /// Words that bash evaluates: an index such as `a[$(rm x)]` runs the command in it.
    pub(super) fn evaluated(&mut self, fields: &[Field], scope: &Scope) {
        for field in fields.iter().filter(|field| field.value.contains('[')) {
            self.later(&field.value, &field.span, scope);
        }
    }
}

/// The builtins that print their words.
fn printing(name: &str, fields: &[Field]) -> Option<Stream> {
    match name {
        "printf" => {
            let format = fields.get(1)?;
            let mut stream = Stream::text(formatted(format, &fields[2..]));
            stream.taint = Taint::of(fields);
            Some(stream)
        }
        "echo" => {
            let begin = fields[1..]
                .iter()
                .position(|field| !matches!(field.value.as_str(), "-n" | "-e" | "-E" | "-ne" | "-en"));
            let words = &fields[begin.map_or(fields.len(), |begin| begin + 1)..];
            let text = joined(words).value;
            let escapes = fields.iter().any(|field| matches!(field.value.as_str(), "-e" | "-ne" | "-en"));
            let text = if escapes { unescaped(&text) } else { text };
            let mut stream = Stream::text(format!("{text}\n"));
            stream.taint = Taint::of(words);
            Some(stream)
        }
        _ => None,
    }
}

/// Joins words as `eval` and `echo` do.
fn joined(words: &[Field]) -> Field {
    let mut words = words.iter();
    let Some(first) = words.next() else { return Field::default() };
    let mut text = first.clone();
    for word in words {
        text.value.push(' ');
        text.value.push_str(&word.value);
        text.at = None;
        text.span.end = text.span.end.max(word.span.end);
        text.taint = text.taint.and(word.taint);
    }
    text
}

/// Returns what `printf` prints, with its escapes and `%s`.
fn formatted(format: &Field, arguments: &[Field]) -> String {
    let mut arguments = arguments.iter();
    let text = unescaped(&format.value);
    let once = |text: &str, arguments: &mut std::slice::Iter<'_, Field>| {
        let mut output = String::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '%' {
                output.push(c);
                continue;
            }
            while chars.peek().is_some_and(|c| c.is_ascii_digit() || matches!(c, '-' | '.' | '0' | '+' | ' ')) {
                chars.next();
            }
            match chars.next() {
                Some('%') | None => output.push('%'),
                Some('b') => output.push_str(&unescaped(arguments.next().map_or("", |field| &field.value))),
                Some('s' | 'q') => output.push_str(arguments.next().map_or("", |field| &field.value)),
                Some(_) => {
                    let value = arguments.next().map_or("0", |field| &field.value);
                    output.push_str(value);
                }
            }
        }
        output
    };
    let mut output = once(&text, &mut arguments);
    // The format is used again for the arguments that are left.
    let mut rounds = 0;
    while arguments.len() > 0 && text.contains('%') && rounds < 64 {
        output.push_str(&once(&text, &mut arguments));
        rounds += 1;
    }
    output
}

/// Returns a text without the escapes that `printf` and `echo -e` know.
fn unescaped(text: &str) -> String {
    let mut output = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            output.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => output.push('\n'),
            Some('t') => output.push('\t'),
            Some('r') => output.push('\r'),
            Some('e' | 'E') => output.push('\u{1b}'),
            Some('x') => {
                let c = number(&mut chars, 2, 16, 0);
                output.push(c);
            }
            Some('u') => {
                let c = number(&mut chars, 4, 16, 0);
                output.push(c);
            }
            Some(digit @ '0'..='7') => {
                let c = number(&mut chars, if digit == '0' { 3 } else { 2 }, 8, digit.to_digit(8).unwrap_or(0));
                output.push(c);
            }
            Some(other @ ('\\' | '"' | '\'')) => output.push(other),
            Some(other) => output.extend(['\\', other]),
            None => output.push('\\'),
        }
    }
    output
}

/// Reads the digits of an escape.
fn number(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, digits: usize, radix: u32, first: u32) -> char {
    let mut value = first;
    for _ in 0..digits {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
        value = value * radix + digit;
        chars.next();
    }
    char::from_u32(value).filter(|c| !mark::is(*c)).unwrap_or(mark::UNKNOWN)
}
