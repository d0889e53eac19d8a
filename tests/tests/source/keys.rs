//! The tables of keys on the pages of the guards are the documentation of the configuration types.
//!
//! A page has the marker `<!-- keys: SizesConfig -->` above a table of the keys of a struct, or `<!-- values: Level -->` above a table
//! of the values of an enum. `EXO_RAILS_KEYS=overwrite cargo test -p tests --test source keys` writes the tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use quote::ToTokens;
use syn::{Attribute, Expr, Fields, Item, Lit, Meta, Type};

/// Where the types of the configuration are. A later folder has precedence.
const SOURCES: [&str; 4] = [
    "crates/exo-rails-guards/src",
    "crates/exo-rails-audit/src",
    "crates/exo-rails-shell/src",
    "crates/exo-rails-policy/src",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A type of the configuration.
struct Kind {
    file: PathBuf,
    is_enum: bool,
    /// Whether a value of an enum is a table with one key.
    has_data: bool,
    rows: Vec<Row>,
}

/// A key of a table, or a value of an enum.
struct Row {
    /// The name in Rust.
    ident: String,
    /// The name in a file.
    name: String,
    ty: Option<Type>,
    one_or_many: bool,
    docs: String,
}

type Kinds = BTreeMap<String, Vec<Kind>>;

fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, end));
        } else if path.extension().is_some_and(|is| is == end) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn kinds() -> Kinds {
    let mut kinds = Kinds::new();
    for file in SOURCES.iter().flat_map(|folder| files(&root().join(folder), "rs")) {
        let code = syn::parse_file(&std::fs::read_to_string(&file).unwrap()).unwrap();
        collect(&code.items, &file, &mut kinds);
    }
    kinds
}

fn collect(items: &[Item], file: &Path, kinds: &mut Kinds) {
    for item in items {
        let (name, kind) = match item {
            Item::Struct(item) if derives_serde(&item.attrs) => {
                let Fields::Named(fields) = &item.fields else { continue };
                let rule = serde_value(&item.attrs, "rename_all");
                // Keys without effect are read, so that the files of other programs can be used.
                let has_effect = |field: &&syn::Field| !field.ty.to_token_stream().to_string().contains("IgnoredAny");
                let fields =
                    fields.named.iter().filter(|field| !serde(&field.attrs).contains("skip)")).filter(has_effect);
                let rows = fields.map(|field| {
                    let ident = field.ident.as_ref().unwrap().to_string();
                    let one_or_many = serde(&field.attrs).contains("one_or_many");
                    row(ident, rule.as_deref(), &field.attrs, Some(field.ty.clone()), one_or_many)
                });
                (&item.ident, Kind { file: file.to_owned(), is_enum: false, has_data: false, rows: rows.collect() })
            }
            Item::Enum(item) if derives_serde(&item.attrs) => {
                let rule = serde_value(&item.attrs, "rename_all");
                let rows = item
                    .variants
                    .iter()
                    .map(|variant| row(variant.ident.to_string(), rule.as_deref(), &variant.attrs, None, false));
                let has_data = item.variants.iter().any(|variant| !variant.fields.is_empty());
                (&item.ident, Kind { file: file.to_owned(), is_enum: true, has_data, rows: rows.collect() })
            }
            _ => continue,
        };
        kinds.entry(name.to_string()).or_default().push(kind);
    }
}

fn row(ident: String, rule: Option<&str>, attrs: &[Attribute], ty: Option<Type>, one_or_many: bool) -> Row {
    let name = serde_value(attrs, "rename").unwrap_or_else(|| renamed(&ident, rule));
    Row { ident, name, ty, one_or_many, docs: docs(attrs) }
}

fn derives_serde(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident("derive") && attr.to_token_stream().to_string().contains("erialize"))
}

/// The text of all serde attributes, without spaces.
fn serde(attrs: &[Attribute]) -> String {
    let serde = attrs.iter().filter(|attr| attr.path().is_ident("serde"));
    serde.map(|attr| attr.to_token_stream().to_string().replace(' ', "")).collect()
}

fn serde_value(attrs: &[Attribute], key: &str) -> Option<String> {
    let text = serde(attrs);
    let value = text.split([',', '(']).find_map(|part| part.strip_prefix(&format!("{key}=\"")))?;
    Some(value.split('"').next()?.to_owned())
}

