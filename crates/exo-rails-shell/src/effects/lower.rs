//! From commands to effects.
//!
//! The text is run as far as it can be without a machine: variables get their values, functions and files that the text defines are
//! followed, and what one command prints reaches the next. Every command adds its effects. What branches is run on every branch.

use std::ops::Range;
use std::rc::Rc;

use super::arguments::{self, Call};
use super::effect::{Effect, EffectKind, EffectPlace, shown};
use super::expand::{Field, below};
use super::place::Ground;
use super::scope::{Scope, Stream, StreamKind, Variable};
use crate::knowledge::Node;
use crate::read::{
    self, Assigned, Assignment, Command, Descriptor, Kind, Limits, Operator, Program, Redirect, is_name,
};
use crate::word::{base_name, mark};

/// The most commands that one text runs, with those that commands run.
const MOST_COMMANDS: usize = 2_048;
/// The most programs that run each other.
const MOST_DEPTH: usize = 24;
/// The most values of a loop that are followed one by one.
const MOST_VALUES: usize = 32;

/// Runs a text without a machine, and collects its effects.
pub(super) struct Lowering<'g> {
    pub(super) ground: &'g Ground,
    pub(super) effects: Vec<Effect>,
    /// What `/dev/fd/N` of a process substitution reads.
    pub(super) processes: Vec<(u32, Stream)>,
    commands: usize,
    depth: usize,
    /// The program that runs, for its variables.
    pub(super) program_node: Option<Node>,
    /// What runs here is only possible: a program that is not known may run it.
    possible: bool,
}

impl<'g> Lowering<'g> {
    pub(super) const fn new(ground: &'g Ground) -> Self {
        Self {
            ground,
            effects: Vec::new(),
            processes: Vec::new(),
            commands: 0,
            depth: 0,
            program_node: None,
            possible: false,
        }
    }

    pub(super) fn add(&mut self, kind: EffectKind, object: impl Into<String>, span: &Range<usize>) {
        self.push(kind, object.into(), None, span);
    }

    fn push(&mut self, kind: EffectKind, object: String, place: Option<EffectPlace>, span: &Range<usize>) {
        let effect = Effect { kind, object, place, is_possible: self.possible, span: span.clone() };
        if !self.effects.contains(&effect) {
            self.effects.push(effect);
        }
    }

    /// Adds an effect on a path.
    pub(super) fn path(&mut self, kind: EffectKind, field: &Field, scope: &Scope) {
        let (object, place) = self.ground.place(&field.value, scope);
        self.push(kind, object, Some(place), &field.span);
    }

    /// Runs a text as a program of the shell.
    pub(super) fn text(&mut self, field: &Field, scope: &mut Scope, input: &Stream) -> Stream {
        if mark::in_text(&field.value)
            && field.literal().is_none()
            && field.value.contains([mark::UNKNOWN, mark::SPLITS])
        {
            // The known parts still say what they do.
            if field.is_downloaded {
                self.add(EffectKind::RunsDownload, "", &field.span);
            } else {
                self.add(EffectKind::RunsCode, "an unknown text", &field.span);
            }
        }
        // A mark is one character for the reader, as the value of an expansion is.
        let plain: String = field.value.chars().map(|c| if c == mark::HOME { '~' } else { c }).collect();
        match read::read(&plain, Limits::DEFAULT) {
            Ok(program) => {
                let exact = field.at;
                let mut inner = std::mem::take(&mut self.effects);
                let output = self.deeper(&field.span, |lowering| lowering.program(&program, scope, input));
                // The places in the inner text become places in the whole text.
                for effect in &mut self.effects {
                    effect.span = match exact {
                        Some(at) => effect.span.start + at..effect.span.end + at,
                        None => field.span.clone(),
                    };
                }
                inner.append(&mut self.effects);
                self.effects = inner;
                output
            }
            Err(refusal) => {
                self.add(EffectKind::RunsCode, format!("a text that cannot be read: {}", refusal.reason), &field.span);
                Stream::unknown()
            }
        }
    }

    fn deeper(&mut self, span: &Range<usize>, run: impl FnOnce(&mut Self) -> Stream) -> Stream {
        if self.depth >= MOST_DEPTH {
            self.add(EffectKind::RunsCode, "too many programs run each other", span);
            return Stream::unknown();
        }
        self.depth += 1;
        let output = run(self);
        self.depth -= 1;
        output
    }

