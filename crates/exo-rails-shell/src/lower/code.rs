//! Code of other languages: the calls in it that run, write, delete or connect, with the texts in it as their objects.
//!
//! Nobody can read a program to its end. So code that makes names or texts at run time is unknown, and so is every language that is
//! not described here.

use super::embedded::{Embedded, embedded};
use super::field::Field;
use super::hosts::{host_of_address, is_local, is_test};
use super::language::is_harmless;
use super::lowering::Lowering;
use super::place::Ground;
use super::scope::{Scope, Stream};
use super::sed;
use crate::effect::{EffectKind, EffectPlace};
use crate::word::{mark, shown};

/// Names with which code runs other programs, or code that is not in its text.
const RUNS: &[&str] = &[
    "Bun",
    "Command",
    "Function",
    "Popen",
    "Reflect",
    "WebAssembly",
    "__builtins__",
    "__class__",
    "__dict__",
    "__getattribute__",
    "__import__",
    "__proto__",
    "__subclasses__",
    "attrgetter",
    "binding",
    "builtins",
    "cffi",
    "check_call",
    "check_output",
    "child_process",
    "code",
    "compile",
    "const_get",
    "constructor",
    "cpython",
    "ctypes",
    "dlopen",
    "eval",
    "exec",
    "execFile",
    "execFileSync",
    "execSync",
    "execfile",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "fork",
    "getattr",
    "getoutput",
    "getstatusoutput",
    "global",
    "globalThis",
    "globals",
    "import_module",
    "importlib",
    "instance_eval",
    "class_eval",
    "loadstring",
    "dofile",
    "locals",
    "marshal",
    "methodcaller",
    "multiprocessing",
    "passthru",
    "pcntl_exec",
    "pickle",
    "popen",
    "popen2",
    "popen3",
    "posix_spawn",
    "proc_open",
    "pty",
    "public_send",
    "runpy",
    "setattr",
    "shell_exec",
    "shelve",
    "spawn",
    "spawnSync",
    "spawnl",
    "spawnv",
    "startfile",
    "subprocess",
    "syscall",
    "system",
    "vars",
    "vm",
    "webbrowser",
    "worker_threads",
];
/// Names with which code makes texts that nobody can read before it runs.
const MAKES: &[&str] = &[
    "atob",
    "b64decode",
    "base64",
    "bytearray",
    "chr",
    "codecs",
    "fromCharCode",
    "fromCodePoint",
    "fromhex",
    "pack",
    "rot13",
    "unhexlify",
    "unpack",
    "zlib",
];
/// Names with which code talks to hosts.
const CONNECTS: &[&str] = &[
    "connect",
    "sendto",
    "EventSource",
    "HTTP",
    "LWP",
    "Net",
    "WebSocket",
    "XMLHttpRequest",
    "aiohttp",
    "axios",
    "boto3",
    "create_connection",
    "curl_exec",
    "curl_init",
    "dgram",
    "dns",
    "fetch",
    "fsockopen",
    "ftplib",
    "getaddrinfo",
    "gethostbyname",
    "got",
    "http",
    "https",
    "httpx",
    "imaplib",
    "net",
    "open_connection",
    "paramiko",
    "requests",
    "smtplib",
    "socket",
    "telnetlib",
    "tls",
    "undici",
    "urllib",
    "urllib3",
    "urlopen",
    "urlretrieve",
    "xmlrpc",
];
/// Names that mean something only in front of a dot, or alone.
const MODULES: &[&str] = &["code", "dns", "http", "https", "net", "tls", "vm"];
/// Names with which code deletes files.
const DELETES: &[&str] = &[
    "remove_entry",
    "removedirs",
    "rimraf",
    "rm",
    "rmSync",
    "rm_f",
    "rm_r",
    "rm_rf",
    "rmdir",
    "rmdirSync",
    "rmtree",
    "remove_dir",
    "remove_tree",
    "unlink",
    "unlinkSync",
];
/// Names with which code writes files.
const WRITES: &[&str] = &[
    "creat",
    "fopen",
    "freopen",
    "fstream",
    "ofstream",
    "remove",
    "appendFile",
    "appendFileSync",
    "chmod",
    "chmodSync",
    "chown",
    "copy",
    "copyFile",
    "copyFileSync",
    "copyfile",
    "copytree",
    "cp",
    "cpSync",
    "createWriteStream",
    "dump",
    "extractall",
    "file_put_contents",
    "fputs",
    "fwrite",
    "hardlink_to",
    "link",
    "makedirs",
    "mkdir",
    "mkdirSync",
    "mkdir_p",
    "move",
    "open",
    "rename",
    "renameSync",
    "renames",
    "save",
    "savefig",
    "symlink",
    "symlinkSync",
    "symlink_to",
    "to_csv",
    "to_excel",
    "to_parquet",
    "touch",
    "truncate",
    "utime",
    "write",
    "writeFile",
    "writeFileSync",
    "write_bytes",
    "write_text",
    "writelines",
];
/// Names of calls that delete directories with all that is in them.
const DELETES_ALL: &[&str] = &[
    "emptyDir",
    "remove_tree",
    "rmtree",
    "remove_dir_all",
    "rm_r",
    "rm_rf",
    "rmSync",
    "rimraf",
    "remove_entry_secure",
];
/// Names of the home directory, and of the environment.
const HOME: &[&str] = &["expanduser", "home", "homedir", "userInfo"];
const ENVIRONMENT: &[&str] = &["ENV", "env", "environ", "getenv"];

