//! Makes the table from the files in `programs/`, and checks them.
//!
//! The table begins with the number of names and a zero. Then follow, in numbers of four bytes:
//!
//! - an entry for each name of a program: place and length of the name, and the place of its node;
//! - the nodes, each of [`NODE`] numbers: flags, place and length of seven texts, place and number of the entries of subcommands
//!   and of modes;
//! - the entries of subcommands and modes.
//!
//! The texts are a file of their own. Places of texts are bytes in it, and those of numbers count numbers.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::Path;

use toml::{Table, Value};

use super::Style;

/// How many numbers describe a node.
const NODE: usize = 20;

const KEYS: [&str; 16] = [
    "names",
    "source",
    "style",
    "options",
    "operands",
    "effects",
    "input",
    "prints",
    "passes",
    "appends",
    "inherit",
    "default",
    "sub",
    "mode",
    "environment",
    "examples",
];

#[derive(Default)]
struct Tables {
    nodes: Vec<[Cell; NODE]>,
    lists: Vec<Vec<(String, usize)>>,
    texts: HashMap<String, usize>,
    text: String,
    mistakes: Vec<String>,
}

/// A number of the table that may be known only when all parts have their places.
#[derive(Clone, Copy)]
enum Cell {
    Number(usize),
    Text(usize),
    List(usize),
}

impl Tables {
    fn intern(&mut self, text: &str) -> (Cell, Cell) {
        let end = self.text.len();
        let at = *self.texts.entry(text.to_owned()).or_insert(end);
        if at == end {
            self.text.push_str(text);
        }
        (Cell::Text(at), Cell::Number(text.len()))
    }

    fn node(&mut self, what: &str, table: &Table, above: Option<&str>) -> usize {
        let is_top = above.is_none();
        for key in table.keys() {
            if !KEYS.contains(&key.as_str()) || !is_top && matches!(key.as_str(), "source" | "environment") {
                self.mistakes.push(format!("{what}: there is no key `{key}` here"));
            }
        }
        let string = |key: &str| table.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        let is = |key: &str| table.get(key).and_then(Value::as_bool).unwrap_or(false);
        let style = string("style");
        // A subcommand reads its options as the program does.
        let name = if style.is_empty() { above.unwrap_or("gnu") } else { &style };
        let Some(style) = Style::ALL.iter().position(|(style, _)| *style == name) else {
            self.mistakes.push(format!("{what}: there is no style `{name}`"));
            return 0;
        };
        let style_name = Style::ALL[style].0;
        let flags = style
            | usize::from(is("inherit")) << 4
            | usize::from(is("passes")) << 5
            | usize::from(is("appends")) << 6
            | usize::from(table.contains_key("operands")) << 7
            | usize::from(table.contains_key("effects")) << 8;
        let options = self.options(what, &string("options"));
        self.check_kinds(what, &string("operands"));
        self.check_effects(what, &string("effects"));
        let mut environment = String::new();
        for (name, kind) in table.get("environment").and_then(Value::as_table).into_iter().flatten() {
            let _ = writeln!(environment, "{name}\t{}", kind.as_str().unwrap_or_default());
        }
        let number = self.nodes.len();
        self.nodes.push([Cell::Number(0); NODE]);
        let mut cells = [Cell::Number(0); NODE];
        cells[0] = Cell::Number(flags);
        let texts = [
            options,
            string("operands"),
            string("effects"),
            string("input"),
            string("prints"),
            string("default"),
            environment,
        ];
        for (place, text) in texts.into_iter().enumerate() {
            (cells[1 + 2 * place], cells[2 + 2 * place]) = self.intern(&text);
        }
        for (place, key) in [(15, "sub"), (17, "mode")] {
            let mut entries = Vec::new();
            for (name, child) in table.get(key).and_then(Value::as_table).into_iter().flatten() {
                let Some(child) = child.as_table() else { continue };
                let node = self.node(&format!("{what} {name}"), child, Some(style_name));
                entries.push((name.clone(), node));
                for other in child.get("names").and_then(Value::as_array).into_iter().flatten() {
                    entries.push((other.as_str().unwrap_or_default().to_owned(), node));
                }
            }
            entries.sort();
            entries.dedup();
            cells[place] = Cell::List(self.lists.len());
            cells[place + 1] = Cell::Number(entries.len());
            self.lists.push(entries);
        }
        self.nodes[number] = cells;
        number
    }

