use crate::testing::{assert_says, golden, mentions, messages, tokens};

fn expand(item: &str) -> proc_macro2::TokenStream {
    super::event(tokens(item))
}

/// Checks each row: the declaration, and the beginning of each message.
fn check(table: &[(&str, &[&str])]) {
    assert_says(expand, table);
}

#[test]
fn valid_events_are_accepted() {
    for item in [
        "struct Tick;",
        "#[event(payload = &Query)] struct Asked;",
        "#[event(payload = (&Query, &mut a::Memories<u8>), allows = \"skip\", substitute = Memories)] pub struct E;",
        "#[event(payload = (), allows = \"retry\", name = \"other\", after = true, crate = my::rails)] struct E;",
        "#[event(payload = (&[u8; 4]))] struct E;",
    ] {
        check(&[(item, &[])]);
    }
}

#[test]
fn only_plain_unit_structs_are_events() {
    check(&[
        ("struct Asked { query: Query }", &["an event is a unit struct"]),
        ("enum Asked { One, Two }", &["each event is a unit struct of its own: write `struct One;` and `struct Two;`"]),
        ("struct Asked();", &["an event is a unit struct"]),
        ("struct Asked<T>;", &["an event cannot have generic parameters"]),
        ("struct Start;", &["`Start` is the name of an event of the library"]),
        ("#[event(name = \"mine\")] struct Start;", &["`Start` is the name of an event of the library"]),
    ]);
}

#[test]
fn mistakes_in_options_are_reported() {
    let with = |options: &str| format!("#[event({options})] struct Asked;");
    let table: [(&str, &[&str]); 20] = [
        ("payload = Query", &["the parts of a payload are references: write `&Query`, or `&mut Query`"]),
        ("payload = (&A, B)", &["the parts of a payload are references: write `&B`"]),
        ("payload = &'static A", &["the library chooses the lifetime of the payload"]),
        ("payload = &Cow<'static, str>", &["a payload cannot borrow"]),
        ("payload = &str", &["an event cannot carry `str`, because its size is not known: write `&String`"]),
        (
            "payload = &mut [a::B<u8>]",
            &["an event cannot carry `[a::B<u8>]`, because its size is not known: write `&mut Vec<a::B<u8>>`"],
        ),
        (
            "payload = &dyn A",
            &["an event cannot carry `dyn A`, because its size is not known: write `&Box<dyn A + Send + Sync>`"],
        ),
        (
            "payload = &(dyn A + Send)",
            &[
                "an event cannot carry `(dyn A + Send)`, because its size is not known: write `&Box<dyn A + Send + Sync>`",
            ],
        ),
        ("payload = (&A, &mut A)", &["`A` is in the payload twice, and rails select parts by their types"]),
        ("payload = (&A, &B, &C, &D, &E, &F, &G, &H)", &["a payload has at most 7 parts"]),
        ("payload", &["`payload` needs a value: `payload = (&Query, &mut Memories)`"]),
        ("allows = \"abrt\"", &["`allows` has no value `abrt`; did you mean `abort`?"]),
        ("allows = Abort", &["`allows` takes one of these strings"]),
        (
            "substitute = A",
            &["only an event that rails can skip has a substitute: write `allows = \"skip\"` or `\"retry\"`"],
        ),
        ("allows = \"abort\", substitute = A", &["only an event that rails can skip has a substitute"]),
        ("name = \" \"", &["the name of an event is a string that is not blank"]),
        ("name = \"pre_tool_call\"", &["`pre_tool_call` is the name of an event of the library"]),
        ("after = 1", &["expected boolean literal"]),
        ("allow = \"abort\"", &["`#[event]` has no option `allow`; did you mean `allows`?"]),
        ("allows = \"skip\", allows = \"abort\"", &["`allows` is given twice: keep one of them"]),
    ];
    for (options, expected) in table {
        check(&[(&with(options), expected)]);
    }
}

/// An item with mistakes is still an event for the code that names it.
#[test]
fn an_event_with_mistakes_is_still_an_event() {
    for item in ["#[event(allows = \"abrt\")] struct Asked;", "struct Asked { query: Query }"] {
        let expansion = expand(item);
        assert!(!messages(&expansion).is_empty() && mentions(&expansion, "Payloads"), "{item}");
    }
}

#[test]
fn the_expansion_uses_the_given_path_of_the_library() {
    let expansion =
        expand("#[event(payload = (&A, &mut B), allows = \"skip\", substitute = C, crate = my::rails)] struct E;");
    assert!(!mentions(&expansion, "exo_rails") && mentions(&expansion, "rails"), "{expansion}");
}

#[test]
fn an_event_expands_to_the_recorded_code() {
    let item = "/// Memories have been found.
        #[event(payload = (&Query, &mut Memories), allows = \"skip\", substitute = Memories)]
        pub struct MemoriesRecalled;";
    golden("custom_event.rs", expand(item));
}