    /// Runs a list.
    pub(super) fn program(&mut self, program: &Program, scope: &mut Scope, input: &Stream) -> Stream {
        let mut output = Stream::text("");
        for entry in &program.entries {
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
        }
        output
    }

    fn command(&mut self, command: &Command, scope: &mut Scope, input: &Stream) -> Stream {
        self.commands += 1;
        if self.commands > MOST_COMMANDS {
            if self.commands == MOST_COMMANDS + 1 {
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
                self.expand(expressions, scope);
                let output = self.program(body, scope, &ports.input);
                Stream { kind: StreamKind::Unknown, ..output }
            }
            Kind::For { name, values, body } => self.each(name, values.as_deref(), body, scope, &ports.input),
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
                scope.functions.insert(name.clone(), Rc::new((**body).clone()));
                Stream::text("")
            }
            Kind::Coprocess(body) => {
                let mut inside = scope.clone();
                // What is written to it is not followed.
                self.command(body, &mut inside, &Stream::unknown());
                Stream::text("")
            }
            Kind::Test(words) => {
                self.fields(words, scope);
                Stream::text("")
            }
            Kind::Arithmetic(word) => {
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
        name: &str,
        values: Option<&[read::Word]>,
        body: &Program,
        scope: &mut Scope,
        input: &Stream,
    ) -> Stream {
        let values: Vec<String> = match values {
            Some(words) => self.fields(words, scope).into_iter().map(|field| field.value).collect(),
            None => scope.arguments.clone().unwrap_or_else(|| vec![mark::UNKNOWN.to_string()]),
        };
        let is_long = values.len() > MOST_VALUES;
        let mut output = Stream::text("");
        for value in values.into_iter().take(MOST_VALUES) {
            let variable = if value.contains([mark::SPLITS]) { Variable::Unknown } else { Variable::Value(value) };
            scope.variables.insert(name.to_owned(), variable);
            output = output.and(self.program(body, scope, input));
        }
        if is_long {
            scope.variables.insert(name.to_owned(), Variable::Unknown);
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
                    (stream.is_secret, stream.is_downloaded) = (target.is_secret, target.is_downloaded);
                    Some(stream)
                }
                Operator::String => {
                    let mut stream = Stream::text(format!("{}\n", target.value));
                    (stream.is_secret, stream.is_downloaded) = (target.is_secret, target.is_downloaded);
                    Some(stream)
                }
                Operator::Read => Some(self.open(&target, scope)),
                Operator::ReadWrite if self.is_socket(&target) => Some(Stream::unknown()),
                Operator::ReadWrite => {
                    self.path(EffectKind::Writes, &target, scope);
                    Some(self.open(&target, scope))
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
                        if let Some(host) = target.value.split('/').nth(3) {
                            self.add(EffectKind::Sends, shown(host), &target.span);
                        }
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
                        scope.variables.insert(name.clone(), Variable::Value(number.to_string()));
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
        if is_socket && let Some(host) = value.split('/').nth(3) {
            self.add(EffectKind::Receives, shown(host), &target.span);
        }
        is_socket
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
        stream.is_secret = place == EffectPlace::Credentials;
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
            let variable = self.assigned(assignment, scope);
            set.push((assignment.name.clone(), variable, assignment.span.clone()));
        }
        let declares = fields
            .first()
            .and_then(Field::literal)
            .is_some_and(|name| matches!(name, "declare" | "typeset" | "local" | "export" | "readonly"));
        if fields.is_empty() || declares {
            let is_exported = fields.first().and_then(Field::literal) == Some("export");
            for (name, variable, span) in set {
                if is_exported || fields.is_empty() && is_exported_already(&name) {
                    self.variable(None, &name, &variable, &span, scope);
                }
                scope.variables.insert(name, variable);
            }
            return Stream::text("");
        }
        for (name, variable, span) in &set {
            let program = fields.first().and_then(Field::literal).map(base_name).and_then(Node::program);
            self.variable(program, name, variable, span, scope);
        }
        self.run(fields, scope, input, span)
    }

    fn assigned(&mut self, assignment: &Assignment, scope: &mut Scope) -> Variable {
        if let Some(index) = &assignment.index {
            self.expand(index, scope);
        }
        match &assignment.value {
            Assigned::Array(words) => {
                let mut elements: Vec<String> =
                    self.fields(words, scope).into_iter().map(|field| field.value).collect();
                if let Some(Variable::Array(before)) =
                    scope.variables.get(&assignment.name).filter(|_| assignment.appends)
                {
                    elements = before.iter().cloned().chain(elements).collect();
                }
                Variable::Array(elements)
            }
            Assigned::Word(word) => {
                let value = self.value(word, scope).value;
                if assignment.index.is_some() {
                    return Variable::Unknown;
                }
                match scope.variables.get(&assignment.name) {
                    Some(Variable::Value(before)) if assignment.appends => Variable::Value(format!("{before}{value}")),
                    _ => Variable::Value(value),
                }
            }
        }
    }

    /// Runs a program with its arguments.
    pub(super) fn run(&mut self, fields: &[Field], scope: &mut Scope, input: &Stream, span: &Range<usize>) -> Stream {
        let Some(first) = fields.first() else { return Stream::text("") };
        self.commands += 1;
        if self.commands > MOST_COMMANDS || self.depth >= MOST_DEPTH {
            self.add(EffectKind::RunsCode, "too many commands", span);
            return Stream::unknown();
        }
        let Some(path) = first.literal() else { return self.unknown_name(fields, scope, input, span) };
        let path = path.to_owned();
        if let Some(text) = scope.aliases.get(&path).cloned() {
            let rest: Vec<&str> = fields[1..].iter().map(|field| field.value.as_str()).collect();
            let text = Field::new(format!("{text} {}", rest.join(" ")), span.clone());
            scope.aliases.remove(&path);
            return self.text(&text, scope, input);
        }
        if let Some(function) = scope.functions.get(&path).cloned() {
            let arguments: Vec<String> = fields[1..].iter().map(|field| field.value.clone()).collect();
            let before = scope.arguments.replace(arguments);
            let output = self.deeper(span, |lowering| lowering.command(&function, scope, input));
            scope.arguments = before;
            return output;
        }
        if let Some(output) = self.builtin(&path, fields, scope, input, span) {
            return output;
        }
        let name = base_name(&path);
        // A path that the text has written, or a program of the project, is not the program of this name.
        if path.contains('/') && !self.ground.is_system_program(&path, scope) {
            return self.file(first, fields, scope, input);
        }
        match Node::program(name) {
            Some(node) => {
                let call = arguments::call(node, fields);
                self.deeper(span, |lowering| lowering.call(node, &call, fields, scope, input, span))
            }
            None => self.unknown(fields, scope, input),
        }
    }

    /// The name of the program depends on something that is not known.
    fn unknown_name(&mut self, fields: &[Field], scope: &mut Scope, input: &Stream, span: &Range<usize>) -> Stream {
        let first = &fields[0];
        if first.is_downloaded {
            self.add(EffectKind::RunsDownload, "", &first.span);
        }
        // A pattern may find a known program: `/bin/r?`. A directory that is not known does not change the name.
        let name = base_name(&first.value);
        if !mark::in_text(name) && Node::program(name).is_some() && !first.value.contains(mark::STAR) {
            let mut named = fields.to_vec();
            named[0] = Field::new(name, first.span.clone());
            return self.run(&named, scope, input, span);
        }
        if self.ground.place(&first.value, scope).1 == EffectPlace::Project {
            return self.file(first, fields, scope, input);
        }
        self.add(EffectKind::RunsCode, format!("an unknown program: {}", shown(&first.value)), &first.span);
        self.touches(&fields[1..], scope);
        Stream::unknown()
    }

    /// Runs a file by its path.
    fn file(&mut self, path: &Field, fields: &[Field], scope: &mut Scope, input: &Stream) -> Stream {
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
            _ => {
                self.add(EffectKind::RunsCode, object, &path.span);
                self.touches(&fields[1..], scope);
            }
        }
        Stream::unknown()
    }