    /// Returns a line for each name of an option: name, value, effects, and the first of the names that mean the same.
    fn options(&mut self, what: &str, text: &str) -> String {
        let mut lines: BTreeMap<String, String> = BTreeMap::new();
        for line in text.lines() {
            let line = line.split(" #").next().unwrap_or_default().trim();
            if line.is_empty() || line.starts_with("# ") {
                continue;
            }
            let (left, effects) = line.split_once(" : ").unwrap_or((line, ""));
            self.check_effects(what, effects);
            let mut names = Vec::new();
            let mut rest = left.trim();
            loop {
                let end = rest.find([' ', ',']).unwrap_or(rest.len());
                names.push(&rest[..end]);
                rest = rest[end..].trim_start();
                match rest.strip_prefix(',') {
                    Some(more) => rest = more.trim_start(),
                    None => break,
                }
            }
            self.check_kinds(what, rest);
            names.retain(|name| !name.is_empty());
            // Short names and the long names behind them are one option: `-r, -R, --recursive`. Several without a long name are not.
            let mut first = "";
            for (place, name) in names.iter().copied().enumerate() {
                let is_long = |name: &str| name.starts_with("--");
                if !is_long(name) && (place == 0 || is_long(names[place - 1])) {
                    let is_short = |name: &&&str| !is_long(name);
                    let shorts = names[place..].iter().take_while(is_short).count();
                    first = if place + shorts < names.len() { name } else { "" };
                }
                let same = first;
                if lines.insert(name.to_owned(), format!("{name}\t{rest}\t{}\t{same}\n", effects.trim())).is_some() {
                    self.mistakes.push(format!("{what}: the option {name} is there twice"));
                }
            }
        }
        lines.into_values().collect()
    }
}

/// The table, the examples of all programs, and the mistakes in the files.
struct Built {
    numbers: Vec<u8>,
    texts: String,
    examples: Vec<(String, String)>,
    mistakes: Vec<String>,
}

fn table() -> Built {
    let mut tables = Tables::default();
    let mut programs: BTreeMap<String, usize> = BTreeMap::new();
    let mut examples = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    for file in files {
        let what = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let table: Table = match toml::from_str(&std::fs::read_to_string(&file).unwrap()) {
            Ok(table) => table,
            Err(error) => {
                tables.mistakes.push(format!("{what}: {error}"));
                continue;
            }
        };
        let node = tables.node(&what, &table, None);
        if table.get("source").and_then(Value::as_str).is_none_or(str::is_empty) {
            tables.mistakes.push(format!("{what}: there is no `source`"));
        }
        for name in table.get("names").and_then(Value::as_array).into_iter().flatten() {
            let name = name.as_str().unwrap_or_default();
            if programs.insert(name.to_owned(), node).is_some() {
                tables.mistakes.push(format!("{what}: another file describes `{name}` too"));
            }
        }
        for example in table.get("examples").and_then(Value::as_array).into_iter().flatten() {
            let text = |place: usize| example.get(place).and_then(Value::as_str).unwrap_or_default().to_owned();
            examples.push((text(0), text(1)));
        }
    }
    let numbers = tables.bytes(&programs);
    Built { numbers, texts: tables.text, examples, mistakes: tables.mistakes }
}

/// The kinds of words, as `programs/README.md` lists them.
const KINDS: &str = "TEXT READ WRITE CHANGE MOVE DELETE RIGHTS DIR BASE SHELL COMMAND... COMMAND; INSIDE... THERE... PROGRAM ASSIGN \
                     CONFIG HOST URL PUSH SEND METHOD DATA FORM UPLOAD FROM TO PACKAGE SECRET SWITCH MOUNT REFSPEC PROCESS EXPANDS \
                     SEARCH RESTORE MODE HOLDER HEADER NEW";
/// Kinds that name a language or a program behind a colon.
const KINDS_WITH_NAMES: &str = "SCRIPT CODE LOAD SETTING OPTIONS";
/// The effects, as `programs/README.md` lists them.
const EFFECTS: &str = "dry narrows recursive ends operands mode reads writes deletes receives sends project fetched installs commits rewrites loses \
                       remote comments destroys publishes system machine startup privilege credentials kills listens unknown";

