//! Machines as data.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use exo_rails_dygram::syntax::MAX_LEVELS;
use exo_rails_dygram::{
    AddError, Annotation, Argument, Arrow, Attribute, Edge, Endpoint, Fields, LabelPart, Machine, Node, Place, Value,
    read,
};

#[test]
fn machines_are_equal_if_they_say_the_same() {
    let texts = [
        "",
        "machine \"m\"",
        "machine \"m\" @a",
        "machine \"m\" { x: 1; }",
        "machine \"m\" { x: 1.0; }",
        "State a; State b;",
        "State b; State a;",
        "state a; State b;",
        "State a { State b; }",
        "State a \"t\"; State b;",
        "State a @x; State b;",
        "State a { x: 1; } State b;",
        "State a { x<int>: 1; } State b;",
        "State a; State b; a -> b;",
        "State a; State b; b -> a;",
        "State a; State b; a => b;",
        "State a; State b; a -go-> b;",
        "State a; State b; a -\"go\"-> b;",
        "State a; State b; a -@go-> b;",
        "State a; State b; a -> b { go: 1; };",
        "State a; State b; a \"1\" -> b;",
        "State a; State b; a -> \"1\" b;",
        "State a { x: 1; } State b; a.x -> b;",
        "State a { x: 1; } State b; a -> b;",
        "State a; State b; a -> b; b -> a;",
        "State a; State b; b -> a; a -> b;",
        "State a; a -> b;",
        "State a; State b; Note a \"n\";",
        "State a; State b; Note b \"n\";",
        "State a; State b; Note a \"m\";",
    ];
    let machines: Vec<_> = texts.iter().map(|text| read("f.dygram", text).machine).collect();
    for (text, machine) in texts.iter().zip(&machines) {
        assert_eq!(*machine, read("g.dygram", &text.replace(' ', "\n  ")).machine, "{text}");
        let same = machines.iter().filter(|other| *other == machine).count();
        assert_eq!(same, 1, "{text}");
    }
}

#[test]
fn the_order_in_which_a_program_adds_nodes_to_different_parents_does_not_matter() {
    let build = |names: &[(&str, Option<&str>)]| {
        let mut machine = Machine::new();
        for (name, parent) in names {
            machine.add_node(parent.and_then(|parent| machine.find(parent)), Node::named(*name)).unwrap();
        }
        let edge = Edge::new(machine.find("a.x").unwrap(), machine.find("b").unwrap());
        machine.add_edge(edge).unwrap();
        machine
    };
    let one = build(&[("a", None), ("b", None), ("x", Some("a"))]);
    let other = build(&[("a", None), ("x", Some("a")), ("b", None)]);
    assert_eq!(one, other);
    assert_ne!(one, build(&[("b", None), ("a", None), ("x", Some("a"))]));
}

#[test]
fn a_machine_refuses_names_that_the_language_cannot_express() {
    let mut machine = Machine::new();
    let a = machine.add_node(None, Node::named("a")).unwrap();
    for name in ["", "1a", "a b", "a.b", "ä", "machine", "import"] {
        assert_eq!(machine.add_node(None, Node::named(name)), Err(AddError::Name(name.to_owned())));
    }
    let typed = |name: &str| Node { type_name: Some(name.to_owned()), ..Node::named("b") };
    assert_eq!(machine.add_node(None, typed("a b")), Err(AddError::Name("a b".to_owned())));
    let with_attribute = Node { attributes: vec![Attribute::new("a-b", true)], ..Node::named("b") };
    assert_eq!(machine.add_node(None, with_attribute), Err(AddError::Name("a-b".to_owned())));
    let annotation = Annotation { name: "@x".to_owned(), argument: Argument::None, place: Place::default() };
    let edge = Edge { annotations: vec![annotation], ..Edge::new(a, a) };
    assert_eq!(machine.add_edge(edge), Err(AddError::Name("@x".to_owned())));
    assert_eq!(machine.add_node(None, Node::named("a")), Err(AddError::Duplicate("a".to_owned())));
    let part = LabelPart { name: None, value: Value::Text("x y".to_owned()), place: Place::default() };
    for arrow in [Arrow::Both, Arrow::Inherit, Arrow::Compose, Arrow::Aggregate] {
        let edge = Edge { arrow, label: vec![part.clone()], ..Edge::new(a, a) };
        assert_eq!(machine.add_edge(edge), Err(AddError::Label));
    }
    let mut larger = machine.clone();
    let foreign = larger.add_node(None, Node::named("z")).unwrap();
    assert_eq!(machine.add_edge(Edge::new(a, foreign)), Err(AddError::Foreign));
    assert_eq!(machine.add_node(Some(foreign), Node::named("y")), Err(AddError::Foreign));
    let mut parent = a;
    for _ in 1..MAX_LEVELS {
        parent = machine.add_node(Some(parent), Node::named("a")).unwrap();
    }
    assert_eq!(machine.add_node(Some(parent), Node::named("a")), Err(AddError::Depth));
    assert_eq!(read("f.dygram", &machine.to_string()).machine, machine);
}

