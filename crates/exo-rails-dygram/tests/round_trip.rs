//! Printing and formatting: what is read again is the same.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

use exo_rails_dygram::{
    Annotation, Argument, Arrow, Attribute, Edge, Endpoint, LabelPart, Machine, Node, Note, Place, Reader, Type,
    TypeKind, Value, format, read,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec!["o", "a", "Task", "from", "as", "note", "when", "state", "input", "_x1", "true_"])
            .prop_map(str::to_owned),
        "[a-zA-Z_][a-zA-Z0-9_]{0,6}",
    ]
    .prop_filter("keywords are not names", |name| !["machine", "import", "true", "false", "null"].contains(&&**name))
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~\n\t\\\\\"']{0,12}",
        select(vec!["{{a.b}}", "// no comment", "/*", "->"]).prop_map(str::to_owned)
    ]
}

fn number() -> impl Strategy<Value = Value> {
    "-?[0-9]{1,20}(\\.[0-9]{1,3})?(e[+-]?[0-9]{1,2})?".prop_map(|number| Value::Number(number.parse().unwrap()))
}

fn plain_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        text().prop_map(Value::Text),
        number(),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
        proptest::collection::vec(name(), 1..3).prop_map(|names| Value::Name(names.join("."))),
        "[A-Za-z0-9_]{1,5}".prop_map(Value::External),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    plain_value().prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            proptest::collection::btree_map(name(), proptest::option::of(inner), 0..4).prop_map(|fields| {
                let field = |(name, value)| Attribute { name, value, ..Attribute::default() };
                Value::Object(fields.into_iter().map(field).collect())
            }),
        ]
    })
}

fn ty() -> impl Strategy<Value = Type> {
    let literals = (proptest::collection::vec(text(), 1..4), any::<bool>())
        .prop_map(|(texts, is_optional)| Type { kind: TypeKind::Literals(texts), is_optional });
    let leaf = prop_oneof![
        literals,
        (name(), any::<bool>()).prop_map(|(name, is_optional)| named_type(name, Vec::new(), is_optional)),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        (name(), proptest::collection::vec(inner, 1..3), any::<bool>())
            .prop_map(|(name, of, opt)| named_type(name, of, opt))
    })
}

fn named_type(name: String, arguments: Vec<Type>, is_optional: bool) -> Type {
    Type { kind: TypeKind::Named { name, arguments }, is_optional }
}

/// Attributes with different names. Without `target`, which is not an attribute of a note.
fn attributes() -> impl Strategy<Value = Vec<Attribute>> {
    let content = (proptest::option::of(ty()), value());
    proptest::collection::btree_map(name().prop_filter("no target", |name| name != "target"), content, 0..3).prop_map(
        |all| {
            let attribute = |(name, (ty, value))| Attribute { name, ty, value: Some(value), ..Attribute::default() };
            all.into_iter().map(attribute).collect()
        },
    )
}

fn annotation() -> impl Strategy<Value = Annotation> {
    let parameters = proptest::collection::vec((name(), proptest::option::of(value())), 1..3);
    let argument = prop_oneof![
        Just(Argument::None),
        value().prop_map(Argument::Value),
        parameters.prop_map(Argument::Parameters),
    ];
    (name(), argument).prop_map(|(name, argument)| Annotation { name, argument, place: Place::default() })
}

fn annotations() -> impl Strategy<Value = Vec<Annotation>> {
    proptest::collection::vec(annotation(), 0..3)
}

fn node() -> impl Strategy<Value = (Node, Option<Index>)> {
    let types = select(vec!["Task", "state", "CONTEXT", "Process", "o"]).prop_map(str::to_owned);
    let content = (name(), proptest::option::of(types), proptest::option::of(text()), annotations(), attributes());
    (content, proptest::option::of(any::<Index>())).prop_map(
        |((name, type_name, title, annotations, attributes), parent)| {
            (Node { type_name, title, annotations, attributes, ..Node::named(name) }, parent)
        },
    )
}

fn label_part() -> impl Strategy<Value = LabelPart> {
    let text = plain_value()
        .prop_filter("a text in an arrow has no sign", |value| value.as_f64().is_none_or(|n| !n.is_sign_negative()));
    prop_oneof![
        text.prop_map(|value| LabelPart { name: None, value, place: Place::default() }),
        (name(), value()).prop_map(|(name, value)| LabelPart { name: Some(name), value, place: Place::default() }),
    ]
}

/// An edge without its ends.
#[derive(Clone, Debug)]
struct Loose {
    ends: (Index, Index),
    to_attribute: bool,
    arrow: Arrow,
    label: Vec<LabelPart>,
    annotations: Vec<Annotation>,
    attributes: Vec<Attribute>,
    multiplicities: (Option<String>, Option<String>),
}

