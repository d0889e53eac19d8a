//! The folders of the core are layers: each uses only those before it.

use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Item};

/// The folders of `exo-rails/src`, from the first layer to the last.
const LAYERS: [&str; 14] = [
    "message",
    "point",
    "error",
    "action",
    "context",
    "event",
    "decision",
    "telemetry",
    "rail",
    "chain",
    "guard_set",
    "operation",
    "bus",
    "testing",
];

/// Files at the root. They name every folder, and no folder may use them.
const ROOT: [&str; 4] = ["lib", "macros", "prelude", "private"];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../exo-rails/src")
}

/// Every file below a folder, with its module path: `chain/walk.rs` is `["chain", "walk"]`.
fn files(folder: &Path, path: &[String]) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    for entry in folder.read_dir().unwrap() {
        let entry = entry.unwrap().path();
        let name = entry.file_stem().unwrap().to_string_lossy().into_owned();
        let inside = [path, std::slice::from_ref(&name)].concat();
        if entry.is_dir() {
            found.extend(files(&entry, &inside));
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let module = if name == "mod" { path.to_vec() } else { inside };
            found.push((module, std::fs::read_to_string(&entry).unwrap()));
        }
    }
    found.sort();
    found
}

/// Takes out what exists only in tests: they may use every layer.
struct WithoutTests;

impl VisitMut for WithoutTests {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        file.items.retain(|item| !is_test(item));
        visit_mut::visit_file_mut(self, file);
    }
}

fn is_test(item: &Item) -> bool {
    let attrs: &[Attribute] = match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        _ => &[],
    };
    attrs.iter().any(|attr| attr.path().is_ident("cfg") && attr.to_token_stream().to_string().contains("test"))
}

/// The first names of all paths that begin with `crate::` or leave the file's folder by `super::`, also inside macros.
fn used(module: &[String], source: &str) -> Vec<String> {
    let mut file = syn::parse_file(source).unwrap();
    WithoutTests.visit_file_mut(&mut file);
    let mut names = Vec::new();
    scan(file.to_token_stream(), module, &mut names);
    names
}

fn scan(tokens: TokenStream, module: &[String], names: &mut Vec<String>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) => scan(group.stream(), module, names),
            TokenTree::Ident(ident) if ident == "crate" || ident == "super" => {
                let begun = at > 0 && matches!(&tokens[at - 1], TokenTree::Punct(punct) if punct.as_char() == ':');
                let mut base = if ident == "crate" { Vec::new() } else { module[..module.len() - 1].to_vec() };
                let mut next = at + 1;
                while let Some(behind) = behind_colons(&tokens, next) {
                    let is_super = matches!(&tokens[behind], TokenTree::Ident(ident) if ident == "super");
                    if !is_super {
                        break;
                    }
                    base.pop();
                    next = behind + 1;
                }
                if let (false, Some(behind)) = (begun, behind_colons(&tokens, next)) {
                    firsts(&base, &tokens[behind], names);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// The place behind `::`.
fn behind_colons(tokens: &[TokenTree], at: usize) -> Option<usize> {
    let colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    (colon(at) && colon(at + 1) && at + 2 < tokens.len()).then_some(at + 2)
}

/// The first name of a path that goes on here; of each path in a group.
fn firsts(base: &[String], token: &TokenTree, names: &mut Vec<String>) {
    match (base, token) {
        ([first, ..], _) => names.push(first.clone()),
        ([], TokenTree::Ident(ident)) => names.push(ident.to_string()),
        ([], TokenTree::Group(group)) => {
            let tokens: Vec<_> = group.stream().into_iter().collect();
            let begins =
                |at: usize| at == 0 || matches!(&tokens[at - 1], TokenTree::Punct(punct) if punct.as_char() == ',');
            let heads = tokens.iter().enumerate().filter(|(at, _)| begins(*at));
            names.extend(heads.filter_map(|(_, token)| match token {
                TokenTree::Ident(ident) => Some(ident.to_string()),
                _ => None,
            }));
        }
        _ => {}
    }
}

/// What a file uses that its layer must not: later folders, and the root.
fn forbidden(module: &[String], source: &str) -> Vec<String> {
    let layer = LAYERS.iter().position(|layer| *layer == module[0]).unwrap();
    let is_allowed = |name: &String| LAYERS[..=layer].contains(&name.as_str());
    used(module, source).into_iter().filter(|name| !is_allowed(name)).collect()
}

#[test]
fn a_folder_uses_only_those_before_it() {
    let mut wrong = Vec::new();
    for (module, source) in files(&source(), &[]) {
        if ROOT.contains(&module.first().map_or("lib", String::as_str)) {
            continue;
        }
        let forbidden = forbidden(&module, &source);
        if !forbidden.is_empty() {
            wrong.push(format!("`{}` uses {forbidden:?}", module.join("::")));
        }
    }
    assert!(wrong.is_empty(), "not layers before them:\n{}", wrong.join("\n"));
}

#[test]
fn every_folder_is_a_layer() {
    let mut folders: Vec<_> =
        files(&source(), &[]).into_iter().filter_map(|(module, _)| module.into_iter().next()).collect();
    folders.dedup();
    folders.retain(|folder| !ROOT.contains(&folder.as_str()));
    let mut layers = LAYERS.map(str::to_owned).to_vec();
    layers.sort();
    assert_eq!(folders, layers);
}

#[test]
fn each_forbidden_pair_is_found() {
    for (at, layer) in LAYERS.iter().enumerate() {
        for later in LAYERS[at + 1..].iter().chain(&["prelude", "GuardSet"]) {
            let module = [(*layer).to_owned(), "file".to_owned()];
            let sources = [
                format!("use crate::{later}::Thing;"),
                format!("use crate::{{message::Role, {later}::{{Thing, Other}}}};"),
                format!("fn f() -> crate::{later}::Thing {{ todo() }}"),
                format!("macro_rules! m {{ () => {{ $crate::{later}::Thing }} }}"),
                format!("use super::super::{later}::Thing;"),
                format!("impl super::super::{later}::Thing for u8 {{}}"),
            ];
            for source in sources {
                assert_eq!(
                    forbidden(&module, &source).iter().filter(|name| name == later).count(),
                    1,
                    "{layer} -> {later}: {source}"
                );
            }
            let in_a_test = format!("#[cfg(test)] mod tests {{ use crate::{later}::Thing; }}");
            assert!(forbidden(&module, &in_a_test).is_empty());
        }
    }
}

/// What the agent cannot reach, another framework cannot reach either.
#[test]
fn the_agent_uses_the_public_api() {
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("../exo-rails-agent/src");
    for (module, source) in files(&agent, &[]) {
        assert!(!source.contains("exo_rails::__private"), "{}", module.join("::"));
    }
}
