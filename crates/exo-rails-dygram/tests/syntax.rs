//! The grammar: what is read, and how mistakes are reported.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use exo_rails_dygram::{Annotation, Arrow, Edge, Machine, NodeKind, Type, Value, read};

fn machine(text: &str) -> Machine {
    let reading = read("f.dygram", text);
    assert!(!reading.report.has_errors(), "{}", reading.report);
    reading.machine
}

/// Writes an edge in a form that is easy to compare.
fn edge(machine: &Machine, edge: &Edge) -> String {
    let end = |end: &exo_rails_dygram::Endpoint| {
        let path = machine.path(end.node);
        end.attribute.as_ref().map_or_else(|| path.to_owned(), |attribute| format!("{path}#{attribute}"))
    };
    format!("{} {} {}", end(&edge.source), edge.arrow, end(&edge.target))
}

fn edges(text: &str) -> Vec<String> {
    let machine = machine(text);
    machine.edges().iter().map(|one| edge(&machine, one)).collect()
}

#[test]
fn statements_end_with_or_without_a_semicolon() {
    let texts = [
        "State a; State b; a -> b;",
        "State a\nState b\na -> b",
        "State a {} State b {}; a -> b {};",
        "State a State b a -> b",
        "State a /* x */ ; // y\r\nState b\r\na\r\n->\r\nb",
        "\u{feff}State a; State b; a -> b;",
    ];
    for text in texts {
        assert_eq!(machine(text), machine(texts[0]), "{text}");
    }
}

#[test]
fn chains_have_an_edge_for_each_pair() {
    let cases: [(&str, &[&str]); 5] = [
        ("a -> b -> c;", &["a -> b", "b -> c"]),
        ("a, b -> c, d;", &["a -> c", "a -> d", "b -> c", "b -> d"]),
        ("a -> b, c => d;", &["a -> b", "a -> c", "b => d", "c => d"]),
        (
            "a --> b; a => b; a <--> b; a <|-- b; a *--> b; a o--> b;",
            &["a --> b", "a => b", "a <--> b", "a <|-- b", "a *--> b", "a o--> b"],
        ),
        ("o -> foo; foo-->o;", &["o -> foo", "foo --> o"]),
    ];
    for (text, expected) in cases {
        assert_eq!(edges(text), expected, "{text}");
    }
}

#[test]
fn an_edge_in_the_body_of_a_node_may_begin_at_the_node() {
    let cases: [(&str, &[&str]); 4] = [
        ("State b; Process p { State a; -> b; }", &["p -> b"]),
        ("State b; Process p { x: 1\n -go-> b -> p }", &["p -> b", "b -> p"]),
        ("State b; p { q { -> b, p; => b } --> b }", &["p.q -> b", "p.q -> p", "p.q => b", "p --> b"]),
        ("State b; p { \"1\" *--> \"2\" b { w: 1; } }", &["p *--> b"]),
    ];
    for (text, expected) in cases {
        assert_eq!(edges(text), expected, "{text}");
        let formatted = exo_rails_dygram::format("f.dygram", text).unwrap();
        assert_eq!(machine(&formatted), machine(text), "{formatted}");
    }
}

#[test]
fn labels_have_texts_values_and_annotations() {
    let labels = [
        "a -go-> b;",
        "a --go--> b;",
        "a =go=> b;",
        "a <--go--> b;",
        "a <--go-> b;",
        "a <--go> b;",
        "a - go -> b;",
        "a -\"go\"-> b;",
    ];
    for text in labels {
        assert_eq!(machine(text).edges()[0].texts().collect::<Vec<_>>(), ["go"], "{text}");
    }
    let both = machine("a \"1\" -@auto @timeout(50), when: 'x > 1'; weight: -0.5, go-> \"0..*\" b { unless: \"y\"; };");
    let edge = &both.edges()[0];
    assert!(edge.is_auto());
    assert_eq!(edge.annotation("timeout").and_then(Annotation::number), Some(50.0));
    assert_eq!(
        edge.label.iter().map(|part| part.name.as_deref()).collect::<Vec<_>>(),
        [Some("when"), Some("weight"), None]
    );
    assert_eq!(edge.label[1].value.as_f64(), Some(-0.5));
    assert_eq!(edge.conditions().map(|condition| condition.text).collect::<Vec<_>>(), ["x > 1", "y"]);
    assert_eq!((edge.source_multiplicity.as_deref(), edge.target_multiplicity.as_deref()), (Some("1"), Some("0..*")));
}

