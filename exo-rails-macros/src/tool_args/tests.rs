use proc_macro2::TokenStream;

use crate::testing::{assert_says, golden, mentions, messages, tokens};

fn expand(item: &str) -> TokenStream {
    super::tool_args(tokens(item))
}

/// Checks each row: the struct, and the beginning of each message.
fn check(table: &[(&str, &[&str])]) {
    assert_says(expand, table);
}

#[test]
fn valid_arguments_are_accepted() {
    let structs = [
        "#[tool(name = \"a\")] struct A {}",
        "/// Docs.\n#[tool(name = \"read-file_2\",)] pub(crate) struct A { #[serde(default)] a: u8, pub b: Vec<B> }",
        "#[serde(deny_unknown_fields)] #[tool(name = \"a\")] #[tool(crate = my::rails)] struct A { a: u8 }",
        "#[tool(name = \"a\", description = \"Docs.\", schema = json!({ \"type\": \"object\" }))] struct r#type {}",
    ];
    for item in structs {
        check(&[(item, &[])]);
    }
    check(&[(&with(&format!("name = \"{}\"", "a".repeat(64))), &[])]);
}

fn with(options: &str) -> String {
    format!("#[tool({options})] struct DeleteFile {{ path: String }}")
}

#[test]
fn mistakes_in_options_are_reported() {
    let table: [(&str, &[&str]); 13] = [
        ("", &["the tool has no name: write `#[tool(name = \"delete_file\")]` above `DeleteFile`"]),
        ("name", &["`name` needs a value: `name = \"delete_file\"`"]),
        ("name = delete_file", &["the name of a tool is a string: write `name = \"delete_file\"`"]),
        ("name = \" \"", &["the name of a tool cannot be blank"]),
        ("nam = \"a\"", &["`#[tool]` has no option `nam`; did you mean `name`?"]),
        ("parameters = 1", &["`#[tool]` has no option `parameters`; expected `name`", "the tool has no name"]),
        (
            "name = \"a\", parameters = 1",
            &["`#[tool]` has no option `parameters`; expected `name`, `description`, `schema`, `crate`"],
        ),
        ("name = \"a\", name = \"b\"", &["`name` is given twice"]),
        ("name = \"a\" description = \"b\"", &["expected `,` between two arguments"]),
        ("name = \"a\", description = 5", &["a description is a string that is not blank"]),
        ("name = \"a\", description = \"\"", &["a description is a string that is not blank"]),
        ("name = \"a\", schema", &["`schema` needs a value"]),
        (
            "name = \"a b\", description = 1, schem = 1",
            &[
                "`#[tool]` has no option `schem`",
                "model APIs reject ` ` in the name of a tool",
                "a description is a string that is not blank",
            ],
        ),
    ];
    for (options, expected) in table {
        check(&[(&with(options), expected)]);
    }
    check(&[
        ("struct A {}", &["the tool has no name"]),
        ("#[tool] struct A {}", &["the options need parentheses: write `#[tool(name = \"delete_file\")]`"]),
        ("#[tool = \"a\"] struct A {}", &["the options need parentheses"]),
    ]);
}

#[test]
fn names_that_model_apis_reject_are_reported() {
    for (name, (begin, end)) in [
        ("delete file", ("model APIs reject ` ` in", "; write `delete_file`")),
        ("fs.delete", ("model APIs reject `.` in", "; write `fs_delete`")),
        ("größe", ("model APIs reject `ö` in", "; write `gr__e`")),
        ("削除", ("model APIs reject `削` in", "`_` and `-`")),
    ] {
        let messages = messages(&expand(&with(&format!("name = \"{name}\""))));
        assert!(
            messages.len() == 1 && messages[0].starts_with(begin) && messages[0].ends_with(end),
            "{name}: {messages:?}"
        );
    }
    let long = with(&format!("name = \"{}\"", "a".repeat(65)));
    check(&[(&long, &["this name of a tool has 65 characters, and model APIs accept at most 64"])]);
}

#[test]
fn only_structs_with_named_fields_are_arguments() {
    let table: [(&str, &[&str]); 8] = [
        (
            "enum A { B }",
            &["the arguments of a tool need names: write `struct A { … }` with named fields; an enum can"],
        ),
        ("union A { a: u8 }", &["the arguments of a tool are a struct, not a union"]),
        ("struct A(String);", &["the arguments of a tool need names"]),
        ("struct A;", &["the arguments of a tool are an object, even without fields: write `struct A {}`"]),
        ("struct A<T> { a: T }", &["the arguments of a tool cannot have generic parameters"]),
        ("struct A<'a> { a: &'a str }", &["the arguments of a tool must own their data"]),
        ("struct A { #[tool(name = \"a\")] a: u8 }", &["`#[tool(…)]` is for the struct"]),
        (
            "enum A<T> { B(T) }",
            &["the arguments of a tool cannot have generic parameters", "the arguments of a tool need names"],
        ),
    ];
    for (item, expected) in table {
        check(&[(&format!("#[tool(name = \"a\")] {item}"), expected)]);
    }
}

