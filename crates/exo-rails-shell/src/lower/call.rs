//! Programs that are described: what their words, options and subcommands do.

use std::ops::Range;

use super::arguments::{Argument, Call};
use super::field::Field;
use super::hosts::{host_of_address, is_local};
use super::lowering::Lowering;
use super::path::Directory;
use super::place::below;
use super::scope::{Scope, Stream, StreamKind, Taint, working_directory};
use super::touch::verb_of_loss;
use crate::command::Role;
use crate::effect::{Effect, EffectKind, EffectPlace};
use crate::knowledge::Node;
use crate::word::{base_name, mark, shown};

impl Lowering<'_> {
    /// What a described program does.
    pub(super) fn call(
        &mut self,
        node: Node,
        call: &Call,
        fields: &[Field],
        scope: &mut Scope,
        input: &Stream,
        span: &Range<usize>,
    ) -> Stream {
        if let Some(dry) = &call.dry {
            for argument in &call.arguments {
                let runs = match argument.kind.split(':').next() {
                    // What runs a program may do so in a dry run too.
                    Some("SHELL" | "PROGRAM" | "SETTING" | "CODE") => true,
                    // A script gets the options behind it.
                    Some("SCRIPT" | "LOAD") => argument.field.span.start < dry.span.start,
                    _ => false,
                };
                if runs {
                    self.kind(argument.kind, &argument.field, &mut scope.clone(), input);
                }
            }
            return Stream::unknown();
        }
        let start = self.effects.len();
        self.program_node = Some(node);
        let mut inside = self.words_of(call, scope, input, span);
        self.settings(call, &mut inside, input);
        if let Some(field) = call.unknown.first() {
            self.add(EffectKind::Unknown, format!("{}: {}", call.name, shown(&field.value)), &field.span);
            let is_word = |field: &&Field| !field.value.starts_with('-');
            self.verbs(&call.unknown.iter().filter(is_word).cloned().collect::<Vec<_>>());
            self.touches(&call.unknown, scope);
        }
        self.effects_of(call, scope, &inside);
        // Code of the project may be what the text has just written.
        let runs_project = |effect: &Effect| matches!(effect.kind, EffectKind::RunsProject | EffectKind::Installs);
        if !scope.files.is_empty() && self.effects[start..].iter().any(runs_project) {
            let here = Field::new(mark::PWD.to_string(), span.clone());
            let named = call.arguments.iter().filter(|argument| matches!(argument.kind, "READ" | "DIR" | "BASE"));
            let places: Vec<Field> = named.map(|argument| argument.field.clone()).chain([here]).collect();
            for place in places {
                self.written(&place, &inside);
            }
        }
        self.hosts(call, input, scope, start);
        let named = || {
            let reads = |argument: &&Argument| matches!(argument.kind, "READ" | "CHANGE" | "FROM" | "UPLOAD");
            call.arguments.iter().filter(reads).map(|argument| &argument.field)
        };
        let read: Vec<Field> = named().filter(|field| field.value != "-").cloned().collect();
        // What the program reads without a name, or with the name `-`, is its input.
        let content = if read.is_empty() {
            input.clone()
        } else if named().any(|field| field.value == "-") {
            self.contents(&read, &inside).and(input.clone())
        } else {
            self.contents(&read, &inside)
        };
        // A token in a header of a request is what the token is for.
        let is_header = |argument: &Argument| argument.kind == "HEADER" && !argument.field.taint.is_made;
        let shows = |argument: &Argument| argument.field.taint.is_secret && !is_header(argument);
        let secret = content.taint.is_secret || call.arguments.iter().any(shows);
        for argument in call.arguments.iter().filter(|argument| is_header(argument) && argument.field.taint.is_secret) {
            self.add(EffectKind::UsesCredentials, "a token in a header", &argument.field.span);
        }
        self.appended(call, scope, input, &read, &inside);
        let has_code = call
            .arguments
            .iter()
            .any(|argument| matches!(argument.kind.split(':').next(), Some("SCRIPT" | "CODE" | "SHELL" | "LOAD")));
        if !call.input.is_empty() && !has_code && call.commands.is_empty() {
            let field = fields.first().cloned().unwrap_or_default();
            let language = call.input.split_once(':').map_or("shell", |(_, language)| language);
            self.script(language, input, &field, &mut inside, &Stream::default());
        }
        let reaches = self.leaves(call, secret, start, span);
        let is_compiled = self.compiled(&read, &mut inside, span);
        self.links(call, scope, &inside);
        // The files that it writes have what it received.
        for argument in call.arguments.iter().filter(|argument| matches!(argument.kind, "WRITE" | "NEW")) {
            let object = self.ground.place(&argument.field.value, &inside).0;
            // What a program makes of files of the project is a part of the project.
            let inputs = read.iter().map(|field| self.ground.place(&field.value, &inside));
            let is_own = |place| matches!(place, EffectPlace::Project | EffectPlace::Build);
            let source = inputs.reduce(|first, next| if is_own(next.1) { first } else { next });
            let kind = match source {
                Some((object, EffectPlace::Project | EffectPlace::Build)) if !secret && !reaches => {
                    StreamKind::File(object)
                }
                // The code was judged when it was compiled.
                _ if is_compiled && !secret && !reaches => StreamKind::File("compiled".to_owned()),
                _ => StreamKind::Unknown,
            };
            let is_downloaded = reaches || content.taint.is_downloaded;
            let taint = Taint { is_secret: secret, is_downloaded, is_made: true };
            // `cp /tmp/x .` writes `./x`.
            for source in read.iter().filter(|_| call.name == "cp" || call.name == "mv" || call.name == "install") {
                let inner = format!("{}/{}", argument.field.value, base_name(&source.value));
                let inner = self.ground.place(&inner, &inside).0;
                scope.files.insert(inner, Stream { kind: kind.clone(), taint });
            }
            scope.files.insert(object, Stream { kind, taint });
        }
        let is_downloaded = reaches || content.taint.is_downloaded && (call.passes || node.passes());
        printed(call, &read, &content, is_downloaded, &inside)
    }

    /// Adds the effects of the words of a call. Returns the scope in which the program works.
    fn words_of(&mut self, call: &Call, scope: &Scope, input: &Stream, span: &Range<usize>) -> Scope {
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
            // What the text itself has made is known to be small.
            let is_new = scope.files.contains_key(&self.ground.place(&field.value, scope).0);
            // A pattern of some names, or a name with an extension, is not a directory.
            let is_some = field.value.contains(mark::NUMBER) || has_extension(&field.value);
            self.recursive = call.is_recursive && !call.is_narrow && !is_new && !is_some;
            self.kind(argument.kind, &field, scope, input);
            self.recursive = false;
        }
        // `echo yes | rm -rf` has lost its operands.
        if call.is_recursive && !call.arguments.iter().any(|argument| argument.kind == "DELETE") {
            let word = Field::new(mark::UNKNOWN.to_string(), span.clone());
            self.path(EffectKind::Deletes, &word, &inside);
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
            || call
                .arguments
                .iter()
                .any(|argument| argument.kind.starts_with("SCRIPT") || argument.kind.starts_with("CODE:"))
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
        let is_here = |field: &&Field| is_local(host_of_address(&field.value).unwrap_or(&field.value));
        let is_local = !addresses.is_empty() && addresses.iter().all(is_here);
        // The effect of a comment already says that something is sent. A service on this machine is not another host.
        if is_local || call.has(&["comments", "remote", "destroys", "publishes"]) {
            let kept = self.effects.split_off(start);
            let is_known = |effect: &Effect| {
                effect.kind == EffectKind::Sends && effect.object.is_empty()
                    || is_local
                        && matches!(effect.kind, EffectKind::Sends | EffectKind::Receives | EffectKind::ChangesRemote)
            };
            for mut effect in kept {
                // What is destroyed on this machine is lost.
                if is_local && effect.kind == EffectKind::Destroys {
                    effect.kind = EffectKind::Loses;
                }
                if !is_known(&effect) {
                    self.effects.push(effect);
                }
            }
        }
        // A request to a service on this machine may delete its data.
        let requests =
            call.arguments.iter().any(|argument| matches!(argument.kind, "METHOD" | "DATA" | "SEND" | "FORM"));
        if is_local && requests {
            let verb = |address: &&Field| address.value.rsplit(['/', '?']).find_map(verb_of_loss);
            if let (Some(verb), Some(address)) = (addresses.iter().find_map(verb), addresses.first()) {
                self.add(EffectKind::Loses, format!("what `{verb}` means"), &address.span);
            }
        }
        let Some(address) = addresses.first().filter(|_| !is_local) else { return };
        // What the words send goes to the host that another word names.
        let host = shown(host_of_address(&address.value).unwrap_or(&address.value));
        for effect in self.effects[start..].iter_mut().filter(|effect| effect.kind == EffectKind::Sends) {
            if effect.object.is_empty() {
                effect.object.clone_from(&host);
            }
        }
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
        let named = call.arguments.iter().find(|argument| argument.kind == "HOLDER");
        let named = named.map(|argument| argument.field.value.clone()).filter(|holder| !holder.is_empty());
        let has_holder = named.is_some() || call.roles.iter().any(is_holder);
        let holder = has_holder.then(|| named.unwrap_or_else(|| "{}".to_owned()));
        for (kind, words) in &call.commands {
            let mut words = words.clone();
            let places: Vec<String> = if call.appends {
                match &input.kind {
                    StreamKind::Places(places) => places.iter().map(|place| below(place)).collect(),
                    // With a holder, each line is one word.
                    StreamKind::Text(text) if holder.is_some() => text.lines().map(str::to_owned).collect(),
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
            let first = words.first().map(|word| word.span.clone()).unwrap_or_default();
            let span = first.start..words.iter().map(|word| word.span.end).max().unwrap_or(first.end);
            let text = holder.as_deref().unwrap_or("{}");
            let holds = words.iter().any(|word| word.value.contains(text));
            if holds {
                let replaced = |word: &Field| -> Vec<Field> {
                    let with = |place: &String| {
                        // What the input has is not known, and no variable of the person.
                        let is_made = word.taint.is_made || place.contains(mark::UNKNOWN);
                        let taint = Taint { is_made, ..word.taint };
                        Field { value: word.value.replace(text, place), at: None, taint, ..word.clone() }
                    };
                    if word.value.contains(text) { places.iter().map(with).collect() } else { vec![word.clone()] }
                };
                words = words.iter().flat_map(replaced).collect();
            }
            // Without `-I`, `{}` is a word for `xargs`.
            if call.appends && (!holds || holder.is_none() && call.name.ends_with("xargs")) {
                let is_made = |place: &String| place.contains(mark::UNKNOWN);
                let made = |place: &String| Field {
                    taint: Taint { is_made: is_made(place), ..Taint::default() },
                    ..Field::new(place.clone(), first.clone())
                };
                words.extend(places.iter().map(made));
            }
            // One word with blanks is a text for a shell: `watch 'a; b'`.
            let is_text = words.len() == 1 && words[0].value.contains([' ', ';', '|', '\n']);
            match *kind {
                "COMMAND..." if is_text => {
                    self.text(&words[0], &mut inside.clone(), input);
                }
                "INSIDE..." => self.contained(&words, scope, input, &span),
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
    fn contained(&mut self, words: &[Field], scope: &Scope, input: &Stream, span: &Range<usize>) {
        let mut inside = scope.clone();
        inside.directory = Directory::At("/container".to_owned());
        let (_, found) = self.apart(|lowering| lowering.run(words, &mut inside, input, span));
        let leaves = |effect: &Effect| {
            matches!(
                effect.kind,
                EffectKind::Sends
                    | EffectKind::SendsCredentials
                    | EffectKind::Publishes
                    | EffectKind::Destroys
                    | EffectKind::ChangesRemote
                    | EffectKind::Loses
                    | EffectKind::RunsDownload
            )
        };
        // What is outside of the temporary directories may be a volume, or the project.
        let is_lost = |effect: &Effect| {
            effect.kind == EffectKind::Deletes
                && matches!(
                    effect.place,
                    Some(EffectPlace::Root | EffectPlace::System | EffectPlace::Home | EffectPlace::Elsewhere)
                )
        };
        for effect in found {
            if is_lost(&effect) {
                self.push(EffectKind::Loses, format!("{} in a container", effect.object), None, &effect.span);
            } else if leaves(&effect) {
                self.effects.push(effect);
            }
        }
    }

    /// A command on another machine: what it changes there is a change of a server.
    fn elsewhere(&mut self, words: &[Field], scope: &Scope, span: &Range<usize>) {
        let text = words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(" ");
        let field = Field::new(text, span.clone());
        let mut inside = scope.clone();
        inside.directory = Directory::At("~".to_owned());
        let (_, found) = self.apart(|lowering| lowering.text(&field, &mut inside, &Stream::default()));
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

    /// Judges code of C and C++ that the text has written, where it is compiled. Returns whether all of the code was judged.
    fn compiled(&mut self, read: &[Field], scope: &mut Scope, span: &Range<usize>) -> bool {
        let is_code =
            |field: &&Field| [".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"].iter().any(|end| field.value.ends_with(end));
        let mut all = !read.is_empty();
        for field in read {
            let (object, place) = self.ground.place(&field.value, scope);
            match scope.files.get(&object).map(|stream| stream.kind.clone()) {
                Some(StreamKind::Text(text)) if is_code(&field) => {
                    self.code("c", &Field::new(text, span.clone()), scope, &Stream::default());
                }
                _ => all &= matches!(place, EffectPlace::Project | EffectPlace::Build),
            }
        }
        all && read.iter().any(|field| is_code(&field))
    }

    /// `ln -s TARGET LINK`.
    fn links(&self, call: &Call, scope: &mut Scope, inside: &Scope) {
        if call.name != "ln" {
            return;
        }
        let operands: Vec<&Field> =
            call.arguments.iter().filter(|argument| argument.is_operand).map(|argument| &argument.field).collect();
        let (targets, link) = match &operands[..] {
            [target] => (vec![*target], base_name(&target.value).to_owned()),
            [targets @ .., link] => (targets.to_vec(), link.value.clone()),
            [] => return,
        };
        for target in targets {
            let directory = format!("{}/{}", link.trim_end_matches('/'), base_name(&target.value));
            for link in [&link, &directory] {
                scope.links.insert(self.ground.place(link, inside).0, target.value.clone());
            }
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

/// Returns whether a word is an option of `xargs` that says where the input stands.
fn is_holder(role: &Role) -> bool {
    matches!(role, Role::Options(names) if names.iter().any(|name| matches!(*name, "-i" | "--replace")))
}

/// Returns whether a path has the name of a file: `package-lock.json`.
fn has_extension(path: &str) -> bool {
    let name = base_name(path.trim_end_matches('/'));
    name.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty() && (1..=5).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// Returns a path for some of the files below a place.
fn some_below(place: &str) -> String {
    format!("{}/{}", if place.is_empty() { "." } else { place.trim_end_matches('/') }, mark::NUMBER)
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
        "places" if read.is_empty() => StreamKind::Places(vec![working_directory(scope)]),
        "places" => StreamKind::Places(read.iter().map(|field| field.value.clone()).collect()),
        "number" | "name" => StreamKind::Name,
        "temporary" => StreamKind::Text(format!("{}/new", mark::TEMP)),
        "directory" => StreamKind::Text(working_directory(scope)),
        _ if call.passes => match &content.kind {
            StreamKind::File(_) | StreamKind::Inherited => StreamKind::Unknown,
            other => other.clone(),
        },
        _ => StreamKind::Unknown,
    };
    let secret_words = call.arguments.iter().any(|argument| argument.field.taint.is_secret);
    let is_secret = content.taint.is_secret || secret_words;
    let is_made = content.taint.is_made || call.arguments.iter().any(|argument| argument.field.taint.is_made);
    Stream { kind, taint: Taint { is_secret, is_downloaded, is_made } }
}