/// Adds what code does.
pub(super) fn effects(lowering: &mut Lowering<'_>, language: &str, code: &Field, scope: &mut Scope) {
    let is_open = !code.value.is_empty() && code.value.chars().all(|c| mark::is(c) || c.is_whitespace());
    if is_open {
        return lowering.add(EffectKind::RunsCode, format!("an unknown text in {language}"), &code.span);
    }
    if language == "python" {
        lines_for_a_shell(lowering, code, scope);
    }
    let plain: String = code.value.chars().map(|c| if mark::is(c) { '_' } else { c }).collect();
    let name = if language == "typescript" { "javascript" } else { language };
    let (commands, plain) = embedded(name, &plain);
    for command in commands {
        match command {
            Embedded::Shell(text) => {
                lowering.code("shell", &Field::new(text, code.span.clone()), scope, &Stream::unknown());
            }
            Embedded::Words(words) => {
                // With the option for a shell, the first word is a text.
                if let Some(text) = words.first().filter(|word| word.contains(' ')) {
                    lowering.code("shell", &Field::new(text, code.span.clone()), scope, &Stream::unknown());
                }
                let words = words.into_iter().map(|word| Field::new(word, code.span.clone()));
                lowering.run(&words.collect::<Vec<_>>(), &mut scope.clone(), &Stream::unknown(), &code.span);
            }
        }
    }
    match name {
        "sql" => return sql(lowering, &plain, code),
        "graphql" => return graphql(lowering, &plain, code),
        "sed" if sed::is_harmless(&plain) => return,
        "python" | "javascript" | "ruby" | "php" | "perl" | "c" => {
            if !is_harmless(&plain, name) {
                return calls(lowering, name, &plain, code, scope);
            }
            for path in
                texts(&plain, code).iter().filter(|text| is_path(&text.value) || Ground::is_credential(&text.value))
            {
                lowering.path(EffectKind::Reads, path, scope);
            }
            return;
        }
        _ if is_harmless(&plain, name) => return,
        _ => {}
    }
    lowering.add(EffectKind::RunsCode, format!("a text in {language}"), &code.span);
    let mut texts = texts(&plain, code);
    texts.retain(|text| !is_address(lowering, text, scope));
    lowering.touches(&texts, scope);
}