    /// Runs a program that nothing describes: what it could touch is possible.
    fn unknown(&mut self, fields: &[Field], scope: &mut Scope, input: &Stream) -> Stream {
        let name = shown(&fields[0].value);
        self.add(EffectKind::Unknown, name, &fields[0].span);
        self.touches(&fields[1..], scope);
        Stream { kind: StreamKind::Unknown, is_secret: input.is_secret, is_downloaded: input.is_downloaded }
    }

    /// Adds what words could mean for a program that does not say: places outside of the project, hosts, credentials, commands.
    pub(super) fn touches(&mut self, fields: &[Field], scope: &mut Scope) {
        let before = std::mem::replace(&mut self.possible, true);
        for field in fields {
            if field.is_secret {
                self.add(EffectKind::UsesCredentials, "", &field.span);
            }
            let mut readings = vec![field.clone()];
            if let Some(equals) = field.value.find('=') {
                readings.push(field.from(equals + 1));
            }
            if let Some(at) = field.value.strip_prefix('@').map(|_| 1) {
                readings.push(field.from(at));
            }
            if field.value.starts_with('-') && !field.value.starts_with("--") && field.value.len() > 2 {
                readings.push(field.from(2));
            }
            for reading in readings {
                self.touch(&reading, scope);
            }
        }
        // The words together may be a command: `foo rm -rf ~`.
        for begin in 0..fields.len() {
            let is_program = fields[begin].literal().is_some_and(|name| Node::program(base_name(name)).is_some());
            if is_program && self.depth < MOST_DEPTH - 2 {
                let mut inside = scope.clone();
                self.depth += 1;
                let effects = std::mem::take(&mut self.effects);
                self.run(&fields[begin..], &mut inside, &Stream::unknown(), &fields[begin].span);
                let found = std::mem::replace(&mut self.effects, effects);
                self.depth -= 1;
                // Most words are no commands: only what would be harmful says something.
                self.effects.extend(found.into_iter().filter(|effect| !Ground::is_harmless(effect)));
                break;
            }
        }
        self.possible = before;
    }

