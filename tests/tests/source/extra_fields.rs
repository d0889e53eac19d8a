//! The fields that every payload knows: what its `extra` must not have.

use std::collections::BTreeMap;
use std::path::Path;

use quote::ToTokens;
use syn::{Field, Fields, Item};

const FOLDER: &str = "../exo-rails/src/message";

fn attributes(field: &Field) -> String {
    field.attrs.iter().map(|attribute| attribute.to_token_stream().to_string()).collect()
}

/// What a field is called in JSON; `None` when it is not written under a name.
fn name(field: &Field) -> Option<String> {
    let attributes = attributes(field);
    if attributes.contains("serde (skip)") || attributes.contains("flatten") {
        return None;
    }
    let renamed = attributes.split_once("rename = \"").and_then(|(_, rest)| rest.split_once('"'));
    Some(renamed.map_or_else(|| field.ident.as_ref().unwrap().to_string(), |(name, _)| name.to_owned()))
}

/// The types with an `extra`, each with the fields that it knows.
fn payloads() -> BTreeMap<String, Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    let mut payloads = BTreeMap::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let source = syn::parse_file(&std::fs::read_to_string(path).unwrap()).unwrap();
        for item in source.items {
            let Item::Struct(item) = item else { continue };
            let Fields::Named(fields) = &item.fields else { continue };
            let Some(extra) = fields.named.iter().find(|field| attributes(field).contains("flatten")) else { continue };
            let type_name = item.ident.to_string();
            let expected = format!("unknown_fields::<{type_name}, _>");
            assert!(
                attributes(extra).contains(&expected),
                "`{type_name}` does not write its `extra` with `{expected}`"
            );
            payloads.insert(type_name, fields.named.iter().filter_map(name).collect());
        }
    }
    payloads
}

#[test]
fn every_payload_names_the_fields_that_it_knows() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER).join("known_fields.rs");
    let source = std::fs::read_to_string(source).unwrap();
    let (_, list) = source.split_once("\nknown_fields! {\n").unwrap();
    let listed: BTreeMap<_, Vec<_>> = list
        .lines()
        .filter_map(|line| line.trim().strip_suffix(" }")?.split_once(" { "))
        .map(|(payload, fields)| {
            (payload.to_owned(), fields.split(", ").map(|name| name.trim_matches('"').to_owned()).collect())
        })
        .collect();
    assert_eq!(listed, payloads());
    assert!(listed.len() > 20, "{listed:?}");
}