/// The name that serde gives to a field or a variant.
fn renamed(ident: &str, rule: Option<&str>) -> String {
    let separated = |by: char| {
        let mut name = String::new();
        for (place, char) in ident.chars().enumerate() {
            if char.is_uppercase() && place > 0 {
                name.push(by);
            }
            name.extend(char.to_lowercase());
        }
        name
    };
    match rule {
        Some("lowercase") => ident.to_lowercase(),
        Some("snake_case") => separated('_'),
        Some("kebab-case") => separated('-'),
        Some("camelCase") => {
            let words = ident.split('_').enumerate();
            words
                .map(|(place, word)| if place == 0 { word.to_owned() } else { word[..1].to_uppercase() + &word[1..] })
                .collect()
        }
        _ => ident.to_owned(),
    }
}

/// The documentation as one line, up to a table or an example in it.
fn docs(attrs: &[Attribute]) -> String {
    let lines = attrs.iter().filter_map(|attr| match &attr.meta {
        Meta::NameValue(doc) if doc.path.is_ident("doc") => match &doc.value {
            Expr::Lit(text) => match &text.lit {
                Lit::Str(text) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    let lines: Vec<_> = lines.take_while(|line| !line.starts_with('|') && !line.starts_with("```")).collect();
    lines.iter().filter(|line| !line.is_empty()).map(|line| line.trim_start_matches("- ")).collect::<Vec<_>>().join(" ")
}

/// The type of this name: the last one that is nearest to the file.
fn find<'k>(kinds: &'k Kinds, name: &str, near: &Path) -> Option<&'k Kind> {
    let common = |kind: &&Kind| kind.file.components().zip(near.components()).take_while(|(a, b)| a == b).count();
    kinds.get(name)?.iter().max_by_key(common)
}

/// The documentation without links of rustdoc. `Permission::Ask` becomes the name in a file: `ask`.
fn plain(docs: &str, kinds: &Kinds, own: &Kind) -> String {
    let mut text = String::new();
    let mut rest = docs;
    while let Some(at) = rest.find('[') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(end) = rest.find(']') else { break };
        let (label, after) = (&rest[..end], &rest[end + 1..]);
        let target = after.strip_prefix('(').and_then(|after| after.split_once(')'));
        match target {
            Some((target, _)) if target.starts_with("https://") => {
                let _ = write!(text, "[{label}]({target})");
            }
            _ if label.starts_with('`') || target.is_some() => {
                let target = target.map_or(label.trim_matches('`'), |(target, _)| target);
                text.push_str(&in_file(label, target, kinds, own));
            }
            _ => {
                let _ = write!(text, "[{label}]");
            }
        }
        rest = target.map_or(after, |(_, after)| after);
    }
    text.push_str(rest);
    text.replace('|', "\\|")
}

fn in_file(label: &str, target: &str, kinds: &Kinds, own: &Kind) -> String {
    let mut path = target.trim_start_matches("field@").rsplit("::");
    let (last, before) = (path.next().unwrap_or_default(), path.next());
    let of = before.and_then(|name| if name == "Self" { Some(own) } else { find(kinds, name, &own.file) });
    match of.and_then(|kind| kind.rows.iter().find(|row| row.ident == last)) {
        Some(row) => format!("`{}`", row.name),
        None if before == Some("Self") => format!("`{last}`"),
        None => label.to_owned(),
    }
}

/// What a file has at the key.
fn value(ty: &Type, one_or_many: bool, kinds: &Kinds, near: &Path) -> String {
    let text = ty.to_token_stream().to_string().replace(' ', "");
    let inside = |outer: &str| text.strip_prefix(outer).and_then(|rest| rest.strip_prefix('<')?.strip_suffix('>'));
    let parse = |inner: &str| syn::parse_str::<Type>(inner).unwrap();
    if let Some(inner) = inside("Option").or_else(|| inside("WithMode")).or_else(|| inside("Arc")) {
        return value(&parse(inner), one_or_many, kinds, near);
    }
    if let Some(inner) = inside("Vec") {
        let item = value(&parse(inner), false, kinds, near);
        return match (one_or_many, item.as_str()) {
            (true, item) => format!("{item} or list"),
            (false, "text" | "number" | "table" | "value") => format!("list of {item}s"),
            (false, item) => format!("list of {item}"),
        };
    }
    if inside("BTreeMap").is_some() || text.starts_with('(') {
        return "table".to_owned();
    }
    let name = text.rsplit("::").next().unwrap();
    if let Some(kind) = find(kinds, name, near) {
        if !kind.is_enum {
            let is_text = ["PointerPattern", "ToolPattern"].contains(&name);
            return if is_text { "text" } else { "table" }.to_owned();
        }
        if kind.has_data {
            return "table".to_owned();
        }
        let names: Vec<_> = kind.rows.iter().map(|row| format!("`{}`", row.name)).collect();
        return if names.len() > 8 { "text".to_owned() } else { names.join(", ") };
    }
    match name {
        "bool" => "`true`, `false`",
        "u8" | "u16" | "u32" | "u64" | "usize" | "i16" | "i32" | "i64" | "f64" | "Decimal" => "number",
        "Value" => "value",
        "Mode" => "`enforce`, `shadow`, `off`",
        "Rights" | "ArgumentCondition" | "Levels" | "Actions" | "Map" => "table",
        _ => "text",
    }
    .to_owned()
}

/// The table for a marker such as `keys: SizesConfig`.
fn table(marker: &str, kinds: &Kinds) -> String {
    let (what, name) = marker.split_once(": ").unwrap_or_else(|| panic!("`{marker}` is not a marker"));
    let (name, near) = name.split_once(" of ").map_or((name, None), |(name, near)| (name, Some(near)));
    let found = kinds.get(name).unwrap_or_else(|| panic!("there is no type `{name}` in the configuration"));
    let at = |near: &str| found.iter().rev().find(|kind| kind.file.to_string_lossy().contains(near));
    let kind = near.map_or(found.last(), at).unwrap_or_else(|| panic!("there is no `{name}` in `{near:?}`"));
    let mut table = match what {
        "keys" => "| key | value | meaning |\n|---|---|---|\n".to_owned(),
        _ => "| value | meaning |\n|---|---|\n".to_owned(),
    };
    for row in &kind.rows {
        let docs = plain(&row.docs, kinds, kind);
        let _ = match &row.ty {
            Some(ty) => {
                let value = value(ty, row.one_or_many, kinds, &kind.file);
                writeln!(table, "| `{}` | {value} | {docs} |", row.name)
            }
            None => writeln!(table, "| `{}` | {docs} |", row.name),
        };
    }
    table
}

/// The page with the tables that the types have.
fn with_tables(page: &str, kinds: &Kinds) -> String {
    let mut written = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        written.push_str(line);
        written.push('\n');
        let marker = line.strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->"));
        let Some(marker) = marker else { continue };
        written.push('\n');
        written.push_str(&table(marker, kinds));
        while lines.next_if(|line| line.is_empty() || line.starts_with('|')).is_some() {}
        if lines.peek().is_some() {
            written.push('\n');
        }
    }
    written
}

