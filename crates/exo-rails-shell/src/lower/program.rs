//! From commands to effects.
//!
//! The text is run as far as it can be without a machine: variables get their values, functions and files that the text defines are
//! followed, and what one command prints reaches the next. Every command adds its effects. What branches is run on every branch.

use std::ops::Range;
use std::rc::Rc;

use super::arguments;
use super::builtins::is_builtin;
use super::field::Field;
use super::hosts::is_local;
use super::lowering::{Defined, Lowering, MOST_DEPTH};
use super::scope::{Scope, Stream, StreamKind, Taint, Variable};
use crate::effect::{EffectKind, EffectPlace};
use crate::knowledge::Node;
use crate::read::{self, Assigned, Assignment, Command, Descriptor, Kind, Limits, Operator, Program, Redirect, Runs};
use crate::word::{base_name, mark, shown};

/// The most commands that one text runs, with those that commands run.
const MOST_COMMANDS: usize = 2_048;
/// The most values of a loop that are followed one by one.
const MOST_VALUES: usize = 32;

impl Lowering<'_> {
    /// Runs a text as a program of the shell.
    pub(super) fn text(&mut self, field: &Field, scope: &mut Scope, input: &Stream) -> Stream {
        // A variable that the text does not set is a value, unless it is all that there is.
        let is_open = field.taint.is_made || field.value.chars().all(|c| mark::is(c) || c.is_whitespace());
        if field.value.contains([mark::UNKNOWN, mark::SPLITS]) && is_open {
            // The known parts still say what they do.
            if field.taint.is_downloaded {
                self.add(EffectKind::RunsDownload, "", &field.span);
            } else {
                self.add(EffectKind::RunsCode, "an unknown text", &field.span);
            }
        }
        // A mark is one character for the reader, as the value of an expansion is.
        let plain: String = field.value.chars().map(|c| if c == mark::HOME { '~' } else { c }).collect();
        match read::read(&plain, Limits::DEFAULT) {
            Ok(program) => {
                self.texts += 1;
                let outer = std::mem::replace(&mut self.text, self.texts);
                let place = |span: &Range<usize>| match field.at {
                    Some(at) => span.start + at..span.end + at,
                    None => field.span.clone(),
                };
                let output = self.moved(place, |lowering| {
                    lowering.deeper(&field.span, |lowering| lowering.program(&program, scope, input))
                });
                self.text = outer;
                output
            }
            Err(refusal) => {
                self.add(EffectKind::RunsCode, format!("a text that cannot be read: {}", refusal.reason), &field.span);
                Stream::unknown()
            }
        }
    }

    /// Runs the functions and aliases that the text defines and does not call: a later text of the same shell can.
    pub(super) fn left_behind(&mut self, scope: &Scope) {
        // A function may define others.
        let mut next = 0;
        while let Some(Defined { body, scope: mut inside, text }) = self.functions.get(next).cloned() {
            next += 1;
            if self.called.iter().any(|called| Rc::ptr_eq(called, &body)) || next >= MOST_COMMANDS {
                continue;
            }
            inside.arguments = None;
            if text == 0 {
                self.command(&body, &mut inside, &Stream::unknown());
            } else {
                self.at(&(0..0), |lowering| lowering.command(&body, &mut inside, &Stream::unknown()));
            }
        }
        let mut aliases: Vec<_> = scope.aliases.clone().into_iter().collect();
        aliases.sort();
        for (_, text) in aliases {
            let field = Field::new(text, 0..0);
            self.text(&field, &mut scope.clone(), &Stream::unknown());
        }
    }

    /// Runs a list.
    pub(super) fn program(&mut self, program: &Program, scope: &mut Scope, input: &Stream) -> Stream {
        let mut output = Stream::text("");
        for (number, entry) in program.entries.iter().enumerate() {
            let directory = scope.directory.clone();
            // Behind `cd x ||`, the directory is the one before.
            if entry.runs == Runs::AfterFailure
                && let Some(before) = scope.before.take()
            {
                scope.directory = before;
            }
            let printed = match &entry.commands[..] {
                [command] => self.command(command, scope, input),
                commands => {
                    // Each command of a pipeline has a shell of its own.
                    let mut stream = input.clone();
                    for command in commands {
                        let mut inside = scope.clone();
                        stream = self.command(command, &mut inside, &stream);
                        // The files that it wrote stay.
                        scope.files = inside.files;
                    }
                    stream
                }
            };
            output = output.and(printed);
            if entry.runs == Runs::AfterFailure && ends_the_text(&entry.commands) {
                scope.directory = directory;
            } else if scope.directory != directory {
                let next = program.entries.get(number + 1).map(|next| next.runs);
                let goes_on = !scope.stops_at_errors && next != Some(Runs::AfterSuccess);
                scope.before = goes_on.then_some(directory);
            }
        }
        output
    }

    fn command(&mut self, command: &Command, scope: &mut Scope, input: &Stream) -> Stream {
        self.count += 1;
        if self.count > MOST_COMMANDS {
            if self.count == MOST_COMMANDS + 1 {
                self.add(EffectKind::RunsCode, "too many commands", &command.span);
            }
            return Stream::unknown();
        }
        let before = scope.descriptors.clone();
        let mut ports = self.redirects(&command.redirects, scope, input);
        // `exec` with redirections and without a command changes the shell itself.
        let keeps =
            matches!(&command.kind, Kind::Simple { words, .. } if words.len() == 1 && words[0].bare() == Some("exec"));
        let output = match &command.kind {
            Kind::Simple { assignments, words } => {
                let fields = self.fields(words, scope);
                self.simple(assignments, &fields, scope, &ports.input, &command.span)
            }
            Kind::Group(program) => self.program(program, scope, &ports.input),
            Kind::Subshell(program) => {
                let mut inside = scope.clone();
                let output = self.program(program, &mut inside, &ports.input);
                scope.files = inside.files;
                output
            }
            Kind::If { branches, otherwise } => {
                let mut output = Stream::text("");
                for (condition, body) in branches {
                    self.program(condition, scope, &ports.input);
                    output = output.and(self.program(body, scope, &ports.input));
                }
                if let Some(body) = otherwise {
                    output = output.and(self.program(body, scope, &ports.input));
                }
                output
            }
            Kind::While { condition, body } => {
                self.program(condition, scope, &ports.input);
                let output = self.program(body, scope, &ports.input);
                if output.kind == StreamKind::Text(String::new()) {
                    output
                } else {
                    Stream { kind: StreamKind::Unknown, ..output }
                }
            }
            Kind::Count { expressions, body } => {
                self.arithmetic(&expressions.parts, &command.span, scope);
                self.expand(expressions, scope);
                let output = self.program(body, scope, &ports.input);
                Stream { kind: StreamKind::Unknown, ..output }
            }
            Kind::For { name, values, body } => {
                self.each((name, &command.span), values.as_deref(), body, scope, &ports.input)
            }
            Kind::Case { subject, arms } => {
                self.expand(subject, scope);
                let mut output = Stream::text("");
                for arm in arms {
                    for pattern in &arm.patterns {
                        self.expand(pattern, scope);
                    }
                    output = output.and(self.program(&arm.body, scope, &ports.input));
                }
                output
            }
            Kind::Function { name, body } => {
                let body = Rc::new((**body).clone());
                scope.functions.insert(name.clone(), Rc::clone(&body));
                self.functions.push(Defined { body, scope: scope.clone(), text: self.text });
                Stream::text("")
            }
            Kind::Coprocess(body) => {
                let mut inside = scope.clone();
                // What is written to it is not followed.
                self.command(body, &mut inside, &Stream::unknown());
                Stream::text("")
            }
            Kind::Test(words) => {
                let fields = self.fields(words, scope);
                self.evaluated(&fields, scope);
                Stream::text("")
            }
            Kind::Arithmetic(word) => {
                self.arithmetic(&word.parts, &command.span, scope);
                self.expand(word, scope);
                Stream::text("")
            }
        };
        for path in ports.outputs.drain(..) {
            let known = scope.files.remove(&path).filter(|_| ports.appends).unwrap_or_else(|| Stream::text(""));
            scope.files.insert(path, known.and(output.clone()));
        }
        if !keeps {
            scope.descriptors = before;
        }
        if ports.is_redirected { Stream::text("") } else { output }
    }

    /// Runs the body of a loop for each value.
    fn each(
        &mut self,
        (name, span): (&str, &Range<usize>),
        values: Option<&[read::Word]>,
        body: &Program,
        scope: &mut Scope,
        input: &Stream,
    ) -> Stream {
        let values: Vec<(String, Taint)> = if let Some(words) = values {
            self.fields(words, scope).into_iter().map(|field| (field.value, field.taint)).collect()
        } else {
            let known = scope.arguments.clone().unwrap_or_else(|| vec![mark::UNKNOWN.to_string()]);
            known.into_iter().map(|value| (value, Taint::default())).collect()
        };
        let every = values.iter().fold(Taint::default(), |all, (_, taint)| all.and(*taint));
        let is_long = values.len() > MOST_VALUES;
        let mut output = Stream::text("");
        for (value, taint) in values.into_iter().take(MOST_VALUES) {
            let variable = if value.contains([mark::SPLITS]) { Variable::Unknown } else { Variable::Value(value) };
            self.set(name, variable, taint, span, scope);
            output = output.and(self.program(body, scope, input));
        }
        if is_long {
            scope.set(name, Variable::Unknown, every);
            output = output.and(self.program(body, scope, input));
        }
        output
    }

    /// Opens the files of a command. Returns what it reads, and the paths that get what it prints.
    fn redirects(&mut self, redirects: &[Redirect], scope: &mut Scope, input: &Stream) -> Ports {
        let mut ports = Ports { input: input.clone(), outputs: Vec::new(), appends: false, is_redirected: false };
        for redirect in redirects {
            let target = self.value(&redirect.target, scope);
            let reads = match redirect.operator {
                Operator::Document => {
                    let mut stream = Stream::text(target.value.clone());
                    stream.taint = target.taint;
                    Some(stream)
                }
                Operator::String => {
                    let mut stream = Stream::text(format!("{}\n", target.value));
                    stream.taint = target.taint;
                    Some(stream)
                }
                Operator::Read => Some(self.open(&target, scope)),
                Operator::ReadWrite if self.is_socket(&target) => {
                    self.sends_through(&target);
                    Some(Stream::unknown())
                }
                Operator::ReadWrite => {
                    self.path(EffectKind::Writes, &target, scope);
                    Some(self.open(&target, scope))
                }
                // `>& FILE` writes to a file. So does `>& $x`, unless the value is a number.
                Operator::Duplicate if is_file(redirect, &target) => {
                    self.path(EffectKind::Writes, &target, scope);
                    ports.is_redirected = true;
                    ports.outputs.push(self.ground.place(&target.value, scope).0);
                    None
                }
                Operator::Duplicate => {
                    let number = target.value.trim_end_matches('-').parse().ok();
                    if redirect.descriptor == Descriptor::Number(0)
                        || !matches!(redirect.descriptor, Descriptor::Number(1 | 2))
                    {
                        number.and_then(|number: u32| self.descriptor(number, scope, input))
                    } else {
                        // `>&2`: what is printed goes elsewhere.
                        if redirect.descriptor == Descriptor::Number(1) && number != Some(1) {
                            ports.is_redirected = number == Some(2) || number.is_none();
                        }
                        None
                    }
                }
                Operator::Write | Operator::Append => {
                    if self.is_socket(&target) {
                        self.sends_through(&target);
                        ports.is_redirected = true;
                        continue;
                    }
                    self.path(EffectKind::Writes, &target, scope);
                    let is_output = matches!(redirect.descriptor, Descriptor::Number(1) | Descriptor::OutputAndErrors);
                    if is_output {
                        ports.is_redirected = true;
                        ports.appends = redirect.operator == Operator::Append;
                        ports.outputs.push(self.ground.place(&target.value, scope).0);
                    }
                    None
                }
            };
            if let Some(stream) = reads {
                match &redirect.descriptor {
                    Descriptor::Number(0) => ports.input = stream,
                    Descriptor::Number(number) => {
                        scope.descriptors.insert(*number, stream);
                    }
                    Descriptor::Variable(name) => {
                        let number = 10 + u32::try_from(scope.descriptors.len()).unwrap_or(0);
                        scope.descriptors.insert(number, stream);
                        scope.set(name.clone(), Variable::Value(number.to_string()), Taint::default());
                    }
                    Descriptor::OutputAndErrors => {}
                }
            }
        }
        ports
    }

    /// `/dev/tcp/HOST/PORT` is a connection for bash.
    fn is_socket(&mut self, target: &Field) -> bool {
        let value = target.value.as_str();
        let is_socket = value.starts_with("/dev/tcp/") || value.starts_with("/dev/udp/");
        if is_socket && let Some(host) = value.split('/').nth(3).filter(|host| !is_local(host)) {
            self.add(EffectKind::Receives, shown(host), &target.span);
        }
        is_socket
    }

    /// What goes through a connection reaches its host.
    fn sends_through(&mut self, target: &Field) {
        if let Some(host) = target.value.split('/').nth(3).filter(|host| !is_local(host)) {
            self.add(EffectKind::Sends, shown(host), &target.span);
        }
    }

    fn descriptor(&self, number: u32, scope: &Scope, input: &Stream) -> Option<Stream> {
        if number == 0 {
            return Some(input.clone());
        }
        let process = || self.processes.iter().find(|(other, _)| *other == number).map(|(_, stream)| stream.clone());
        scope.descriptors.get(&number).cloned().or_else(process)
    }

    /// Reads a file. Returns its content, as far as the text decides it.
    pub(super) fn open(&mut self, path: &Field, scope: &Scope) -> Stream {
        let value = path.value.as_str();
        if let Some(number) = value.strip_prefix("/dev/fd/").or_else(|| value.strip_prefix("/proc/self/fd/"))
            && let Ok(number) = number.parse()
        {
            return self.descriptor(number, scope, &Stream::default()).unwrap_or_else(Stream::unknown);
        }
        if value == "/dev/null" {
            return Stream::text("");
        }
        self.path(EffectKind::Reads, path, scope);
        if value.contains([mark::UNKNOWN, mark::SPLITS]) {
            return Stream::unknown();
        }
        let (object, place) = self.ground.place(value, scope);
        if let Some(stream) = scope.files.get(&object) {
            return stream.clone();
        }
        let mut stream = Stream::of(StreamKind::File(object));
        stream.taint.is_secret = place == EffectPlace::Credentials;
        stream
    }

    /// Runs a simple command after its expansion.
    pub(super) fn simple(
        &mut self,
        assignments: &[Assignment],
        fields: &[Field],
        scope: &mut Scope,
        input: &Stream,
        span: &Range<usize>,
    ) -> Stream {
        let mut set = Vec::new();
        for assignment in assignments {
            let (variable, taint) = self.assigned(assignment, scope);
            set.push((assignment.name.clone(), variable, taint, assignment.span.clone()));
        }
        let declares = fields
            .first()
            .and_then(Field::literal)
            .is_some_and(|name| matches!(name, "declare" | "typeset" | "local" | "export" | "readonly"));
        if fields.is_empty() || declares {
            let is_exported = fields.first().and_then(Field::literal) == Some("export");
            for (name, variable, taint, span) in set {
                if is_exported || fields.is_empty() && is_exported_already(&name) {
                    self.variable(None, &name, &variable, &span, scope);
                }
                scope.set(name, variable, taint);
            }
            return Stream::text("");
        }
        for (name, variable, _, span) in &set {
            let program = fields.first().and_then(Field::literal).map(base_name).and_then(Node::program);
            self.variable(program, name, variable, span, scope);
        }
        // What a program does with a variable is not known if nothing describes the program.
        let name = fields[0].literal().map(base_name).unwrap_or_default();
        if described(name).is_none() && !scope.functions.contains_key(name) && !is_builtin(name) {
            let values = set.iter().filter_map(|(_, variable, taint, span)| match variable {
                Variable::Value(value) => Some(Field { taint: *taint, ..Field::new(value.clone(), span.clone()) }),
                Variable::Array(_) | Variable::Unknown => None,
            });
            self.touches(&values.collect::<Vec<_>>(), scope);
        }
        self.run(fields, scope, input, span)
    }

    fn assigned(&mut self, assignment: &Assignment, scope: &mut Scope) -> (Variable, Taint) {
        if let Some(index) = &assignment.index {
            self.expand(index, scope);
        }
        let before = if assignment.appends { scope.taint(&assignment.name) } else { Taint::default() };
        match &assignment.value {
            Assigned::Array(words) => {
                let fields = self.fields(words, scope);
                let taint = Taint::of(&fields);
                let mut elements: Vec<String> = fields.into_iter().map(|field| field.value).collect();
                if let Some(Variable::Array(before)) =
                    scope.variables.get(&assignment.name).filter(|_| assignment.appends)
                {
                    elements = before.iter().cloned().chain(elements).collect();
                }
                (Variable::Array(elements), taint.and(before))
            }
            Assigned::Word(word) => {
                let field = self.value(word, scope);
                let (value, taint) = (field.value, field.taint.and(before));
                if assignment.index.is_some() {
                    return (Variable::Unknown, Taint { is_made: true, ..taint });
                }
                let variable = match scope.variables.get(&assignment.name) {
                    Some(Variable::Value(before)) if assignment.appends => Variable::Value(format!("{before}{value}")),
                    _ => Variable::Value(value),
                };
                (variable, taint)
            }
        }
    }

    /// Runs a program with its arguments.
    pub(super) fn run(&mut self, fields: &[Field], scope: &mut Scope, input: &Stream, span: &Range<usize>) -> Stream {
        let Some(first) = fields.first() else { return Stream::text("") };
        self.count += 1;
        if self.count > MOST_COMMANDS || self.depth >= MOST_DEPTH {
            self.add(EffectKind::RunsCode, "too many commands", span);
            return Stream::unknown();
        }
        let Some(path) = first.literal() else { return self.unknown_name(fields, scope, input, span) };
        let path = path.to_owned();
        if let Some(text) = scope.aliases.get(&path).cloned() {
            let rest: Vec<&str> = fields[1..].iter().map(|field| field.value.as_str()).collect();
            let text = Field::new(format!("{text} {}", rest.join(" ")), span.clone());
            scope.aliases.remove(&path);
            return self.called(fields, span, |lowering| lowering.text(&text, scope, input));
        }
        if let Some(function) = scope.functions.get(&path).cloned() {
            let arguments: Vec<String> = fields[1..].iter().map(|field| field.value.clone()).collect();
            let before = scope.arguments.replace(arguments);
            self.called.push(Rc::clone(&function));
            let is_here =
                self.functions.iter().any(|defined| Rc::ptr_eq(&defined.body, &function) && defined.text == self.text);
            let output = self.called(fields, span, |lowering| {
                lowering.deeper(span, |lowering| {
                    if is_here {
                        lowering.command(&function, scope, input)
                    } else {
                        lowering.at(span, |lowering| lowering.command(&function, scope, input))
                    }
                })
            });
            scope.arguments = before;
            return output;
        }
        if let Some(output) = self.builtin(&path, fields, scope, input, span) {
            return output;
        }
        let name = base_name(&path);
        // `!ls` and `^K!ls` run `ls` where a person types them into a program.
        if let Some(at) = path.find('!') {
            let mut words = fields.to_vec();
            words[0] = words[0].from(at + 1);
            if !words[0].value.is_empty() {
                return self.run(&words, scope, input, span);
            }
        }
        // A path that the text has written, or a program of the project, is not the program of this name.
        if path.contains('/') && !self.ground.is_system_program(&path, scope) {
            return self.owned(fields, None, span, |lowering| lowering.file(first, fields, scope, input));
        }
        // `git-push` is `git push`.
        if let Some(sub) = name.strip_prefix("git-").filter(|_| Node::program(name).is_none())
            && Node::program("git").is_some_and(|git| git.sub(sub).is_some())
        {
            let words = ["git", sub].map(|word| Field::new(word, first.span.clone()));
            let words: Vec<Field> = words.into_iter().chain(fields[1..].iter().cloned()).collect();
            return self.run(&words, scope, input, span);
        }
        match described(name) {
            Some(node) => {
                let call = arguments::call(node, fields);
                self.owned(fields, Some(&call), span, |lowering| {
                    lowering.deeper(span, |lowering| lowering.call(node, &call, fields, scope, input, span))
                })
            }
            None => self.owned(fields, None, span, |lowering| lowering.unknown(fields, scope, input)),
        }
    }

    /// Runs a file by its path.
    pub(super) fn file(&mut self, path: &Field, fields: &[Field], scope: &mut Scope, input: &Stream) -> Stream {
        let (object, place) = self.ground.place(&path.value, scope);
        if let Some(stream) = scope.files.get(&object).cloned() {
            self.script("shell", &stream, path, scope, input);
            return Stream::unknown();
        }
        match place {
            EffectPlace::Project | EffectPlace::Build => {
                self.add(EffectKind::RunsProject, object.clone(), &path.span);
                // Programs that the project has installed are what their names say.
                let directories = ["bin", "node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin"];
                let (directory, name) = object.rsplit_once('/').unwrap_or_default();
                if directories.contains(&directory)
                    && let Some(node) = Node::program(name)
                {
                    let call = arguments::call(node, fields);
                    let span = path.span.clone();
                    return self.deeper(&span, |lowering| lowering.call(node, &call, fields, scope, input, &span));
                }
                self.touches(&fields[1..], scope);
            }
            place => {
                self.push(EffectKind::RunsCode, object, Some(place), &path.span);
                self.touches(&fields[1..], scope);
            }
        }
        Stream::unknown()
    }

    /// Runs code that a stream has, in a language.
    pub(super) fn script(&mut self, language: &str, stream: &Stream, field: &Field, scope: &mut Scope, input: &Stream) {
        if stream.taint.is_downloaded {
            self.add(EffectKind::RunsDownload, "", &field.span);
            return;
        }
        match &stream.kind {
            StreamKind::Text(text) => {
                let code = Field::new(text.clone(), field.span.clone());
                self.code(language, &code, scope, input);
            }
            StreamKind::File(path) => {
                let (object, place) = (path.clone(), self.ground.place_of_path(path, scope));
                match place {
                    EffectPlace::Project | EffectPlace::Build => self.add(EffectKind::RunsProject, object, &field.span),
                    _ => self.push(EffectKind::RunsCode, object, Some(place), &field.span),
                }
            }
            StreamKind::Inherited => {}
            StreamKind::Places(_) | StreamKind::Name | StreamKind::Unknown => {
                self.add(EffectKind::RunsCode, "the output of a command", &field.span);
            }
        }
    }

    /// Runs code of a language.
    pub(super) fn code(&mut self, language: &str, code: &Field, scope: &mut Scope, input: &Stream) {
        if matches!(language, "shell" | "sh" | "bash" | "zsh") {
            let mut inside = scope.clone();
            self.text(code, &mut inside, input);
            return;
        }
        if code.taint.is_downloaded {
            self.add(EffectKind::RunsDownload, "", &code.span);
        }
        super::code::effects(self, language, code, scope);
    }

    /// What a variable of the environment does to a program.
    pub(super) fn variable(
        &mut self,
        program: Option<Node>,
        name: &str,
        value: &Variable,
        span: &Range<usize>,
        scope: &mut Scope,
    ) {
        let text = match value {
            Variable::Value(value) => value.clone(),
            Variable::Array(_) | Variable::Unknown => mark::UNKNOWN.to_string(),
        };
        let is_setting_of_git = name.starts_with("GIT_CONFIG_VALUE_") || name == "GIT_CONFIG_PARAMETERS";
        let kind = program
            .and_then(|program| program.variable(name))
            .or_else(|| is_setting_of_git.then_some("SHELL"))
            .or_else(|| Node::program("*").and_then(|every| every.variable(name)));
        let Some(kind) = kind else {
            if !scope.files.is_empty() {
                self.written(&Field::new(text, span.clone()), scope);
            }
            return;
        };
        let field = Field::new(text, span.clone());
        match arguments::chosen(kind, &field) {
            Some(kind) => self.kind(kind, &field, scope, &Stream::default()),
            None => self.touches(std::slice::from_ref(&field), scope),
        }
        // What every program obeys holds for this one too.
        if let Some(every) = Node::program("*").and_then(|every| every.variable(name)).filter(|every| *every != kind) {
            self.kind(every, &field, scope, &Stream::default());
        }
    }
}

