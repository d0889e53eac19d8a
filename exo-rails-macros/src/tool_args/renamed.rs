//! The names of the arguments in JSON, as far as serde changes them.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, Fields, LitStr, Token};

/// Returns the fields whose names in JSON differ from their names in Rust: both names. A field that serde does not read under a
/// name has an empty name in JSON. Mistakes in attributes of serde are for serde to report.
pub(super) fn fields(attrs: &[Attribute], fields: &Fields) -> Vec<(String, String)> {
    let all = Names::of(attrs).rename_all;
    let renamed = fields.iter().filter_map(|field| {
        let name = syn::ext::IdentExt::unraw(field.ident.as_ref()?).to_string();
        let Names { rename, is_nameless, .. } = Names::of(&field.attrs);
        let in_json = match rename {
            _ if is_nameless => String::new(),
            Some(rename) => rename,
            None => all.as_deref().map_or_else(|| name.clone(), |case| in_case(&name, case)),
        };
        (in_json != name).then_some((name, in_json))
    });
    renamed.collect()
}

/// The names in the attributes of serde on a struct or a field.
#[derive(Default)]
struct Names {
    rename: Option<String>,
    rename_all: Option<String>,
    is_nameless: bool,
}

impl Names {
    fn of(attrs: &[Attribute]) -> Self {
        let mut names = Self::default();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
            // An attribute that this function cannot read is also one that serde cannot read.
            drop(attr.parse_nested_meta(|meta| names.read(&meta)));
        }
        names
    }

    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        if meta.path.is_ident("rename") {
            self.rename = text(meta)?.or(self.rename.take());
        } else if meta.path.is_ident("rename_all") {
            self.rename_all = text(meta)?.or(self.rename_all.take());
        } else if ["flatten", "skip", "skip_deserializing"].iter().any(|word| meta.path.is_ident(word)) {
            self.is_nameless = true;
        } else {
            text(meta)?;
        }
        Ok(())
    }
}

/// Reads `= "text"`, or the text of `(serialize = "…", deserialize = "text")`.
fn text(meta: &ParseNestedMeta<'_>) -> syn::Result<Option<String>> {
    if meta.input.peek(Token![=]) {
        return meta.value()?.parse::<LitStr>().map(|text| Some(text.value()));
    }
    let mut found = None;
    if meta.input.peek(syn::token::Paren) {
        meta.parse_nested_meta(|inner| {
            let text = inner.value()?.parse::<LitStr>()?;
            if inner.path.is_ident("deserialize") {
                found = Some(text.value());
            }
            Ok(())
        })?;
    }
    Ok(found)
}

/// Returns the name of a field in a case of serde: <https://serde.rs/container-attrs.html#rename_all>.
fn in_case(name: &str, case: &str) -> String {
    let pascal = || {
        let mut word_begins = true;
        let mut text = String::new();
        for char in name.chars() {
            match char {
                '_' => word_begins = true,
                char if word_begins => {
                    text.push(char.to_ascii_uppercase());
                    word_begins = false;
                }
                char => text.push(char),
            }
        }
        text
    };
    match case {
        "UPPERCASE" | "SCREAMING_SNAKE_CASE" => name.to_ascii_uppercase(),
        "PascalCase" => pascal(),
        "camelCase" => {
            let pascal = pascal();
            let first = pascal.chars().next().map_or(0, char::len_utf8);
            pascal[..first].to_ascii_lowercase() + &pascal[first..]
        }
        "kebab-case" => name.replace('_', "-"),
        "SCREAMING-KEBAB-CASE" => name.to_ascii_uppercase().replace('_', "-"),
        _ => name.to_owned(),
    }
}