fn edge() -> impl Strategy<Value = Loose> {
    let labelled = (
        select(vec![Arrow::Single, Arrow::Double, Arrow::Fat]),
        proptest::collection::vec(label_part(), 0..3),
        annotations(),
    );
    let word =
        name().prop_map(|word| vec![LabelPart { name: None, value: Value::Name(word), place: Place::default() }]);
    let plain = select(vec![Arrow::Both, Arrow::Inherit, Arrow::Compose, Arrow::Aggregate])
        .prop_map(|arrow| (arrow, vec![], vec![]));
    let arrow = prop_oneof![3 => labelled, 1 => plain, 1 => word.prop_map(|label| (Arrow::Both, label, vec![]))];
    let multiplicities = (proptest::option::of(text()), proptest::option::of(text()));
    (any::<(Index, Index)>(), any::<bool>(), arrow, attributes(), multiplicities).prop_map(
        |(ends, to_attribute, (arrow, label, annotations), attributes, multiplicities)| Loose {
            ends,
            to_attribute,
            arrow,
            label,
            annotations,
            attributes,
            multiplicities,
        },
    )
}

fn machine() -> impl Strategy<Value = Machine> {
    let head = (proptest::option::of(text()), annotations(), attributes());
    let nodes = proptest::collection::vec(node(), 0..6);
    let remarks =
        proptest::collection::vec((any::<Index>(), proptest::option::of(text()), annotations(), attributes()), 0..2);
    (head, nodes, proptest::collection::vec(edge(), 0..5), remarks).prop_map(
        |((title, annotations, attributes), nodes, edges, notes)| {
            let mut machine = Machine::new();
            machine.title = title.filter(|title| !title.is_empty());
            machine.annotations = annotations;
            machine.attributes = attributes;
            add_nodes(&mut machine, nodes);
            let ids: Vec<_> = machine.ids().collect();
            if !ids.is_empty() {
                for edge in edges {
                    add_edge(&mut machine, edge);
                }
                for (target, title, annotations, attributes) in notes {
                    let note =
                        Note { target: *target.get(&ids), title, annotations, attributes, place: Place::default() };
                    machine.add_note(note).unwrap();
                }
            }
            machine
        },
    )
}

fn add_nodes(machine: &mut Machine, nodes: Vec<(Node, Option<Index>)>) {
    for (node, parent) in nodes {
        let ids: Vec<_> = machine.ids().collect();
        let parent = parent.filter(|_| !ids.is_empty()).map(|parent| *parent.get(&ids));
        // A child and an attribute of one name cannot be told apart in an edge.
        if parent.is_none_or(|parent| machine.node(parent).field(&node.name).is_none()) {
            // Nodes of one name are left out.
            let _ = machine.add_node(parent, node);
        }
    }
}

fn add_edge(machine: &mut Machine, loose: Loose) {
    let ids: Vec<_> = machine.ids().collect();
    let (source, target) = (*loose.ends.0.get(&ids), *loose.ends.1.get(&ids));
    let is_child = |name: &str| machine.children(target).iter().any(|child| machine.node(*child).name == name);
    let attribute = machine.node(target).attributes.first().map(|attribute| attribute.name.clone());
    let attribute = attribute.filter(|name| loose.to_attribute && !is_child(name));
    let edge = Edge {
        arrow: loose.arrow,
        label: loose.label,
        annotations: loose.annotations,
        attributes: loose.attributes,
        source_multiplicity: loose.multiplicities.0,
        target_multiplicity: loose.multiplicities.1,
        ..Edge::new(source, Endpoint { attribute, ..Endpoint::from(target) })
    };
    machine.add_edge(edge).unwrap();
}

/// The parts of a text that are not white space. In texts and comments, white space stays.
fn without_space(text: &str) -> String {
    text.split_whitespace().collect()
}