impl Tables {
    /// Reports kinds that the crate does not know.
    fn check_kinds(&mut self, what: &str, list: &str) {
        let mut depth = 0_usize;
        let is_edge = |c: char| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && (c.is_whitespace() || c == '|')
        };
        for kind in list.split(is_edge).map(|kind| kind.trim_matches(['[', ']', '?'])).filter(|kind| !kind.is_empty()) {
            let bare = kind.trim_end_matches("...").trim_end_matches('?');
            let named = bare.split_once(':').is_some_and(|(name, of)| {
                KINDS_WITH_NAMES.split_whitespace().any(|known| known == name) && !of.is_empty()
            });
            let is_known = KINDS.split_whitespace().any(|known| known == kind || known == bare);
            if !is_known && !named && !bare.starts_with("KEYWORD(") {
                self.mistakes.push(format!("{what}: `{kind}` is not a kind: `programs/README.md` lists them"));
            }
        }
    }

    /// Reports effects that the crate does not know.
    fn check_effects(&mut self, what: &str, list: &str) {
        for effect in super::each_effect(list) {
            let (name, rest) = effect.split_once(' ').unwrap_or((effect, ""));
            if !EFFECTS.split_whitespace().any(|known| known == name) {
                self.mistakes.push(format!("{what}: `{name}` is not an effect: `programs/README.md` lists them"));
            } else if name == "operands" {
                self.check_kinds(what, rest);
            }
        }
    }

    fn bytes(&mut self, programs: &BTreeMap<String, usize>) -> Vec<u8> {
        let entry = |tables: &mut Self, name: &str, node: usize| {
            let (place, length) = tables.intern(name);
            (place, length, node)
        };
        let names: Vec<_> = programs.iter().map(|(name, node)| entry(self, name, *node)).collect();
        let lists: Vec<Vec<_>> = std::mem::take(&mut self.lists)
            .into_iter()
            .map(|list| list.iter().map(|(name, node)| entry(self, name, *node)).collect())
            .collect();
        let first_node = 2 + names.len() * 3;
        let first_list = first_node + self.nodes.len() * NODE;
        let mut starts = Vec::new();
        let mut end = first_list;
        for list in &lists {
            starts.push(end);
            end += list.len() * 3;
        }
        let mut numbers = vec![names.len(), 0];
        let value = |cell: Cell| match cell {
            Cell::Number(number) => number,
            Cell::Text(at) => at,
            Cell::List(list) => starts[list],
        };
        let mut push = |list: &[(Cell, Cell, usize)]| {
            for (place, length, node) in list {
                numbers.extend([value(*place), value(*length), first_node + node * NODE]);
            }
        };
        push(&names);
        let mut nodes = Vec::new();
        for node in &self.nodes {
            nodes.extend(node.iter().map(|cell| value(*cell)));
        }
        let mut rest = Vec::new();
        for list in &lists {
            for (place, length, node) in list {
                rest.extend([value(*place), value(*length), first_node + node * NODE]);
            }
        }
        numbers.extend(nodes);
        numbers.extend(rest);
        numbers.iter().flat_map(|number| u32::try_from(*number).unwrap().to_le_bytes()).collect()
    }
}

#[test]
fn the_table_is_made_from_the_files_of_programs() {
    let Built { numbers, texts, mistakes, .. } = table();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/knowledge");
    if std::env::var_os("EXO_RAILS_KNOWLEDGE").is_some_and(|value| value == "overwrite") {
        std::fs::write(folder.join("table.bin"), &numbers).unwrap();
        std::fs::write(folder.join("table.txt"), &texts).unwrap();
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    if std::env::var_os("EXO_RAILS_KNOWLEDGE").is_some() {
        return;
    }
    assert!(
        numbers == super::NUMBERS && texts == super::TEXTS,
        "the table is not made from these files: run `EXO_RAILS_KNOWLEDGE=overwrite cargo test -p exo-rails-shell knowledge`"
    );
}

#[test]
fn programs_are_found_with_their_options() {
    use super::Node;
    let rm = Node::program("rm").unwrap();
    assert_eq!((rm.style(), rm.operands()), (Style::Gnu, "DELETE..."));
    assert_eq!(rm.option("--recursive").unwrap().value, "");
    assert_eq!(rm.abbreviated("--recur").unwrap().name, "--recursive");
    assert_eq!(Node::program("no such program"), None);
    let git = Node::program("git").unwrap();
    assert!(git.sub("commit").unwrap().option("--message").unwrap().value.contains("TEXT"));
    assert!(git.sub("remote").unwrap().sub("add").is_some());
    assert!(git.option("-C").unwrap().value.contains("DIR"));
    assert_eq!(rm.option("--recursive").unwrap().first, rm.option("-r").unwrap().first);
    for name in ["git", "tar", "curl", "rsync"] {
        let node = Node::program(name).unwrap();
        for option in node.options() {
            assert_eq!(node.option(option.name), Some(option), "{name}");
        }
    }
}

/// Returns the examples of all files: a command, and its effects.
pub(crate) fn examples() -> Vec<(String, String)> {
    table().examples
}