/// Returns the description of a program. Some systems ignore the case of names, and add `.exe`.
fn described(name: &str) -> Option<Node> {
    Node::program(name).or_else(|| {
        let lower = name.to_ascii_lowercase();
        Node::program(lower.strip_suffix(".exe").unwrap_or(&lower))
    })
}

/// Returns whether a pipeline ends the text: `exit`, `return`.
fn ends_the_text(commands: &[Command]) -> bool {
    matches!(commands, [Command { kind: Kind::Simple { words, .. }, .. }]
        if words.first().and_then(read::Word::bare).is_some_and(|name| matches!(name, "exit" | "return" | "die")))
}

/// Returns whether `>&` has the name of a file behind it.
fn is_file(redirect: &Redirect, target: &Field) -> bool {
    let is_output = matches!(redirect.descriptor, Descriptor::Number(1) | Descriptor::OutputAndErrors);
    let is_number = target.value.trim_end_matches('-').bytes().all(|b| b.is_ascii_digit());
    is_output && !is_number && !target.value.starts_with([mark::UNKNOWN, mark::SPLITS, mark::NUMBER])
}

/// What a command reads and where its output goes.
struct Ports {
    input: Stream,
    outputs: Vec<String>,
    appends: bool,
    is_redirected: bool,
}

/// Variables that the shell itself obeys, or that it has from its environment.
pub(super) fn is_exported_already(name: &str) -> bool {
    matches!(name, "PATH" | "PROMPT_COMMAND" | "BASH_ENV" | "ENV" | "PS4" | "LD_PRELOAD" | "SHELLOPTS")
}