/// `IPython` gives lines with `!` to a shell.
fn lines_for_a_shell(lowering: &mut Lowering<'_>, code: &Field, scope: &mut Scope) {
    for line in code.value.lines() {
        let line = line.trim_start_matches([' ', '%']);
        let text = ["!", "sx ", "system "].iter().find_map(|begin| line.strip_prefix(begin));
        if let Some(text) = text {
            let text = Field::new(text, code.span.clone());
            lowering.code("shell", &text, scope, &Stream::default());
        }
    }
}

/// Adds the effects of the calls that code names.
fn calls(lowering: &mut Lowering<'_>, language: &str, plain: &str, code: &Field, scope: &mut Scope) {
    let names = names(plain, language);
    let has = |list: &[&str]| names.iter().any(|name| list.contains(name));
    let texts = texts(plain, code);
    // A backquote runs a program in Ruby and PHP. A module is not known if its name is not a plain text.
    let is_made = has(RUNS)
        || has(MAKES)
        || language != "javascript" && plain.contains('`')
        || loads_unknown(plain)
        || language == "perl" && runs_perl(plain, &names)
        || language == "c" && runs_c(plain, &names)
        || joins_texts(plain);
    if is_made {
        lowering.add(EffectKind::RunsCode, format!("a text in {language}"), &code.span);
        let texts: Vec<Field> = texts.iter().filter(|text| !is_address(lowering, text, scope)).cloned().collect();
        lowering.touches(&texts, scope);
    }
    let names_file = |text: &&Field| is_path(&text.value) || Ground::is_credential(&text.value);
    let mut paths: Vec<Field> = texts.iter().filter(names_file).cloned().collect();
    if has(HOME) {
        paths.push(Field::new(mark::HOME.to_string(), code.span.clone()));
    }
    let removes = plain.contains("os.remove(") || plain.contains("File.delete") || plain.contains("Deno.remove");
    if has(DELETES) || removes {
        if paths.is_empty() {
            // `os.remove('a.txt')`
            let is_name = |text: &&Field| !text.value.is_empty() && !text.value.contains([' ', '\n', '(', '<']);
            paths.extend(texts.iter().filter(is_name).cloned());
        }
        if paths.is_empty() {
            paths.push(Field::new(mark::UNKNOWN.to_string(), code.span.clone()));
        }
        for path in &paths {
            lowering.path(EffectKind::Deletes, path, scope);
        }
        // Which files it deletes is decided by the rest of the code.
        if has(DELETES_ALL) {
            let unknown = Field::new(mark::UNKNOWN.to_string(), code.span.clone());
            lowering.path(EffectKind::Deletes, &unknown, scope);
        }
    }
    for path in &paths {
        if is_address(lowering, path, scope) {
            continue;
        }
        let is_home = path.value.starts_with(mark::HOME) && path.value.chars().count() == 1;
        lowering.path(if has(WRITES) && !is_home { EffectKind::Writes } else { EffectKind::Reads }, path, scope);
    }
    // A file in the home directory has a name that the code makes.
    if has(WRITES) && has(HOME) {
        let field = Field::new(format!("{}/{}", mark::HOME, mark::NUMBER), code.span.clone());
        lowering.path(EffectKind::Writes, &field, scope);
    }
    if has(CONNECTS) {
        let hosts: Vec<&str> = texts.iter().filter_map(|text| host_of_address(&text.value)).collect();
        let addresses = || texts.iter().filter(|text| host_of_address(&text.value).is_some());
        let here = |text: &Field| host_of_address(&text.value).is_some_and(is_local) || is_test(&text.value);
        let is_here = !hosts.is_empty() && addresses().all(here);
        if !is_here {
            lowering.add(EffectKind::Sends, hosts.first().map(|host| shown(host)).unwrap_or_default(), &code.span);
            let is_secret = |path: &Field| lowering.ground.place(&path.value, scope).1 == EffectPlace::Credentials;
            if has(ENVIRONMENT) || paths.iter().any(is_secret) {
                lowering.add(EffectKind::SendsCredentials, "", &code.span);
            }
        }
    }
}