    fn touch(&mut self, reading: &Field, scope: &mut Scope) {
        let value = reading.value.as_str();
        if value.is_empty() {
            return;
        }
        if let Some(host) = host_of_address(value).or_else(|| domain(value)) {
            if !super::apply::is_local(host) {
                self.add(EffectKind::Sends, shown(host), &reading.span);
            }
            return;
        }
        if value.starts_with(['/', mark::HOME, mark::TEMP]) || value.contains("..") || Ground::is_credential(value) {
            let (object, place) = self.ground.place(value, scope);
            let is_label = value.starts_with("//") && place == EffectPlace::Elsewhere;
            let is_harmless =
                matches!(place, EffectPlace::Project | EffectPlace::Build | EffectPlace::Temporary | EffectPlace::Null);
            if !is_harmless && !is_label {
                self.push(EffectKind::Writes, object, Some(place), &reading.span);
            }
            return;
        }
        // Code of a language that is not known may name paths and addresses.
        for (begin, part) in named_places(value) {
            let inner = Field { span: reading.span.clone(), ..reading.from(begin) };
            self.touch(&Field { value: part.to_owned(), ..inner }, scope);
        }
        // A text with blanks may be a command.
        if value.contains([' ', '\t', '\n', ';', '|', '(']) && self.depth < MOST_DEPTH - 2 {
            let text = reading.from(usize::from(value.starts_with(['!', ':'])));
            if let Ok(program) = read::read(&text.value, Limits { depth: 8, words: 256 }) {
                let mut inside = scope.clone();
                let effects = std::mem::take(&mut self.effects);
                self.depth += 1;
                self.program(&program, &mut inside, &Stream::unknown());
                self.depth -= 1;
                let found = std::mem::replace(&mut self.effects, effects);
                for effect in found {
                    let is_word = matches!(effect.kind, EffectKind::Unknown | EffectKind::RunsCode);
                    if !is_word && !Ground::is_harmless(&effect) {
                        let effect = Effect { span: reading.span.clone(), ..effect };
                        if !self.effects.contains(&effect) {
                            self.effects.push(effect);
                        }
                    }
                }
            }
        }
    }