/// The description is the text of the doc comment.
#[test]
fn the_description_is_the_text_of_the_doc_comment() {
    let description = |attrs: &str| {
        let item = syn::parse2(tokens(&format!("{attrs}\n#[tool(name = \"a\")] struct A {{}}"))).ok();
        let mut errors = crate::errors::Errors::default();
        item.map(|item| {
            let options = super::parse::options(&item, &mut errors);
            super::check::tool_args(item, options, &mut errors).description
        })
    };
    for (attrs, expected) in [
        ("", ""),
        ("/// Deletes a file.", "Deletes a file."),
        ("/// Deletes a file\n/// for good.\n///\n///   Ask first.\n///", "Deletes a file\nfor good.\n\n  Ask first."),
        ("/** Deletes a file. */", "Deletes a file."),
        ("#[doc(hidden)] #[doc = include_str!(\"a.md\")] #[doc = \"A file.\"]", "A file."),
        ("/// For people.\n#[tool(description = \"For models.\")]", "For models."),
    ] {
        assert_eq!(description(attrs).as_deref(), Some(expected), "{attrs}");
    }
}

/// A struct with mistakes is still a tool for the code that names it, and an error always stands beside it.
#[test]
fn arguments_with_mistakes_expand_to_a_stub() {
    for item in ["enum A { B }", "struct A;", "#[tool(name = 5)] struct A {}"] {
        let expansion = expand(item);
        assert!(!messages(&expansion).is_empty() && mentions(&expansion, "DerivedToolArgs"), "{expansion}");
    }
}

#[test]
fn the_expansion_uses_the_given_path_of_the_library() {
    for item in [
        "#[tool(name = \"a\", crate = my::rails)] struct A {}",
        "#[tool(name = \"a\", crate = my::rails, schema = a())] struct A {}",
        "#[tool(crate = my::rails)] struct A {}",
    ] {
        let expansion = expand(item);
        assert!(!mentions(&expansion, "exo_rails") && mentions(&expansion, "rails"), "{expansion}");
    }
}

#[test]
fn arguments_with_a_derived_schema_expand_to_the_recorded_code() {
    let item = "/// Deletes a file of the workspace.
        #[tool(name = \"delete_file\")]
        pub struct DeleteFile { path: String, #[serde(default)] recursive: bool }";
    golden("tool_args.rs", expand(item));
}

#[test]
fn arguments_with_a_written_schema_expand_to_the_recorded_code() {
    let item = "#[tool(name = \"ping\", description = \"Answers.\", schema = json!({ \"type\": \"object\" }))]
        struct Ping {}";
    golden("tool_args_with_schema.rs", expand(item));
}

#[test]
fn fields_have_the_json_names_that_serde_gives_them() {
    for (attributes, expected) in [
        ("order_id: u64, r#type: String", None),
        ("#[serde(default, alias = \"id\")] order_id: u64", None),
        ("#[serde(rename = \"orderId\")] order_id: u64", Some("(\"order_id\",\"orderId\")")),
        ("#[serde(rename(serialize = \"a\", deserialize = \"b\"), default)] x: u8", Some("(\"x\",\"b\")")),
        ("#[serde(rename(serialize = \"a\"))] x: u8", None),
        ("#[serde(flatten)] rest: Rest", Some("(\"rest\",\"\")")),
        ("#[serde(default = \"f\", with = \"g\", rename = \"y\")] x: u8", Some("(\"x\",\"y\")")),
        ("#[serde(skip_serializing_if = \"f\")] #[serde(rename = \"y\")] x: u8", Some("(\"x\",\"y\")")),
    ] {
        let item = format!("#[tool(name = \"a\", schema = x)] struct A {{ {attributes} }}");
        assert_eq!(renamed(&item).as_deref(), expected, "{attributes}");
    }
    for (case, expected) in [
        ("camelCase", Some("orderId")),
        ("PascalCase", Some("OrderId")),
        ("kebab-case", Some("order-id")),
        ("SCREAMING_SNAKE_CASE", Some("ORDER_ID")),
        ("SCREAMING-KEBAB-CASE", Some("ORDER-ID")),
        ("UPPERCASE", Some("ORDER_ID")),
        ("snake_case", None),
        ("lowercase", None),
    ] {
        let item = format!(
            "#[tool(name = \"a\", schema = x)] #[serde(rename_all = \"{case}\")]
            struct A {{ order_id: u64, #[serde(rename = \"b\")] b: u8 }}"
        );
        assert_eq!(renamed(&item), expected.map(|name| format!("(\"order_id\",\"{name}\")")), "{case}");
    }
}

/// Returns the pairs of names in the expansion, without spaces.
fn renamed(item: &str) -> Option<String> {
    let text = expand(item).to_string().replace(' ', "");
    let (_, rest) = text.split_once("RENAMED_FIELDS:&'static[(&'staticstr,&'staticstr)]=&[")?;
    rest.split_once("];").map(|(pairs, _)| pairs.to_owned())
}