proptest! {
    #[test]
    fn a_printed_machine_is_read_as_the_same_machine(machine in machine()) {
        let printed = machine.to_string();
        let reading = read("printed.dygram", &printed);
        let mistakes: Vec<_> = reading.report.errors().filter(|found| found.code == "syntax").collect();
        prop_assert!(mistakes.is_empty(), "{}\n{printed}", reading.report);
        prop_assert_eq!(&reading.machine, &machine, "{}", &printed);
        prop_assert_eq!(reading.machine.to_string(), printed);
    }

    #[test]
    fn formatting_keeps_the_machine_and_a_second_pass_changes_nothing(machine in machine()) {
        let printed = machine.to_string();
        let formatted = format("f.dygram", &printed).unwrap();
        prop_assert_eq!(&format("f.dygram", &formatted).unwrap(), &formatted);
        prop_assert_eq!(read("f.dygram", &formatted).machine, machine, "{}", formatted);
    }

    #[test]
    fn formatting_changes_only_white_space(machine in machine(), seed in any::<u64>()) {
        let messy = mess_up(&machine.to_string(), seed);
        let formatted = format("f.dygram", &messy).unwrap();
        prop_assert_eq!(without_space(&formatted), without_space(&messy));
        prop_assert_eq!(&format("f.dygram", &formatted).unwrap(), &formatted, "{}", messy);
        prop_assert_eq!(read("f.dygram", &formatted).machine, machine);
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        let reading = read("any.dygram", &text);
        let _ = reading.report.to_string();
        let _ = format("any.dygram", &text);
    }

    #[test]
    fn any_row_of_tokens_is_read(words in proptest::collection::vec(select(WORDS.to_vec()), 0..40)) {
        for between in ["", " ", "\n"] {
            let text = words.join(between);
            for reader in [Reader::new(), Reader::new().strict()] {
                let reading = reader.read("any.dygram", &text);
                let _ = reading.report.to_string();
                // A file without mistakes in its syntax is printed as a file that means the same.
                if reading.report.errors().next().is_none() {
                    let printed = reading.machine.to_string();
                    prop_assert_eq!(&read("printed.dygram", &printed).machine, &reading.machine, "{}\nis printed as\n{}", text, printed);
                }
            }
            if let Ok(formatted) = format("any.dygram", &text) {
                prop_assert_eq!(&format("any.dygram", &formatted).unwrap(), &formatted, "{}", text);
                prop_assert_eq!(read("any.dygram", &formatted).machine, read("any.dygram", &text).machine, "{}", text);
            }
        }
    }
}

const WORDS: [&str; 48] = [
    "machine", "import", "Task", "Context", "Note", "a", "b", "c", "a.b", "o", "as", "from", "true", "\"t\"", "'q'",
    "\"", "1", "2.5", "-1", "#x", "#", "{", "}", "[", "]", "(", ")", "<", ">", ":", ";", ";", ",", ".", "@", "@x", "?",
    "|", "->", "-->", "=>", "-", "--", "=", "<-->", "<--x-->", "// c\n", "/* c */",
];

/// Puts white space and comments between the lines of a text, outside quotes.
fn mess_up(text: &str, seed: u64) -> String {
    let fillers = [" ", "\n\n\n", "  // why \"not\n", " /* a\n b */ ", "\t"];
    let mut state = seed | 1;
    let mut messy = String::new();
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        messy.push(c);
        quoted ^= c == '"' && !escaped;
        escaped = quoted && c == '\\' && !escaped;
        let is_end = matches!(c, ';' | '{' | '}' | ',' | '\n');
        if is_end && !quoted {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let filler = usize::try_from(state >> 60).unwrap();
            messy.push_str(fillers.get(filler).unwrap_or(&""));
        }
    }
    messy
}

#[test]
fn a_printed_machine_does_not_declare_implied_nodes() {
    let text = "Task plan;\nx, y -> z;\nplan -> done, review.draft;\nreview.draft -> plan;\nProcess w { a -> b; }\nw.c -> plan;";
    let machine = read("f.dygram", text).machine;
    let printed = machine.to_string();
    assert!(!printed.contains("done;\n\n"), "{printed}");
    assert_eq!(read("printed.dygram", &printed).machine, machine, "{printed}");
}

#[test]
fn formatting_keeps_the_line_endings() {
    let cases = [
        ("a;\r\nb;", "a;\r\nb;\r\n"),
        ("a \"x\r\ny\";\nb;", "a \"x\r\ny\";\nb;\n"),
        ("a \"x\r\ny\";", "a \"x\r\ny\";\n"),
        ("// c\r\na;", "// c\r\na;\r\n"),
    ];
    for (text, formatted) in cases {
        assert_eq!(format("f.dygram", text).unwrap(), formatted, "{text:?}");
    }
}

#[test]
fn the_formatter_produces_the_documented_layout() {
    let text = "import{a,b as c}from './l.dygram'\n\n\nmachine \"M\"@strict{x:1;y:[1,\n2];}\nTask a\"t\"\n@x(k:1;l){p:{q:1;r:-2;};\n\n\n\
                // note\ns:[ ];State b{}b->a }\na\"1\"-go,when:\"x\"@auto-> \"2\" c,b{w:1}\na\n->b -- o -->c; /* end */";
    let expected = "import { a, b as c } from './l.dygram'\n\nmachine \"M\" @strict {\n    x: 1;\n    y: [\n        1,\n        2\n    ];\n}\n\
                    Task a \"t\"\n    @x(k: 1; l) {\n    p: { q: 1; r: -2; };\n\n    // note\n    s: [];\n    State b {}\n    b -> a\n}\n\
                    a \"1\" -go, when: \"x\" @auto-> \"2\" c, b {\n    w: 1\n}\na\n    -> b --o --> c; /* end */\n";
    assert_eq!(format("f.dygram", text).unwrap_or_else(|report| report.to_string()), expected);
}