    /// Runs code that a stream has, in a language.
    pub(super) fn script(&mut self, language: &str, stream: &Stream, field: &Field, scope: &mut Scope, input: &Stream) {
        if stream.is_downloaded {
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
                    _ => self.add(EffectKind::RunsCode, object, &field.span),
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
        if code.is_downloaded {
            self.add(EffectKind::RunsDownload, "", &code.span);
        }
        super::code::effects(self, language, code, scope);
    }

    /// What a variable of the environment does to a program.
    fn variable(
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
        let Some(kind) = kind else { return };
        let field = Field::new(text, span.clone());
        self.kind(kind, &field, scope, &Stream::default());
        // What every program obeys holds for this one too.
        if let Some(every) = Node::program("*").and_then(|every| every.variable(name)).filter(|every| *every != kind) {
            self.kind(every, &field, scope, &Stream::default());
        }
    }

    /// What a described program does.
    fn call(
        &mut self,
        node: Node,
        call: &Call,
        fields: &[Field],
        scope: &mut Scope,
        input: &Stream,
        span: &Range<usize>,
    ) -> Stream {
        if call.is_dry {
            // What runs a program may do so in a dry run too.
            for argument in &call.arguments {
                if matches!(argument.kind.split(':').next(), Some("SHELL" | "PROGRAM" | "SETTING" | "CODE")) {
                    self.kind(argument.kind, &argument.field, &mut scope.clone(), input);
                }
            }
            return Stream::unknown();
        }
        let start = self.effects.len();
        self.program_node = Some(node);
        let mut inside = self.words_of(call, scope, input);
        self.settings(call, &mut inside, input);
        if let Some(field) = call.unknown.first() {
            self.add(EffectKind::Unknown, format!("{}: {}", call.name, shown(&field.value)), &field.span);
            self.touches(&call.unknown, scope);
        }
        self.effects_of(call, scope, &inside);
        self.hosts(call, input, scope, start);
        let read: Vec<Field> = call
            .arguments
            .iter()
            .filter(|argument| matches!(argument.kind, "READ" | "CHANGE" | "FROM" | "UPLOAD"))
            .map(|argument| argument.field.clone())
            .collect();
        // What the program reads without a name is its input.
        let content = if read.is_empty() { input.clone() } else { self.contents(&read, &inside) };
        let secret = content.is_secret || call.arguments.iter().any(|argument| argument.field.is_secret);
        self.appended(call, scope, input, &read, &inside);
        if !call.input.is_empty() && !call.has_operands && call.commands.is_empty() {
            let field = fields.first().cloned().unwrap_or_default();
            let language = call.input.split_once(':').map_or("shell", |(_, language)| language);
            self.script(language, input, &field, &mut inside, &Stream::default());
        }
        let reaches = self.leaves(call, secret, start, span);
        // The files that it writes have what it received.
        for argument in call.arguments.iter().filter(|argument| argument.kind == "WRITE") {
            let object = self.ground.place(&argument.field.value, &inside).0;
            let stream = Stream { kind: StreamKind::Unknown, is_secret: secret, is_downloaded: reaches };
            scope.files.insert(object, stream);
        }
        let is_downloaded = reaches || content.is_downloaded && (call.passes || node.passes());
        printed(call, &read, &content, is_downloaded, &inside)
    }

    /// Adds the effects of the words of a call. Returns the scope in which the program works.
    fn words_of(&mut self, call: &Call, scope: &Scope, input: &Stream) -> Scope {
        // The directory of the program, for the other words.
        let mut inside = scope.clone();
        for argument in call.arguments.iter().filter(|argument| argument.kind == "DIR") {
            self.path(EffectKind::Reads, &argument.field, &inside);
            inside.directory = self.ground.directory(&argument.field.value, &inside);
        }
        let mut base = inside.clone();
        for argument in call.arguments.iter().filter(|argument| argument.kind == "BASE") {
            self.path(EffectKind::Writes, &argument.field, &base);
            base.directory = self.ground.directory(&argument.field.value, &base);
        }
        for argument in call.arguments.iter().filter(|argument| !matches!(argument.kind, "DIR" | "BASE")) {
            let mut field = argument.field.clone();
            if call.is_narrow && matches!(argument.kind, "DELETE" | "RIGHTS" | "CHANGE") {
                field.value = some_below(&field.value);
            }
            let scope = if argument.is_operand { &mut base } else { &mut inside };
            self.kind(argument.kind, &field, scope, input);
        }
        inside
    }

    /// Adds the effects that the table names.
    fn effects_of(&mut self, call: &Call, scope: &mut Scope, inside: &Scope) {
        // A program of the project is described better as what it is.
        let runs_known = call.commands.iter().any(|(_, words)| {
            words.first().and_then(Field::literal).is_some_and(|name| Node::program(base_name(name)).is_some())
        });
        for (effect, word) in &call.effects {
            if *effect == "deletes ." && (call.is_narrow || call.has_operands) {
                continue;
            }
            if effect.starts_with("fetched") && runs_known {
                self.add(EffectKind::RunsProject, "", &word.span);
                continue;
            }
            self.effect(effect, word, inside);
        }
        // What the words of a program of the project mean is not described.
        if call.has(&["project", "fetched"])
            || call.arguments.iter().any(|argument| argument.kind.starts_with("SCRIPT"))
        {
            let operands = call.arguments.iter().filter(|argument| argument.kind == "TEXT" && argument.is_operand);
            let words: Vec<Field> = operands.map(|argument| argument.field.clone()).collect();
            self.touches(&words, scope);
        }
        // What changes something in another directory changes that directory.
        let elsewhere = call
            .arguments
            .iter()
            .find(|argument| argument.kind == "DIR" && !self.ground.is_inside(&argument.field, scope));
        if let Some(argument) = elsewhere
            && call.has(&["project", "installs", "rewrites", "loses", "commits", "fetched", "writes", "deletes"])
        {
            self.path(EffectKind::Writes, &argument.field, scope);
        }
    }

    /// What a call sends and receives, beyond its words.
    fn hosts(&mut self, call: &Call, input: &Stream, scope: &mut Scope, start: usize) {
        let addresses = call.addresses();
        let is_here = |field: &&Field| super::apply::is_local(host_of_address(&field.value).unwrap_or(&field.value));
        let is_local = !addresses.is_empty() && addresses.iter().all(is_here);
        // A comment is described as such, and a service on this machine is no other host.
        if is_local || call.has(&["comments", "remote", "destroys", "publishes"]) {
            let kept = self.effects.split_off(start);
            let is_known = |effect: &Effect| {
                effect.kind == EffectKind::Sends && effect.object.is_empty()
                    || is_local && matches!(effect.kind, EffectKind::Sends | EffectKind::Receives)
            };
            self.effects.extend(kept.into_iter().filter(|effect| !is_known(effect)));
        }
        let Some(address) = addresses.first().filter(|_| !is_local) else { return };
        // A text for a program that talks to a host may name what to send.
        if let StreamKind::Text(text) = &input.kind {
            let words = text.split_whitespace().map(|word| Field::new(word, address.span.clone()));
            let words: Vec<Field> = words.collect();
            self.touches(&words, scope);
        }
        if call.has(&["installs", "fetched"]) {
            self.add(EffectKind::RunsDownload, "", &address.span);
        }
    }

    /// Adds that credentials leave, if they reach a host. Returns whether the call reaches one.
    fn leaves(&mut self, call: &Call, secret: bool, start: usize, span: &Range<usize>) -> bool {
        use EffectKind::{ChangesRemote, Publishes, Reads, Receives, Sends};
        let own = &self.effects[start..];
        let reaches = own.iter().any(|effect| matches!(effect.kind, Sends | Receives | Publishes | ChangesRemote));
        let reads_secret =
            own.iter().any(|effect| effect.place == Some(EffectPlace::Credentials) && effect.kind == Reads);
        if reaches && (secret || reads_secret) {
            let to = call.arguments.iter().find(|argument| matches!(argument.kind, "PUSH" | "URL" | "HOST" | "TO"));
            let host =
                to.map(|argument| shown(host_of_address(&argument.field.value).unwrap_or(&argument.field.value)));
            self.add(EffectKind::SendsCredentials, host.unwrap_or_default(), span);
        }
        reaches
    }

    /// `git config KEY VALUE`.
    fn settings(&mut self, call: &Call, scope: &mut Scope, input: &Stream) {
        if call.name.starts_with("git config") {
            let words: Vec<&Field> = call
                .arguments
                .iter()
                .filter(|argument| matches!(argument.kind, "TEXT" | "SETTING:git"))
                .map(|argument| &argument.field)
                .collect();
            if let [.., key, value] = &words[..] {
                let setting = Field { value: format!("{}={}", key.value, value.value), at: None, ..(*value).clone() };
                self.setting(&setting, scope, input);
            }
        }
    }

    /// Runs the commands in the words of a call.
    fn appended(&mut self, call: &Call, scope: &mut Scope, input: &Stream, read: &[Field], inside: &Scope) {
        for (kind, words) in &call.commands {
            let mut words = words.clone();
            let places: Vec<String> = if call.appends {
                match &input.kind {
                    StreamKind::Places(places) => places.iter().map(|place| below(place)).collect(),
                    StreamKind::Text(text) => words_of_input(text),
                    StreamKind::Name => vec![mark::NUMBER.to_string()],
                    _ => vec![mark::UNKNOWN.to_string()],
                }
            } else if call.is_narrow {
                if read.is_empty() {
                    vec![some_below(".")]
                } else {
                    read.iter().map(|field| some_below(&field.value)).collect()
                }
            } else if read.is_empty() {
                vec![mark::STAR.to_string()]
            } else {
                read.iter().map(|field| below(&field.value)).collect()
            };
            let span = words.first().map(|word| word.span.clone()).unwrap_or_default();
            let holds = words.iter().any(|word| word.value.contains("{}"));
            if holds {
                words = words
                    .iter()
                    .flat_map(|word| {
                        let replaced =
                            |place: &String| Field { value: word.value.replace("{}", place), at: None, ..word.clone() };
                        if word.value.contains("{}") {
                            places.iter().map(replaced).collect()
                        } else {
                            vec![word.clone()]
                        }
                    })
                    .collect();
            } else if call.appends {
                words.extend(places.iter().map(|place| Field::new(place.clone(), span.clone())));
            }
            // One word with blanks is a text for a shell: `watch 'a; b'`.
            let is_text = words.len() == 1 && words[0].value.contains([' ', ';', '|', '\n']);
            match *kind {
                "COMMAND..." if is_text => {
                    self.text(&words[0], &mut inside.clone(), input);
                }
                "INSIDE..." => self.contained(&words, scope, &span),
                "THERE..." => self.elsewhere(&words, scope, &span),
                _ => {
                    let mut runs = inside.clone();
                    // `env A=b`: assignments in front belong to the command.
                    let passed = if call.appends { Stream::default() } else { input.clone() };
                    self.run(&words, &mut runs, &passed, &span);
                }
            }
        }
    }

    /// A command in a container: only its hosts and credentials matter outside.
    fn contained(&mut self, words: &[Field], scope: &Scope, span: &Range<usize>) {
        let effects = std::mem::take(&mut self.effects);
        let mut inside = scope.clone();
        inside.directory = crate::place::Directory::At("/work".to_owned());
        self.run(words, &mut inside, &Stream::default(), span);
        let found = std::mem::replace(&mut self.effects, effects);
        let leaves = |effect: &Effect| {
            matches!(
                effect.kind,
                EffectKind::Sends
                    | EffectKind::SendsCredentials
                    | EffectKind::Publishes
                    | EffectKind::Destroys
                    | EffectKind::ChangesRemote
            )
        };
        self.effects.extend(found.into_iter().filter(leaves));
    }

    /// A command on another machine: what it changes there is a change of a server.
    fn elsewhere(&mut self, words: &[Field], scope: &Scope, span: &Range<usize>) {
        let text = words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(" ");
        let field = Field::new(text, span.clone());
        let effects = std::mem::take(&mut self.effects);
        let mut inside = scope.clone();
        inside.directory = crate::place::Directory::At("~".to_owned());
        self.text(&field, &mut inside, &Stream::default());
        let found = std::mem::replace(&mut self.effects, effects);
        for effect in found {
            let kind = match effect.kind {
                EffectKind::Reads | EffectKind::Receives if effect.place != Some(EffectPlace::Credentials) => continue,
                EffectKind::Deletes | EffectKind::Loses | EffectKind::StopsMachine | EffectKind::Destroys => {
                    EffectKind::Destroys
                }
                _ => EffectKind::ChangesRemote,
            };
            self.push(kind, effect.to_string(), None, span);
        }
    }

    /// Joins the contents of files.
    fn contents(&mut self, paths: &[Field], scope: &Scope) -> Stream {
        let before = self.effects.len();
        let streams: Vec<Stream> = paths.iter().map(|path| self.open(path, scope)).collect();
        self.effects.truncate(before);
        let mut streams = streams.into_iter();
        let first = streams.next().unwrap_or_default();
        streams.fold(first, Stream::and)
    }
}

/// What a command reads and where its output goes.
struct Ports {
    input: Stream,
    outputs: Vec<String>,
    appends: bool,
    is_redirected: bool,
}

/// Returns the paths and addresses in a text, with the places where they begin.
fn named_places(text: &str) -> Vec<(usize, &str)> {
    let is_edge = |c: char| {
        c.is_whitespace()
            || matches!(c, '"' | '\'' | '`' | '(' | ')' | ',' | ';' | '=' | '<' | '>' | '[' | ']' | '{' | '}')
    };
    let mut found = Vec::new();
    let mut at = 0;
    for part in text.split(is_edge) {
        let is_place =
            part.starts_with(['/', mark::HOME]) && part.len() > 1 || part.starts_with("~/") || part.contains("://");
        if is_place && part.len() < text.len() {
            found.push((at, part));
        }
        at += part.len() + text[at + part.len()..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

/// Divides a text at blanks outside of quotes, as `xargs` does.
fn words_of_input(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(end), c) if c == end => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Returns a path for some of the files below a place.
fn some_below(place: &str) -> String {
    format!("{}/{}", if place.is_empty() { "." } else { place.trim_end_matches('/') }, mark::NUMBER)
}

/// Returns a word that has the form of a domain: `db.prod.example.com`.
fn domain(value: &str) -> Option<&str> {
    let host = value.split(':').next().unwrap_or(value);
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let end = labels.last()?;
    let is_name = end.len() >= 2 && end.bytes().all(|b| b.is_ascii_alphabetic());
    let known = [
        "com", "org", "net", "io", "dev", "app", "cloud", "internal", "local", "invalid", "example", "test", "de",
        "co", "ai", "sh", "xyz",
    ];
    (labels.len() >= 3 && is_name && known.contains(end) && labels.iter().all(is_label)).then_some(host)
}

/// Returns the host of an address such as `https://host/path`, `user@host:path` or an IP address.
pub(super) fn host_of_address(value: &str) -> Option<&str> {
    if let Some((scheme, rest)) = value.split_once("://") {
        if scheme == "file" || !scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')) {
            return None;
        }
        let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        return Some(host.rsplit('@').next().unwrap_or(host));
    }
    let host = value.split([':', '/']).next().unwrap_or(value);
    let digits = host.split('.').filter(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit())).count();
    if digits == 4 && host.split('.').count() == 4 {
        return Some(host);
    }
    let (user, host) = value.split_once('@')?;
    let host = host.split([':', '/']).next().unwrap_or(host);
    (!user.is_empty() && host.contains('.') && user.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)))
        .then_some(host)
}