#[test]
fn annotations_have_values_and_parameters() {
    let text = "machine \"M\" @strict(false) @a(1) @b(\"x\") @c(d.e) @f(g: 1; h: #i; j;) @k(l;)";
    let machine = machine(text);
    let printed: Vec<_> = machine.to_string().lines().map(str::to_owned).collect();
    assert_eq!(printed[0], "machine \"M\" @strict(false) @a(1) @b(\"x\") @c(d.e) @f(g: 1; h: #i; j) @k(l;)");
    assert!(!machine.is_strict());
    assert_eq!(machine.annotations[4].parameter("h"), Some(&Value::External("i".to_owned())));
}

#[test]
fn attributes_have_types_and_values() {
    let text = "Context c {\n a<string>: \"x\\n\\\"y\\\"\"; b<Map<string, Array<number>>?>: { k: [1, -2.5e3]; l: {}; };\n \
                d<'p' | \"q\"?>: 'p'; e: #env; f: a.b; g: true; h: null; i<Task.Sub>; }";
    let machine = machine(text);
    let context = &machine.nodes()[0];
    let types: Vec<_> = context.attributes.iter().map(|field| field.ty.as_ref().map(Type::to_string)).collect();
    let expected = [
        Some("string"),
        Some("Map<string, Array<number>>?"),
        Some("\"p\" | \"q\"?"),
        None,
        None,
        None,
        None,
        Some("Task.Sub"),
    ];
    assert_eq!(types, expected.map(|ty| ty.map(str::to_owned)));
    assert_eq!(context.attribute("a"), Some(&"x\n\"y\"".into()));
    let Some(Value::Object(fields)) = context.attribute("b") else { panic!("{machine}") };
    assert_eq!(
        fields[0].value.as_ref().map(|v| matches!(v, Value::List(items) if items[1].as_f64() == Some(-2500.0))),
        Some(true)
    );
    assert_eq!(context.attribute("e"), Some(&Value::External("env".to_owned())));
    assert_eq!(context.attribute("f"), Some(&Value::Name("a.b".to_owned())));
    assert_eq!((context.attribute("g"), context.attribute("h")), (Some(&Value::Bool(true)), Some(&Value::Null)));
}

#[test]
fn nested_nodes_have_qualified_names() {
    let text =
        "Process w { Task a { Task x; } State b; a -> b; b -> w.a.x; }\nTask v.c; v { limit: 3; }\nb -> v.c, v.limit;";
    let machine = machine(text);
    let paths: Vec<_> = machine.ids().map(|id| machine.path(id)).collect();
    assert_eq!(paths, ["w", "w.a", "w.a.x", "w.b", "v", "v.c"]);
    let found: Vec<_> = machine.edges().iter().map(|one| edge(&machine, one)).collect();
    assert_eq!(found, ["w.a -> w.b", "w.b -> w.a.x", "w.b -> v.c", "w.b -> v#limit"]);
}

#[test]
fn later_statements_extend_the_node_at_their_path() {
    let cases = [
        ("Task a.b { x: 1; } Task a.b \"T\" @p { y: 2; }", "Task b \"T\" @p { x: 1; y: 2; }"),
        ("a { b { x: 1; } } Task a.b;", "Task b { x: 1; }"),
        ("Task a.b @p; a { b @q { y: 2; } }", "Task b @p @q { y: 2; }"),
        ("Task a.b { x: 1; State c; } a.b { State d; c -> d; }", "Task b { x: 1; State c; State d; c -> d; }"),
        ("a.b { x: 1; y: 2; } a.b { x: 3; }", "b { x: 3; y: 2; }"),
        ("Task a.b; State a.b;", "State b;"),
    ];
    for (text, same) in cases {
        assert_eq!(machine(text), machine(&format!("a {{ {same} }}")), "{text}");
    }
    let text = "Task a.b { x: 1; } State a.b { x: 3; }";
    let report = read("f.dygram", text).report;
    let found: Vec<_> = report.diagnostics().iter().map(|found| &*found.message).take(2).collect();
    assert_eq!(found, ["the node `a.b` has the types `Task` and `State`", "`a.b` has two attributes `x`"]);
    assert!(exo_rails_dygram::Reader::new().strict().read("f.dygram", text).report.has_errors());
}

#[test]
fn notes_name_their_nodes_or_have_a_target() {
    let texts = [
        "p { Task a; } Note p.a \"n\";",
        "p { Task a; } Note a \"n\";",
        "p { Task a; } Note other \"n\" { target: p.a; }",
        "p { Task a; } Note other \"n\" { target: \"p.a\"; }",
        "p { Task a; Note a \"n\"; }",
    ];
    for text in texts {
        assert_eq!(machine(text), machine(texts[0]), "{text}");
    }
    // A note about nothing is left out.
    let lenient = read("f.dygram", "State a; Note b \"n\";");
    assert_eq!(lenient.report.diagnostics()[0].message, "no node is called `b`, and a note is about a node");
    assert!(!lenient.report.has_errors() && lenient.machine == machine("State a;"));
}

