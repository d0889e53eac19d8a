//! The promises of `SECURITY.md`: each names a test, and the test exists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Item};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The names of the tests in this file, also of those in its modules.
fn tests_in(file: &Path) -> BTreeSet<String> {
    let source = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut names = BTreeSet::new();
    collect(&syn::parse_file(&source).unwrap().items, &mut names);
    names
}

fn collect(items: &[Item], names: &mut BTreeSet<String>) {
    for item in items {
        match item {
            Item::Fn(function) if function.attrs.iter().any(is_test) => {
                names.insert(function.sig.ident.to_string());
            }
            Item::Mod(module) => collect(module.content.as_ref().map_or(&[], |(_, items)| items), names),
            Item::Macro(properties) if properties.mac.path.is_ident("proptest") => {
                names.extend(functions_in(properties.mac.tokens.clone()));
            }
            _ => {}
        }
    }
}

/// The names of the functions in a `proptest!`. All of them are tests.
fn functions_in(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let names = tokens.windows(2).filter_map(|pair| match pair {
        [TokenTree::Ident(keyword), TokenTree::Ident(name)] if keyword == "fn" => Some(name.to_string()),
        _ => None,
    });
    names.collect()
}

fn is_test(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == "test")
}

/// The texts in backticks of a text.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_promise_is_held_by_a_test_that_exists() {
    let page = std::fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let (promises, _) = page.split_once("## What is not promised").unwrap();
    let rows: Vec<_> = promises.lines().filter(|line| line.starts_with("| ")).collect();
    let rows = rows.into_iter().filter(|row| *row != "| promise | test |");
    let mut count = 0;
    for row in rows {
        let (_, held_by) = row.trim_end_matches('|').rsplit_once('|').unwrap();
        if held_by.contains("do not compile") {
            assert_fixtures(held_by);
        } else {
            assert_tests(row, held_by);
        }
        count += 1;
    }
    assert!(count >= 25, "the page has {count} promises");
}

/// `file.rs`: `test`; …
fn assert_tests(row: &str, held_by: &str) {
    for test in held_by.split(';') {
        let [file, name] = quoted(test)[..] else { panic!("a row names a file and a test: {row}") };
        let folders = ["tests/tests", "crates/exo-rails-guards/tests", "crates/exo-rails-store/tests"];
        let mut files = folders.iter().map(|folder| root().join(folder).join(file));
        let names = tests_in(&files.find(|file| file.exists()).unwrap_or_else(|| panic!("no file `{file}`: {row}")));
        assert!(names.contains(name), "`{file}` has no test `{name}`: {row}");
    }
}

/// The programs `name_*` in `folder` do not compile
fn assert_fixtures(held_by: &str) {
    let [pattern, folder] = quoted(held_by)[..] else { panic!("it names programs and a folder: {held_by}") };
    let prefix = pattern.strip_suffix('*').unwrap();
    let files = std::fs::read_dir(root().join(folder)).unwrap().map(|file| file.unwrap().file_name());
    let fixtures = files.filter(|name| {
        let name = name.to_string_lossy();
        name.starts_with(prefix) && name.ends_with(".stderr")
    });
    assert!(fixtures.count() >= 3, "`{folder}` has no programs `{pattern}`");
}