#[test]
fn tables_of_keys_are_the_documentation_of_the_types() {
    let kinds = kinds();
    let overwrite = std::env::var("EXO_RAILS_KEYS").is_ok_and(|value| value == "overwrite");
    let (mut tables, mut wrong) = (0, Vec::new());
    for file in files(&root().join("book/src"), "md") {
        let page = std::fs::read_to_string(&file).unwrap();
        tables += page.matches("\n<!-- keys: ").count();
        let written = with_tables(&page, &kinds);
        if written == page {
            continue;
        }
        if overwrite {
            std::fs::write(&file, written).unwrap();
        } else {
            wrong.push(file);
        }
    }
    assert!(tables >= 27, "{tables} tables of keys");
    let how = "EXO_RAILS_KEYS=overwrite cargo test -p tests --test source keys";
    assert!(wrong.is_empty(), "the types have other keys or documentation than these pages: run `{how}`\n{wrong:#?}");
}

/// The tables of a configuration file are the fields of `PolicyConfig`. Each has a page, which shows its keys.
#[test]
fn each_guard_has_a_page() {
    let kinds = kinds();
    let kit = kinds.get("PolicyConfig").and_then(|kinds| kinds.last()).expect("the configuration of the kit");
    let guards: Vec<_> = kit.rows.iter().filter(|row| row.name != "mode").collect();
    assert!(guards.len() >= 23, "{} guards", guards.len());
    for guard in guards {
        let page = root().join(format!("book/src/guards/{}.md", guard.name.replace('_', "-")));
        let text = std::fs::read_to_string(&page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        let ty = guard.ty.to_token_stream().to_string().replace(' ', "");
        let config = ty.split(['<', '>']).find(|name| name.ends_with("Config")).unwrap_or_else(|| panic!("{ty}"));
        assert!(text.contains(&format!("<!-- keys: {config} -->")), "{}: no keys of `{config}`", page.display());
    }
}