#[test]
fn a_name_refers_to_the_nearest_node() {
    let text = "State a; Process p { State a; Process q { State b; b -> a; } } Process r { State c; c -> a; c -> b; }";
    assert_eq!(edges(text), ["p.q.b -> p.a", "r.c -> a", "r.c -> p.q.b"]);
}

#[test]
fn types_of_nodes_have_any_case_or_are_inferred() {
    let cases = [
        ("TASK x;", NodeKind::Task),
        ("Entity x;", NodeKind::Context),
        ("Handler x;", NodeKind::Custom),
        ("end x;", NodeKind::End),
        ("x { prompt: \"p\"; }", NodeKind::Task),
        ("x { schema: \"s\"; }", NodeKind::Tool),
        ("x { size: 3; }", NodeKind::Context),
        ("x { action: \"a\"; }", NodeKind::Untyped),
        ("x;", NodeKind::Untyped),
        ("x -> b;", NodeKind::Init),
        ("b -> x;", NodeKind::Untyped),
        ("b -reads-> x;", NodeKind::Context),
        ("b -read-> x;", NodeKind::Untyped),
        ("b -read: title-> x;", NodeKind::Context),
        ("b -read: \"job.title\"-> x;", NodeKind::Untyped),
        ("x -> x;", NodeKind::Init),
        ("context c { d { x { output: 1; } } } ", NodeKind::Context),
        ("context c { x; }", NodeKind::Context),
        ("context c { Task x; }", NodeKind::Task),
        ("x { Context y; z { size: 3; } }", NodeKind::Context),
        ("x { Context y; Task z; }", NodeKind::Untyped),
        ("x { userState; }", NodeKind::Untyped),
        ("x { Context y; } b -> x;", NodeKind::Untyped),
        ("State #x;", NodeKind::State),
    ];
    for (text, kind) in cases {
        let machine = machine(text);
        let id = machine.named("x")[0];
        assert_eq!(machine.kind(id), kind, "{text}");
    }
    assert_eq!(machine("userData;").kind(machine("userData;").roots()[0]), NodeKind::Context);
    assert_eq!(machine("state;").kind(machine("state;").roots()[0]), NodeKind::Untyped);
}

#[test]
fn relations_and_access_edges_are_not_transitions() {
    let text = "Task a; State b; Context c { x: 1; } a -> b; a --> b; a => b; a -reads-> c; c -> a; a -> c.x;";
    let machine = machine(text);
    let transitions: Vec<_> = machine.edges().iter().map(|edge| machine.is_transition(edge)).collect();
    assert_eq!(transitions, [true, false, false, false, false, false]);
    assert_eq!(machine.edges()[0].arrow, Arrow::Single);
}

/// Line, column, message and help of each mistake.
fn mistakes(text: &str) -> Vec<(usize, usize, String)> {
    let report = read("f.dygram", text).report;
    let found =
        report.errors().map(|found| (report.locate(found).line, report.locate(found).column, found.message.clone()));
    found.collect()
}