/// Returns whether code of C or C++ runs something that its text does not show.
fn runs_c(plain: &str, names: &[&str]) -> bool {
    const NAMES: [&str; 12] = [
        "asm",
        "__asm__",
        "__asm",
        "dlsym",
        "mprotect",
        "ptrace",
        "vfork",
        "clone",
        "syscall",
        "posix_spawnp",
        "wordexp",
        "mmap",
    ];
    names.iter().any(|name| NAMES.contains(name)) || plain.contains("##")
}

/// Returns whether a text is more often a part of an address, or a pattern, than a path of the machine: `/users/:id`.
fn is_address(lowering: &Lowering<'_>, text: &Field, scope: &Scope) -> bool {
    text.value.starts_with('/') && lowering.ground.place(&text.value, scope).1 == EffectPlace::Elsewhere
}

/// Returns whether code joins texts, so that a text in it is not what it says: `'/e' + 'tc'`.
fn joins_texts(plain: &str) -> bool {
    plain.match_indices('+').any(|(at, _)| {
        let (before, behind) = (plain[..at].trim_end(), plain[at + 1..].trim_start());
        before.ends_with(['"', '\'']) && behind.starts_with(['"', '\''])
    })
}

/// Returns whether code of perl runs something that its text does not show.
fn runs_perl(plain: &str, names: &[&str]) -> bool {
    const NAMES: [&str; 12] = [
        "open", "do", "require", "syscall", "socket", "qx", "readpipe", "sysopen", "opendir", "dbmopen", "kill",
        "AUTOLOAD",
    ];
    const MADE: [&str; 8] = ["&{", "&$", "->$", "->&", "*{", "@{[", "(?{", "(??{"];
    names.iter().any(|name| NAMES.contains(name)) || MADE.iter().any(|made| plain.contains(made))
}

fn is_path(text: &str) -> bool {
    let is_word = !text.contains([' ', '\n', '\t', '<', '>', '(', '{', '\\', ':']) && !text.contains("://");
    is_word && (text.starts_with(['/', '~']) || text.starts_with("..") || text.contains('/') && text.len() > 1)
}

/// Returns the names in code, outside of comments. Texts in which code may stand count too.
fn names<'c>(plain: &'c str, language: &str) -> Vec<&'c str> {
    // Where texts of perl begin and end depends on its operators.
    if language == "perl" {
        return plain.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty()).collect();
    }
    let mut names = Vec::new();
    let mut rest = plain;
    let comment = if language == "javascript" { "//" } else { "#" };
    let mut text: Option<char> = None;
    let mut has_code = false;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        if let Some(quote) = text {
            if c == '\\' {
                let skipped = rest.chars().take(2).map(char::len_utf8).sum();
                rest = &rest[skipped..];
                continue;
            }
            if c == quote {
                text = None;
            } else if has_code && (c.is_alphabetic() || c == '_') {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                names.push(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            rest = &rest[c.len_utf8()..];
            continue;
        }
        if rest.starts_with(comment) && before.is_whitespace() {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
            continue;
        }
        if c.is_alphabetic() || c == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let name = &rest[..end];
            // A member of the project may have the name of a module: `geocoder.http`.
            // So may a function of a module: `re.compile`.
            if !(before == '.' && (MODULES.contains(&name) || name == "compile")) {
                names.push(name);
            }
            rest = &rest[end..];
            before = 'a';
            // `f"{…}"` has code in it.
            has_code = name.len() <= 2 && name.contains(['f', 'F']);
            continue;
        }
        if matches!(c, '"' | '\'' | '`') {
            // `x['rmSync']` is a name.
            has_code |= before == '[';
            has_code |= c == '`' || language == "ruby" || language == "php" && c == '"';
            text = Some(c);
        } else {
            has_code = false;
        }
        before = c;
        rest = &rest[c.len_utf8()..];
    }
    names
}

/// Returns whether code loads a module whose name it makes: `require(x)`, `import(x)`.
fn loads_unknown(plain: &str) -> bool {
    ["require(", "import("].iter().any(|call| {
        plain.match_indices(call).any(|(at, _)| {
            let inside = plain[at + call.len()..].trim_start();
            let Some(quote) = inside.chars().next().filter(|c| matches!(c, '"' | '\'')) else { return true };
            let end = inside[1..].find(quote).map_or("", |end| &inside[end + 2..]);
            !end.trim_start().starts_with(')')
        })
    })
}