#[test]
fn permissions_follow_the_words_of_labels_exactly() {
    // The label, and whether `x` and `Y` may be read and written.
    let cases = [
        ("-reads->", "rr --"),
        ("-writes->", "rr ww"),
        ("-stores->", "-- ww"),
        ("-update->", "rr ww"),
        ("-calculates->", "-- ww"),
        ("->", "rr --"),
        ("-about->", "rr --"),
        ("-reset->", "rr --"),
        ("-READS, Stores->", "rr ww"),
        ("-write: x->", "r- w-"),
        ("-write: x, Y->", "rr ww"),
        ("-write: \"x, Y\"->", "rr ww"),
        ("-read: x, store: Y->", "r- -w"),
        ("-read: y->", "-- --"),
        ("-write: [x, Y]->", "rr ww"),
        ("-when: \"true\"->", "rr --"),
        ("-->", "rr --"),
    ];
    for (label, expected) in cases {
        let text = format!("Task t; Context c {{ x: 1; Y: 2; }} t {label} c;");
        let machine = read("f.dygram", &text).machine;
        let access = machine.access(machine.find("t").unwrap());
        let row = |fields: &Fields, c: char| ["x", "Y"].map(|field| if fields.contains(field) { c } else { '-' });
        let shown: String =
            row(&access[0].reads, 'r').into_iter().chain([' ']).chain(row(&access[0].writes, 'w')).collect();
        assert_eq!(shown, expected, "{label}");
    }
}

#[test]
fn nodes_inherit_read_access_from_the_nodes_around_them() {
    let text = "Context c { x: 1; } Context d { y: 1; } Process p { Process q { Task t; Task u; } } \
                p -stores-> c; p.q -writes-> d; u -write: z-> c; c -writes-> t; t -reads-> d.y;";
    let machine = read("f.dygram", text).machine;
    let rights = |path: &str| {
        let access = machine.access(machine.find(path).unwrap());
        access
            .into_iter()
            .map(|access| (machine.path(access.context).to_owned(), access.reads, access.writes))
            .collect::<Vec<_>>()
    };
    let only = |name: &str| Fields::Only([name.to_owned()].into());
    assert_eq!(
        rights("p.q"),
        [("d".to_owned(), Fields::All, Fields::All), ("c".to_owned(), Fields::All, Fields::default())]
    );
    assert_eq!(
        rights("p.q.t"),
        [("d".to_owned(), only("y"), Fields::default()), ("c".to_owned(), Fields::All, Fields::default())]
    );
    assert_eq!(
        rights("p.q.u"),
        [("c".to_owned(), only("z"), only("z")), ("d".to_owned(), Fields::All, Fields::default())]
    );
}

#[test]
fn an_edge_to_a_context_also_gives_access_to_its_inner_contexts() {
    let contexts = "Context c { d { e { x: 1; } f { y: 1; } } }";
    let cases: [(&str, &[&str]); 5] = [
        ("t -reads-> c;", &["c r", "c.d r", "c.d.e r", "c.d.f r"]),
        ("t -stores-> c;", &["c w", "c.d w", "c.d.e w", "c.d.f w"]),
        ("t -read: d-> c;", &["c r", "c.d r", "c.d.e r", "c.d.f r"]),
        ("t -read: other-> c;", &["c r"]),
        ("t -writes-> c; t -reads-> c.d.e;", &["c rw", "c.d.e r", "c.d rw", "c.d.f rw"]),
    ];
    for (edges, expected) in cases {
        let machine = read("f.dygram", &format!("{contexts} Task t; {edges}")).machine;
        let access = machine.access(machine.find("t").unwrap());
        let right = |fields: &Fields, right: &'static str| if fields.is_empty() { "" } else { right };
        let shown: Vec<_> = access
            .iter()
            .map(|one| format!("{} {}{}", machine.path(one.context), right(&one.reads, "r"), right(&one.writes, "w")))
            .collect();
        assert_eq!(shown, expected, "{edges}");
    }
}

#[test]
fn a_machine_does_not_begin_at_a_node_into_which_an_edge_leads() {
    let cases: [(&str, &[&str]); 6] = [
        ("State a; State p { State b; State c; b -> c; } State d; a -> p.b; p.c -> a; p -> d;", &["a"]),
        ("State p { State b; State c; b -> c; } State a; p.b -> a; a -> p;", &["p"]),
        ("State a; State b; State c; a -> c; b -> c;", &["a", "b"]),
        ("State a { State b; } State c; a.b -> a; a -> c;", &["a"]),
        ("p { State a; } q { State b; State c; } b -> a; a -> c;", &["q.b"]),
        ("p { State a; } q { State b; State c; } b -> a; a -> c; a -> q;", &["p"]),
    ];
    for (text, expected) in cases {
        let machine = read("f.dygram", text).machine;
        let starts: Vec<_> = machine.starts().into_iter().map(|id| machine.path(id)).collect();
        assert_eq!(starts, expected, "{text}");
    }
}

#[test]
fn an_edge_can_end_at_an_attribute() {
    let mut machine = Machine::new();
    let a = machine.add_node(None, Node { attributes: vec![Attribute::new("x", 1_i64)], ..Node::named("a") }).unwrap();
    let end = Endpoint { attribute: Some("x".to_owned()), ..Endpoint::from(a) };
    machine.add_edge(Edge { arrow: Arrow::Double, ..Edge::new(a, end) }).unwrap();
    assert_eq!(read("f.dygram", &machine.to_string()).machine, machine);
}
