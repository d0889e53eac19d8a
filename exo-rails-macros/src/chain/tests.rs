use proc_macro2::TokenStream;
use quote::quote;

use crate::testing::{assert_says, golden, mentions, tokens};

fn expand(input: &str) -> TokenStream {
    super::rail_chain(tokens(input))
}

/// Checks each row: the content of `rail_chain!`, and the beginning of each message.
fn check(table: &[(&str, &[&str])]) {
    assert_says(expand, table);
}

#[test]
fn valid_chains_are_accepted() {
    let chains = [
        "",
        "a, b::c, ::d::e,",
        "r#type",
        "struct Rails {}",
        "pub(crate) struct Rails { a, pub limit: RateLimit<MemoryStore>, #[allow(dead_code)] b: B }",
        "crate = my::rails; a, b",
        "/// Docs.\n#[derive(Debug)] #[chain(priority = BASE + 1, crate = my::rails)] struct Rails { a }",
        "#[chain(priority = 1)] #[chain(crate = my::rails)] struct Rails { a }",
        "#[chain(trace)] struct Rails { a }",
        "#[chain(trace, onion)] a",
        "#[cfg(x)] a, #[rail(priority = 5)] b",
        "#[chain(onion)] /** Docs. */ #[cfg(x)] #[rail(priority = 5)] a",
        "struct Rails { #[cfg(x)] a, #[cfg(y)] b: B, #[cfg(not(y))] b: B, #[cfg(z)] a }",
    ];
    for chain in chains {
        check(&[(chain, &[])]);
    }
}

#[test]
fn mistakes_in_unnamed_chains_are_reported() {
    check(&[
        ("a, b, a", &["the rail `a` is listed twice: list it once. To run it twice, give each a field"]),
        ("a: A", &["an unnamed chain has no fields"]),
        ("a()", &["a chain lists rails by their names"]),
        ("a {}", &["a chain lists rails by their names"]),
        ("\"a\"", &["a chain lists rails by their names: write"]),
        ("(!a).then_some(b {})", &["a chain lists rails by their names, and not values"]),
        ("a b", &["a chain separates rails by commas: write `,` here"]),
        ("a, a, b: B", &["an unnamed chain has no fields", "the rail `a` is listed twice"]),
    ]);
}

#[test]
fn mistakes_in_named_chains_are_reported() {
    check(&[
        ("struct Rails { a, a }", &["the rail `a` is listed twice"]),
        ("struct Rails { A, a: A }", &["the rail `A` is listed twice"]),
        ("struct Rails { a: A, a: B }", &["the chain has two fields with the name `a`: rename one"]),
        ("struct Rails { Rails }", &["a chain cannot list itself: leave it out"]),
        ("struct Rails { pub a }", &["only a field can have a visibility"]),
        ("struct Rails { #[allow(x)] a }", &["only a field can have this attribute"]),
        ("struct Rails { #[rail(name = \"b\")] a }", &["a listed rail takes only a `priority`"]),
        ("struct Rails { #[rail(priority)] a }", &["`priority` needs a value"]),
        ("struct Rails { #[rail(priority = \"5\")] a: A }", &["`\"5\"` is not an integer"]),
        ("struct Rails { #[rail(priority = 5, priority = 6)] a }", &["`priority` is given twice"]),
        ("struct Rails { #[rail] a }", &["expected attribute arguments in parentheses"]),
        ("struct Rails { #[cfg(x)] #[inline] a }", &["only a field can have this attribute"]),
        ("#[cfg(x)] struct Rails { a }", &["`rail_chain!` makes more than the struct"]),
        ("#[rail(priority = 5)] struct Rails { a }", &["a chain takes its options in `#[chain(…)]`, not in `#[rail]`"]),
        ("struct Rails<T> { a: A<T> }", &["a chain cannot have generic parameters"]),
        ("struct Rails(a);", &["a chain lists its rails in braces"]),
        ("enum Rails { a }", &["a chain is a struct"]),
        ("struct A { a } struct B { b }", &["one `rail_chain!` declares one chain"]),
    ]);
}

#[test]
fn mistakes_in_options_are_reported() {
    let with = |options: &str| format!("#[chain({options})] struct Rails {{ a }}");
    let table: [(&str, &[&str]); 8] = [
        ("priorty = 1", &["`#[chain]` has no option `priorty`; did you mean `priority`?"]),
        ("severity = 1", &["`#[chain]` has no option `severity`; expected `priority`, `crate`"]),
        ("priority = 1, priority = 2", &["`priority` is given twice"]),
        ("priority", &["`priority` needs a value: `priority = 10`"]),
        ("priority = \"1\"", &["`\"1\"` is not an integer"]),
        ("priority = 1 crate = a", &["expected `,` between two arguments"]),
        ("trace = true", &["`trace` takes no value: write only `trace`"]),
        ("trace, trace", &["`trace` is given twice"]),
    ];
    for (options, expected) in table {
        check(&[(&with(options), expected)]);
    }
}

#[test]
fn the_expansion_uses_the_given_path_of_the_library() {
    let chain = expand("#[chain(crate = my::rails)] struct Rails { a, limit: Limit }");
    assert!(!mentions(&chain, "exo_rails"), "{chain}");
    assert!(mentions(&expand("a"), "exo_rails"));
}

#[test]
fn a_chain_has_spans_when_it_asks_for_them() {
    assert!(mentions(&expand("#[chain(trace)] a"), "Traced"));
    assert!(!mentions(&expand("#[chain(onion)] a"), "Traced"));
}

/// With constants instead of statics, the compiler would hash all of a chain again for each path to it from its outer
/// chains (`nested`). It would hash the rows of a chain again for each of them (many rails in one chain).
#[test]
fn shared_rows_and_plans_are_statics() {
    let chain = expand("struct Rails { a, limit: Limit }").to_string();
    for once in ["static __ROWS :", "= & __ROWS", "static __PLAN :", ", & __PLAN)"] {
        assert_eq!(chain.matches(once).count(), 1, "{once}: {chain}");
    }
    for never in ["& < Self as", "& < Rails as"] {
        assert!(!chain.contains(never), "{never}: {chain}");
    }
}

#[test]
fn a_named_chain_expands_to_the_recorded_code() {
    let chain = "
        /// What guards the support agent.
        #[chain(priority = 20)]
        pub struct SupportRails { block_dangerous, pub limit: RateLimit<MemoryStore>, audit }";
    golden("chain_named.rs", expand(chain));
}

#[test]
fn an_unnamed_chain_expands_to_the_recorded_code() {
    let chain = expand("guards::redact");
    golden("chain_unnamed.rs", quote!(fn main() { let rails = #chain; }));
}

#[test]
fn a_chain_with_custom_events_expands_to_the_recorded_code() {
    golden(
        "chain_with_custom_events.rs",
        expand("#[chain(onion, events = [MemoriesRecalled, Tick])] struct MemoryRails { privacy }"),
    );
}
