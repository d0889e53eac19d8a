//! Kinds of words and effects of options, as `programs/README.md` lists them, become effects.

use super::field::{Field, assignment};
use super::hosts::{host_of_address, is_local, is_metadata};
use super::lowering::Lowering;
use super::scope::{Scope, Stream, StreamKind, Variable};
use crate::effect::{EffectKind, EffectPlace};
use crate::knowledge::Node;
use crate::word::{base_name, mark, shown};

impl Lowering<'_> {
    /// Adds what a word of a kind does.
    pub(super) fn kind(&mut self, kind: &'static str, field: &Field, scope: &mut Scope, input: &Stream) {
        let (name, language) = kind.split_once(':').unwrap_or((kind, ""));
        match name {
            "READ" => self.read(field, scope),
            // `-` is the standard output.
            "WRITE" | "CHANGE" if field.value == "-" => {}
            // What must not exist yet overwrites nothing.
            "NEW"
                if field.value.starts_with("../")
                    && !field.value.starts_with("../..")
                    && matches!(
                        self.ground.place(&field.value, scope).1,
                        EffectPlace::Elsewhere | EffectPlace::InHome
                    ) => {}
            "WRITE" | "CHANGE" | "NEW" => self.path(EffectKind::Writes, field, scope),
            "MOVE" => self.path(EffectKind::Moves, field, scope),
            "DELETE" => self.path(EffectKind::Deletes, field, scope),
            "RIGHTS" => self.path(EffectKind::ChangesRights, field, scope),
            "MOUNT" => self.mount(field, scope),
            "SWITCH" => self.switch(field),
            "REFSPEC" => self.refspec(field),
            "PROCESS" if matches!(field.value.as_str(), "-1" | "1" | "." | ".*") => {
                self.add(EffectKind::StopsMachine, "", &field.span);
            }
            "PROCESS" => self.add(EffectKind::Kills, shown(&field.value), &field.span),
            "HOST" | "URL" | "PUSH" | "SEND" | "DATA" | "FORM" | "UPLOAD" | "FROM" | "TO" | "METHOD" => {
                self.network(name, field, scope);
            }
            _ => self.running(name, language, field, scope, input),
        }
    }

    /// Kinds of words that name code or programs.
    fn running(&mut self, name: &str, language: &'static str, field: &Field, scope: &mut Scope, input: &Stream) {
        match name {
            // Settings on the standard input.
            "CONFIG" if field.value == "-" => match &input.kind {
                StreamKind::Inherited => {}
                StreamKind::Text(text) => {
                    let words = text
                        .split_whitespace()
                        .map(|word| Field::new(word.trim_matches(['"', '\'']), field.span.clone()));
                    self.touches(&words.collect::<Vec<_>>(), scope);
                }
                _ => self.add(EffectKind::RunsCode, "settings that are not known", &field.span),
            },
            "CONFIG" => {
                if !scope.files.is_empty() {
                    self.written(field, scope);
                }
                self.config(field, scope);
            }
            // `go run host/module@version`
            "SCRIPT" if host_of_address(&field.value).is_some() && field.value.contains("://") => {
                self.add(EffectKind::RunsDownload, shown(&field.value), &field.span);
            }
            "SCRIPT" if is_module(&field.value) => self.add(EffectKind::RunsPackage, shown(&field.value), &field.span),
            "SCRIPT" => {
                self.expanded_later(field, scope);
                if field.value == "-" {
                    self.script(language, input, field, scope, &Stream::default());
                } else {
                    let content = self.open(field, scope);
                    self.script(language, &content, field, scope, input);
                }
            }
            "CODE" => self.code(language, field, scope, input),
            "SHELL" => self.code("shell", field, scope, input),
            // The shell expands the value when it uses it.
            "EXPANDS" => self.expanded_later(field, scope),
            "LOAD" => self.load(field, scope),
            "PROGRAM" => self.named_program(field, scope, input),
            "OPTIONS" => self.options(language, field, scope, input),
            "ASSIGN" => {
                if let Some((name, value)) = assignment(field) {
                    self.exported(&name, &value, scope);
                }
            }
            "PACKAGE" => self.package(field, scope),
            "SEARCH" => self.search_path(field, scope),
            "RESTORE" => self.add(EffectKind::Loses, format!("changes of {}", shown(&field.value)), &field.span),
            "MODE" => self.mode(field),
            "SETTING" if language == "git" => self.setting(field, scope, input),
            // `npm pkg set scripts.test=…`: what runs later.
            "SETTING" => {
                let value = field.value.find('=').map_or_else(|| field.clone(), |at| field.from(at + 1));
                self.touches(&[value], scope);
            }
            _ => {}
        }
    }

    /// Kinds of words about other machines.
    fn network(&mut self, name: &str, field: &Field, scope: &Scope) {
        // A transport of git that runs a command.
        if field.value.starts_with("ext::") {
            self.code("shell", &field.from(5), &mut scope.clone(), &Stream::unknown());
            return;
        }
        // These schemes send what the address says.
        if ["gopher://", "dict://", "telnet://"].iter().any(|scheme| field.value.starts_with(scheme)) {
            return self.address(EffectKind::Sends, field, scope);
        }
        let is_local_path = || !field.value.contains("://") && !super::arguments::is_remote(&field.value);
        match name {
            "FROM" if is_local_path() => self.read(field, scope),
            "FROM" | "HOST" | "URL" => self.address(EffectKind::Receives, field, scope),
            "TO" if is_local_path() => self.path(EffectKind::Writes, field, scope),
            "TO" | "PUSH" => self.address(EffectKind::Sends, field, scope),
            "METHOD" => {
                let method = field.value.to_ascii_uppercase();
                if !matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS") {
                    self.add(EffectKind::Sends, "", &field.span);
                }
                if method == "DELETE" {
                    self.add(EffectKind::Destroys, "", &field.span);
                }
            }
            _ => {
                self.add(EffectKind::Sends, "", &field.span);
                let file = match name {
                    "UPLOAD" => Some(0),
                    "DATA" => (field.value.starts_with('@') && field.value != "@-").then_some(1),
                    "FORM" => field.value.find("=@").or_else(|| field.value.find("=<")).map(|at| at + 2),
                    _ => None,
                };
                if let Some(begin) = file {
                    self.read(&field.from(begin), scope);
                }
            }
        }
    }

    /// A file of settings, or `key=value` in its place.
    fn config(&mut self, field: &Field, scope: &mut Scope) {
        match field.value.find('=').filter(|_| !field.value.starts_with(['/', '.'])) {
            Some(at) => {
                let value = field.from(at + 1);
                let bare = value.value.trim_matches(['"', '\'']).to_owned();
                self.touches(&[Field { value: bare, at: None, ..value }], scope);
            }
            None => self.read(field, scope),
        }
    }

    /// The name of a program, perhaps with arguments.
    fn named_program(&mut self, field: &Field, scope: &Scope, input: &Stream) {
        let words = field.value.split_whitespace().map(|word| Field::new(word, field.span.clone()));
        let words: Vec<Field> = words.collect();
        match &words[..] {
            [word] if !word.value.contains('/') && field.literal().is_some() => {
                // The program gets names of files, or other words.
                let rest = Field::new(mark::UNKNOWN.to_string(), field.span.clone());
                self.run(&[word.clone(), rest], &mut scope.clone(), input, &field.span);
            }
            _ => self.code("shell", field, &mut scope.clone(), input),
        }
    }

    /// Options of a program in one text.
    fn options(&mut self, program: &'static str, field: &Field, scope: &mut Scope, input: &Stream) {
        let Some(node) = Node::program(program) else { return };
        let words = field.value.split_whitespace();
        let words = words.map(|word| Field::new(word.trim_matches('\''), field.span.clone()));
        let fields: Vec<Field> = std::iter::once(Field::new(program, field.span.clone())).chain(words).collect();
        let call = super::arguments::call(node, &fields);
        for argument in &call.arguments {
            self.kind(argument.kind, &argument.field, scope, input);
        }
        self.touches(&call.unknown, scope);
    }

    fn package(&mut self, field: &Field, scope: &Scope) {
        let value = field.value.as_str();
        if host_of_address(value).is_some() {
            self.add(EffectKind::RunsDownload, shown(value), &field.span);
        } else if value.starts_with(['/', '.', mark::HOME]) && !self.ground.is_inside(field, scope) {
            let is_new = value.starts_with('.') && self.ground.place(value, scope).1 == EffectPlace::Temporary;
            if !is_new {
                self.add(EffectKind::RunsCode, shown(value), &field.span);
            }
        }
    }

    /// Directories in which programs are looked up.
    fn search_path(&mut self, field: &Field, scope: &Scope) {
        for directory in field.value.split(':').filter(|directory| !directory.contains([mark::UNKNOWN, mark::SPLITS])) {
            let directory = if directory.is_empty() { "." } else { directory };
            let program = format!("{directory}/x");
            let object = self.ground.place(directory, scope).0;
            let place = self.ground.place(&program, scope).1;
            let is_known = self.ground.is_system_program(&program, scope);
            match place {
                EffectPlace::Temporary | EffectPlace::Elsewhere if !is_known => {
                    self.add(EffectKind::RunsCode, object, &field.span);
                }
                EffectPlace::Project | EffectPlace::WholeProject | EffectPlace::Build => {
                    self.add(EffectKind::RunsProject, object, &field.span);
                }
                _ => {}
            }
        }
    }

    /// A mode of a file. Who runs a file with `s` runs it as its owner.
    fn mode(&mut self, field: &Field) {
        let value = field.value.as_str();
        let is_octal = value.len() >= 4 && value.bytes().all(|b| b.is_ascii_digit());
        let special = value.trim_start_matches('0').as_bytes();
        let sets_id = if is_octal {
            special.len() == 4 && matches!(special[0], b'2'..=b'7')
        } else {
            value.split(',').any(|part| part.split_once(['+', '=']).is_some_and(|(_, rights)| rights.contains('s')))
        };
        if sets_id {
            self.add(EffectKind::GainsPrivilege, "everybody who runs the file", &field.span);
        }
    }

    fn refspec(&mut self, field: &Field) {
        if field.value.starts_with('+') {
            self.add(EffectKind::Destroys, format!("history at {}", shown(&field.value)), &field.span);
        } else if field.value.starts_with(':') {
            self.add(EffectKind::Destroys, shown(&field.value), &field.span);
        }
    }

    /// A branch, or a file whose changes are lost.
    fn switch(&mut self, field: &Field) {
        let value = field.value.as_str();
        let has_extension = base_name(value).rsplit_once('.').is_some_and(|(stem, end)| {
            !stem.is_empty() && !end.is_empty() && end.len() <= 5 && end.bytes().all(|b| b.is_ascii_alphabetic())
        });
        if value == "." || value.starts_with("./") || value.contains(mark::STAR) || has_extension {
            self.add(EffectKind::Loses, format!("changes of {}", shown(value)), &field.span);
        }
    }

    /// A directory that a container gets. The project is what containers are for.
    fn mount(&mut self, field: &Field, scope: &Scope) {
        let value = field.value.as_str();
        let is_read_only = value.ends_with(":ro") || value.contains(":ro,") || value.contains("readonly");
        // `type=bind,source=/x,target=/y`, or `/x:/y`.
        let named =
            value.split(',').find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")));
        let host = named.unwrap_or_else(|| value.split(':').next().unwrap_or(value));
        let is_path = host.starts_with(['/', '.', mark::HOME, mark::PWD, mark::TEMP, mark::UNKNOWN]);
        let place = Field { value: host.to_owned(), ..field.clone() };
        if is_path && !self.ground.is_inside(&place, scope) {
            let kind = if is_read_only { EffectKind::Reads } else { EffectKind::Writes };
            self.path(kind, &place, scope);
        }
    }

    fn expanded_later(&mut self, field: &Field, scope: &Scope) {
        self.later(&field.value, &field.span, scope);
    }

    fn read(&mut self, field: &Field, scope: &Scope) {
        if field.value != "-" && !field.value.starts_with("/dev/fd/") {
            self.path(EffectKind::Reads, field, scope);
        }
    }

    fn load(&mut self, field: &Field, scope: &Scope) {
        // `-javaagent:FILE`
        let field = &field.from(usize::from(field.value.starts_with(':')));
        let value = field.value.as_str();
        if value.contains("data:") || host_of_address(value).is_some() {
            self.add(EffectKind::RunsDownload, shown(value), &field.span);
        } else if value.starts_with(['/', mark::HOME, mark::TEMP, mark::UNKNOWN, mark::SPLITS]) || value.contains("..")
        {
            if !self.ground.is_inside(field, scope) {
                self.add(EffectKind::RunsCode, shown(value), &field.span);
            }
        } else if value.contains([';', '(', '{', '"', '\'']) {
            // `-Mbase;exec(…)`: a name with code behind it.
            self.add(EffectKind::RunsCode, shown(value), &field.span);
        } else {
            self.add(EffectKind::RunsProject, "", &field.span);
        }
    }

    fn address(&mut self, kind: EffectKind, field: &Field, scope: &Scope) {
        let value = field.value.as_str();
        if let Some(path) = value.strip_prefix("file://") {
            return self.read(&Field { value: path.to_owned(), ..field.clone() }, scope);
        }
        let host = host_of_address(value).unwrap_or_else(|| value.split([':', '/']).next().unwrap_or(value));
        if is_local(host) {
            return;
        }
        if is_metadata(host) {
            self.add(EffectKind::UsesCredentials, shown(host), &field.span);
        }
        self.add(kind, shown(host), &field.span);
    }

    /// A variable of the environment for what runs.
    fn exported(&mut self, name: &str, value: &Field, scope: &mut Scope) {
        let of_program = self.program_node.and_then(|program| program.variable(name));
        let kind = of_program.or_else(|| Node::program("*").and_then(|every| every.variable(name)));
        if let Some(kind) = kind.and_then(|kind| super::arguments::chosen(kind, value)) {
            self.kind(kind, value, scope, &Stream::default());
        }
        scope.set(name, Variable::Value(value.value.clone()), value.taint);
    }

    /// A setting of git such as `core.pager=less`.
    pub(super) fn setting(&mut self, field: &Field, scope: &mut Scope, input: &Stream) {
        let Some((key, _)) = field.value.split_once('=') else { return };
        let value = field.from(key.len() + 1);
        let key = key.to_ascii_lowercase();
        let last = key.rsplit('.').next().unwrap_or_default();
        let runs = [
            "core.pager",
            "core.editor",
            "core.sshcommand",
            "core.fsmonitor",
            "core.askpass",
            "core.gitproxy",
            "diff.external",
            "sequence.editor",
            "credential.helper",
            "gpg.program",
            "interactive.difffilter",
            "core.alternaterefscommand",
        ];
        let ends = [
            ".command",
            ".cmd",
            ".driver",
            ".textconv",
            ".process",
            ".clean",
            ".smudge",
            ".program",
            ".helper",
            ".uploadpack",
            ".receivepack",
            ".packobjectshook",
            ".proxy",
        ];
        if key.starts_with("alias.") {
            let text = if value.value.starts_with('!') {
                value.from(1)
            } else {
                Field::new(format!("git {}", value.value), value.span.clone())
            };
            self.code("shell", &text, scope, input);
        } else if runs.contains(&key.as_str()) || key.starts_with("pager.") || ends.iter().any(|end| key.ends_with(end))
        {
            if !matches!(value.value.as_str(), "" | "true" | "false" | "cache" | "store" | "osxkeychain" | "manager") {
                let text = value.from(usize::from(value.value.starts_with('!')));
                self.code("shell", &text, scope, input);
            }
        } else if key == "core.hookspath" || key == "init.templatedir" || last == "path" {
            if value.value != "/dev/null" && !self.ground.is_inside(&value, scope) {
                self.add(EffectKind::RunsCode, shown(&value.value), &field.span);
            }
        } else if key.starts_with("url.") || last == "url" || key == "http.proxy" || key == "http.sslverify" {
            self.add(EffectKind::ChangesSystem, key, &field.span);
        }
    }

    /// Adds what an option or a subcommand does, as the table writes it.
    pub(super) fn effect(&mut self, effect: &'static str, word: &Field, scope: &Scope) {
        let (name, rest) = effect.split_once(' ').unwrap_or((effect, ""));
        let what = rest.trim().trim_matches('"');
        let kind = match name {
            "reads" | "writes" | "deletes" => {
                let kind = match name {
                    "reads" => EffectKind::Reads,
                    "writes" => EffectKind::Writes,
                    _ => EffectKind::Deletes,
                };
                let value =
                    what.strip_prefix('~').map_or_else(|| what.to_owned(), |rest| format!("{}{rest}", mark::HOME));
                let field = Field { value, ..word.clone() };
                let (_, place) = self.ground.place(&field.value, scope);
                // Outputs in the project, and the own directory of a tool.
                let is_own =
                    matches!(place, EffectPlace::WholeProject | EffectPlace::InHome) && kind != EffectKind::Deletes;
                if !is_own {
                    self.path(kind, &field, scope);
                }
                return;
            }
            "receives" => EffectKind::Receives,
            "sends" => EffectKind::Sends,
            "project" => EffectKind::RunsProject,
            "fetched" => EffectKind::RunsPackage,
            "installs" => EffectKind::Installs,
            "commits" => return,
            "rewrites" => EffectKind::Rewrites,
            "loses" => EffectKind::Loses,
            "remote" => EffectKind::ChangesRemote,
            "comments" => EffectKind::Comments,
            "destroys" => EffectKind::Destroys,
            "publishes" => EffectKind::Publishes,
            "system" => EffectKind::ChangesSystem,
            "machine" => EffectKind::StopsMachine,
            "startup" => EffectKind::ChangesStartup,
            "privilege" => EffectKind::GainsPrivilege,
            "credentials" => EffectKind::UsesCredentials,
            "kills" => EffectKind::Kills,
            "listens" => EffectKind::Listens,
            _ => EffectKind::RunsCode,
        };
        self.add(kind, what, &word.span);
    }
}

/// Returns whether a word names a module on a host with its version: `example.com/tool@latest`.
fn is_module(value: &str) -> bool {
    let (path, version) = value.split_once('@').unwrap_or((value, ""));
    let host = path.split_once('/').map(|(host, _)| host).unwrap_or_default();
    !version.is_empty() && host.contains('.') && !host.starts_with('.')
}