/// Returns the texts between quotes.
fn texts(plain: &str, code: &Field) -> Vec<Field> {
    let mut words = Vec::new();
    let mut rest = plain;
    while let Some(open) = rest.find(['"', '\'', '`']) {
        let quote = &rest[open..=open];
        let inner = &rest[open + 1..];
        let Some(close) = inner.find(quote) else { break };
        let text = &inner[..close];
        let text = text.strip_prefix('~').map_or_else(|| text.to_owned(), |rest| format!("{}{rest}", mark::HOME));
        words.push(Field::new(text, code.span.clone()));
        rest = &inner[close + 1..];
    }
    words
}

/// Adds what a field of a request to a GraphQL service does: `query=mutation { … }` changes something.
fn graphql(lowering: &mut Lowering<'_>, plain: &str, code: &Field) {
    let Some(text) = plain.strip_prefix("query=") else { return };
    let is_open = text.starts_with('@') || text.trim().starts_with('_') || text.trim().is_empty();
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    if is_open {
        lowering.add(EffectKind::RunsCode, "a text in graphql", &code.span);
    } else if words.any(|word| word == "mutation") {
        lowering.add(EffectKind::ChangesRemote, "a mutation", &code.span);
    }
}

/// Statements of SQL that read, or that change the session only.
const READING: &[&str] = &[
    "analyze", "begin", "commit", "describe", "end", "explain", "fetch", "pragma", "rollback", "select", "set", "show",
    "start", "table", "use", "vacuum", "values", "with",
];
/// Commands of the clients of databases that show something.
const SHOWING: &[&str] = &[
    ".databases",
    ".headers",
    ".indexes",
    ".mode",
    ".quit",
    ".schema",
    ".tables",
    ".timer",
    "\\c",
    "\\conninfo",
    "\\d",
    "\\d+",
    "\\di",
    "\\dn",
    "\\dt",
    "\\dt+",
    "\\du",
    "\\l",
    "\\q",
    "\\timing",
    "\\x",
];

/// Functions and clauses of databases that read, write or run something outside of the database.
const SQL_RUNS: &[&str] = &[
    "writefile(",
    "readfile(",
    "edit(",
    "load_extension(",
    "load_file(",
    "outfile",
    "dumpfile",
    "infile",
    "program",
    "pg_read_",
    "pg_ls_",
    "lo_import",
    "lo_export",
    "xp_cmdshell",
    "sys_exec",
    "sys_eval",
    "dblink",
];

/// Adds what statements of SQL do.
fn sql(lowering: &mut Lowering<'_>, plain: &str, code: &Field) {
    for statement in plain.split(';') {
        let words: Vec<String> = statement.split_whitespace().map(str::to_ascii_lowercase).collect();
        let has = |word: &str| words.iter().any(|other| other == word);
        let Some(first) = words.first().map(String::as_str) else { continue };
        let calls = |name: &str| words.iter().any(|word| word.contains(name));
        if SQL_RUNS.iter().any(|name| calls(name)) {
            lowering.add(EffectKind::RunsCode, "a function of a database", &code.span);
            continue;
        }
        let loses = has("drop") || has("truncate") || has("delete") && !has("where");
        if READING.contains(&first) && !loses || SHOWING.contains(&first) {
            continue;
        }
        let changes =
            matches!(first, "insert" | "create" | "alter" | "update" | "replace" | "reindex" | "delete" | "comment");
        if first.starts_with(['.', '\\']) {
            lowering.add(EffectKind::RunsCode, format!("the command {first} of a database"), &code.span);
        } else if loses || first == "update" && !has("where") {
            lowering.add(EffectKind::Loses, "data of a database", &code.span);
        } else if !changes {
            lowering.add(EffectKind::RunsCode, "a statement of SQL", &code.span);
        }
    }
}