/// Returns the name and the value of `NAME=value`.
pub(super) fn assignment(field: &Field) -> Option<(String, Field)> {
    let (name, _) = field.value.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    is_name(name).then(|| (name.to_owned(), field.from(field.value.find('=').unwrap_or(0) + 1)))
}

/// What a described program prints.
fn printed(call: &Call, read: &[Field], content: &Stream, is_downloaded: bool, scope: &Scope) -> Stream {
    let kind = match call.prints {
        "words" => {
            let words: Vec<&str> = call.arguments.iter().map(|argument| argument.field.value.as_str()).collect();
            StreamKind::Text(format!("{}\n", words.join(" ")))
        }
        _ if matches!(call.name.as_str(), "dirname" | "basename" | "realpath" | "readlink") => {
            let value = call.arguments.last().map(|argument| argument.field.value.clone()).unwrap_or_default();
            let trimmed = value.trim_end_matches('/');
            StreamKind::Text(match call.name.as_str() {
                "dirname" => trimmed.rsplit_once('/').map_or(".", |(directory, _)| directory).to_owned(),
                "basename" => base_name(trimmed).to_owned(),
                _ => value,
            })
        }
        "places" if call.is_narrow => {
            let some = |field: &Field| some_below(&field.value);
            StreamKind::Places(if read.is_empty() { vec![some_below(".")] } else { read.iter().map(some).collect() })
        }
        "places" if read.is_empty() => StreamKind::Places(vec![super::expand::working_directory(scope)]),
        "places" => StreamKind::Places(read.iter().map(|field| field.value.clone()).collect()),
        "number" | "name" => StreamKind::Name,
        "temporary" => StreamKind::Text(format!("{}/new", mark::TEMP)),
        "directory" => StreamKind::Text(super::expand::working_directory(scope)),
        _ if call.passes => match &content.kind {
            StreamKind::File(_) | StreamKind::Inherited => StreamKind::Unknown,
            other => other.clone(),
        },
        _ => StreamKind::Unknown,
    };
    let secret_words = call.arguments.iter().any(|argument| argument.field.is_secret);
    Stream { kind, is_secret: content.is_secret || secret_words, is_downloaded }
}

/// Variables that the shell itself obeys, or that it has from its environment.
fn is_exported_already(name: &str) -> bool {
    matches!(name, "PATH" | "PROMPT_COMMAND" | "BASH_ENV" | "ENV" | "PS4" | "LD_PRELOAD" | "SHELLOPTS")
}
