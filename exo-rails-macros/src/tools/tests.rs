use proc_macro2::TokenStream;

use crate::testing::{assert_says, golden, mentions, tokens};

fn expand(input: &str) -> TokenStream {
    super::tools(tokens(input))
}

/// Checks each row: the content of `tools!`, and the beginning of each message.
fn check(table: &[(&str, &[&str])]) {
    assert_says(expand, table);
}

#[test]
fn valid_sets_are_accepted() {
    for set in [
        "struct Tools {}",
        "/// Docs.\n#[derive(Clone)] pub struct Tools { /// Docs.\n pub search: a::Search, delete: DeleteFile, }",
        "#[tools(crate = my::rails)] pub(crate) struct r#type { r#fn: A }",
    ] {
        check(&[(set, &[])]);
    }
}

#[test]
fn mistakes_in_sets_are_reported() {
    check(&[
        ("", &["a set of tools is a struct: `tools! { struct MyTools { search: Search } }`"]),
        ("enum Tools { A }", &["a set of tools is a struct"]),
        ("Search, Delete", &["a set of tools is a struct"]),
        ("struct Tools(Search);", &["a set of tools lists its tools in braces"]),
        ("struct Tools;", &["a set of tools lists its tools in braces"]),
        ("struct Tools<T> { a: A<T> }", &["a set of tools cannot have generic parameters"]),
        ("#[cfg(x)] struct Tools { a: A }", &["`tools!` makes more than the struct"]),
        ("struct A { a: A } struct B { b: B }", &["one `tools!` declares one set: write a second `tools!`"]),
    ]);
}

#[test]
fn mistakes_in_fields_are_reported() {
    check(&[
        ("struct Tools { Search }", &["a tool is a field with the type of its arguments: `search: Search`"]),
        ("struct Tools { \"search\": Search }", &["a tool is a field with the type of its arguments"]),
        ("struct Tools { a::Search }", &["a tool is a field with the type of its arguments"]),
        ("struct Tools { a: A, a: B }", &["the set has two fields with the name `a`: rename one"]),
        ("struct Tools { a: A, b: A }", &["the set lists the tool `A` twice: list it once"]),
        ("struct Tools { a: A, a: A }", &["the set has two fields", "the set lists the tool `A` twice"]),
        ("struct Tools { #[cfg(x)] a: A }", &["a tool of a set cannot have a `#[cfg]`"]),
        ("struct Tools { a: ToolFor<a::A> }", &["a set of tools lists only the type of the arguments: write `a::A`"]),
    ]);
}

#[test]
fn mistakes_in_options_are_reported() {
    check(&[
        ("#[tools(crat = a)] struct Tools {}", &["`#[tools]` has no option `crat`; did you mean `crate`?"]),
        ("#[tools(crate)] struct Tools {}", &["`crate` needs a value: `crate = ::exo_rails`"]),
        ("#[tools] struct Tools {}", &["the options need parentheses"]),
        (
            "#[tools(priority = 1)] struct Tools<T> {}",
            &["`#[tools]` has no option", "a set of tools cannot have generic parameters"],
        ),
    ]);
}

#[test]
fn the_expansion_uses_the_given_path_of_the_library() {
    let set = expand("#[tools(crate = my::rails)] struct Tools { a: A, b: B }");
    assert!(!mentions(&set, "exo_rails"), "{set}");
    assert!(mentions(&expand("struct Tools {}"), "exo_rails"));
}

#[test]
fn a_set_expands_to_the_recorded_code() {
    let set = "
        /// What the support agent can do.
        #[derive(Clone)]
        pub struct SupportTools { search: Search, pub delete_file: files::DeleteFile }";
    golden("tools.rs", expand(set));
}