#[test]
fn each_mistake_has_one_message_at_its_token() {
    let cases = [
        ("a -> ;", 1, 6, "expected the name of a node, found `;`"),
        ("-> a;", 1, 1, "expected the name of a node before the arrow, found `->`"),
        ("a -x--> b;", 1, 5, "the arrow begins as `->` and ends as `-->`"),
        ("a -when: x > 3-> b;", 1, 12, "expected `->` at the end of the label, found `>`"),
        ("a, b;", 1, 5, "expected an arrow, found `;`"),
        ("Task a { x: ; }", 1, 13, "expected a value, found `;`"),
        ("Task a { x: [1 2]; }", 1, 16, "expected `,`, found `2`"),
        ("Task a { x<a | b>: 1; }", 1, 14, "expected `>`, found `|`"),
        ("Task a @style(width: 3px);", 1, 23, "expected `)`, found `px`"),
        ("a -@style(line-width: 3; color: red;)-> b;", 1, 15, "expected `)`, found `-`"),
        ("Task a {\n State b;", 1, 8, "this `{` is not closed"),
        ("Task a; }", 1, 9, "this `}` closes nothing"),
        ("\t\u{e4} $", 1, 2, "expected a node, an edge or an attribute, found `\u{e4}`"),
        ("Task a \"x;\r\nState b;", 1, 8, "the text has no closing quote"),
        ("State a;\r\n/* x", 2, 1, "the comment has no end"),
        ("machine M", 1, 9, "expected the title of the machine in quotes, found `M`"),
        ("State a; machine \"M\"", 1, 10, "`machine` comes before nodes and edges"),
        ("import { a } \"f\";", 1, 14, "expected `from`, found a text"),
        ("State a; State a;", 1, 16, "the node `a` is declared twice"),
        ("State a { x: 1; x: 2; }", 1, 17, "`a` has two attributes `x`"),
        ("machine \"m\" @strict; Note a \"x\";", 1, 27, "no node is called `a`, and a note is about a node"),
        ("p { State a @x -> b; }", 1, 16, "expected the name of a node before the arrow, found `->`"),
        ("a <- b;", 1, 3, "an arrow does not point to the left"),
        ("a.b <=> b;", 1, 5, "an arrow does not point to the left"),
        ("import Task plan;", 1, 1, "`import` is a keyword, so it cannot be the type of a node"),
        ("machine #x;", 1, 1, "`machine` is a keyword, so it cannot be the type of a node"),
        ("Task machine;", 1, 6, "`machine` is a keyword, so it cannot be the name of a node"),
    ];
    for (text, line, column, message) in cases {
        assert_eq!(mistakes(text), [(line, column, message.to_owned())], "{text}");
    }
}

#[test]
fn all_mistakes_of_a_file_are_reported_together() {
    let text = "Task a { prompt: ; }\nState b;\na -> ;\nProcess p {\n  State c }\n  b -> -> c;\n}\nState d {\n  x: [1,;\n  y: 2;\n}\nb -> d;";
    let lines: Vec<_> = mistakes(text).into_iter().map(|(line, ..)| line).collect();
    assert_eq!(lines, [1, 3, 6, 7, 9]);
    // What is right is still read.
    let machine = read("f.dygram", text).machine;
    let paths: Vec<_> = machine.ids().map(|id| machine.path(id)).collect();
    assert_eq!(paths, ["a", "b", "p", "p.c", "d"]);
    assert_eq!(edge(&machine, &machine.edges()[0]), "b -> d");
    assert_eq!(machine.node(machine.find("d").unwrap()).attribute("y").and_then(Value::as_f64), Some(2.0));
}

#[test]
fn a_report_shows_the_line() {
    let text = "machine \"Größe\" @StrictMode\r\nState a;\r\n\tState ü; a -> a;\r\n";
    let report = read("f.dygram", text).report;
    let found = &report.diagnostics()[0];
    assert_eq!(report.locate(found).to_string(), "f.dygram:3:8");
    let shown = report.to_string();
    assert!(shown.contains("f.dygram:3:8") && shown.contains("    State ü; a -> a;"), "{shown}");
    assert!(shown.contains("|           ^\n"), "{shown}");
    assert!(report.to_coloured().contains("\u{1b}["));
}

#[test]
fn files_of_any_shape_are_read_in_bounded_memory_and_depth() {
    let deep = [
        "Task a { ".repeat(100_000),
        format!("Task a{};", ".a".repeat(100_000)),
        format!("Task a{} {{ {} x; }}", ".a".repeat(20), "Task b { ".repeat(20)),
        "x: ".to_owned() + &"[".repeat(100_000),
        "x: ".to_owned() + &"{ a: ".repeat(100_000),
        "x<a".to_owned() + &"<a".repeat(100_000),
        "@".repeat(100_000),
        "a -> ".repeat(100_000),
        "a, ".repeat(100_000) + "a -> b;",
        "\\\"\n".repeat(100_000),
        "/* ".repeat(100_000),
        "({".repeat(100_000) + &"{}".repeat(100_000),
        "}".repeat(100_000),
        "{{a".repeat(100_000),
        format!("a -when: \"{}\"-> b;", "(".repeat(100_000)),
        format!("{}a -> {}b;", "a, ".repeat(2000), "b, ".repeat(2000)),
        format!("a -\"{}\"-> {};", "x".repeat(1_000_000), "b, ".repeat(2000) + "b"),
    ];
    for text in deep {
        let report = read("f.dygram", &text).report;
        assert!(report.has_errors(), "{}", &text[..20]);
        assert!(report.diagnostics().len() <= 102, "{} mistakes in {}", report.diagnostics().len(), &text[..20]);
    }
    let text = format!("State a {{ prompt: \"{}\"; }}", "{{a".repeat(100_000));
    assert!(!read("f.dygram", &text).report.has_errors());
}
