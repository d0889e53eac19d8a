//! Drawings as SVG.

use std::collections::BTreeMap;

use exo_rails_dygram::{Edge, Endpoint, LabelPart, Machine, Node, NodeId, Note};
use exo_rails_machine::svg;
use proptest::prelude::*;
use roxmltree::{Document, Node as Element};

use crate::helper::run;

const FILE: &str = "machine \"A \\\"B\\\" <&>\"
Process p \"Work & more\" { Task a { prompt: \"x\"; } Task b { prompt: \"y\"; } a -> b; } State s; End e; End never; join j; Tool t;
Context c { n<integer>: 1; } Init i; Note p \"About </text> it\"; i -> s;
s -when: \"c.n < 3\"-> p; s -> never; p -> e; p -write: n-> c; p.a -reads-> c; p -> p; p.b -> p.b; p -> p.a; p.b -> p;";

/// A box in a drawing.
type Bounds = [f64; 4];

fn nodes<'a>(document: &'a Document<'_>) -> BTreeMap<&'a str, Element<'a, 'a>> {
    let nodes = document.descendants().filter_map(|node| Some((node.attribute("data-node")?, node)));
    let all: Vec<_> = nodes.collect();
    let map: BTreeMap<_, _> = all.iter().copied().collect();
    assert_eq!(map.len(), all.len(), "a node is drawn twice");
    map
}

fn has_class(element: Element<'_, '_>, class: &str) -> bool {
    element.attribute("class").unwrap_or_default().split(' ').any(|other| other == class)
}

/// Returns the bounds of the outline: a rectangle, or all the points of a path.
fn bounds(group: Element<'_, '_>) -> Bounds {
    let shape = group.children().find(|child| child.is_element() && has_class(*child, "shape")).unwrap();
    let number = |name| shape.attribute(name).and_then(|text| text.parse::<f64>().ok());
    if let (Some(x), Some(y), Some(width), Some(height)) = (number("x"), number("y"), number("width"), number("height"))
    {
        return [x, y, x + width, y + height];
    }
    path_bounds(shape.attribute("d").unwrap())
}

fn path_bounds(path: &str) -> Bounds {
    let [mut left, mut top, mut right, mut bottom] = [f64::MAX, f64::MAX, f64::MIN, f64::MIN];
    for command in path.split_inclusive(|letter: char| !"0123456789.- ".contains(letter)).collect::<Vec<_>>().windows(2)
    {
        let kind = command[0].chars().next_back().unwrap();
        let numbers = command[1].trim_end_matches(char::is_alphabetic);
        let numbers: Vec<f64> = numbers.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let (xs, ys) = match kind {
            'H' => (numbers, vec![]),
            'V' => (vec![], numbers),
            'M' | 'L' => (vec![numbers[0]], vec![numbers[1]]),
            'A' => (vec![numbers[5]], vec![numbers[6]]),
            _ => continue,
        };
        for x in xs {
            (left, right) = (left.min(x), right.max(x));
        }
        for y in ys {
            (top, bottom) = (top.min(y), bottom.max(y));
        }
    }
    [left, top, right, bottom]
}

fn when(condition: &str) -> LabelPart {
    LabelPart { name: Some("when".to_owned()), value: condition.into(), place: exo_rails_dygram::Place::default() }
}

/// Checks that nodes stay apart, that frames contain what is in them, and that all is in the picture.
fn check(machine: &Machine, text: &str) {
    let document = Document::parse(text).unwrap();
    let drawn = nodes(&document);
    let expected: Vec<_> = machine.ids().map(|id| machine.path(id)).collect();
    assert_eq!(drawn.len(), expected.len());
    let view: Vec<f64> = document
        .root_element()
        .attribute("viewBox")
        .unwrap()
        .split(' ')
        .map(|number| number.parse().unwrap())
        .collect();
    let boxes: Vec<_> = expected.iter().map(|path| (*path, bounds(drawn[path]))).collect();
    for (at, (path, one)) in boxes.iter().enumerate() {
        assert!(one[0] >= 0.0 && one[1] >= 0.0 && one[2] <= view[2] && one[3] <= view[3], "{path} is outside: {one:?}");
        for (other_path, other) in &boxes[..at] {
            let is_apart = one[2] <= other[0] || other[2] <= one[0] || one[3] <= other[1] || other[3] <= one[1];
            let is_inside = one[0] >= other[0] && one[1] >= other[1] && one[2] <= other[2] && one[3] <= other[3];
            if path.strip_prefix(other_path).is_some_and(|rest| rest.starts_with('.')) {
                assert!(is_inside, "{path} {one:?} is not in {other_path} {other:?}");
            } else {
                assert!(is_apart, "{path} {one:?} is over {other_path} {other:?}");
            }
        }
    }
    let edges = document.descendants().filter(|node| node.attribute("data-source").is_some()).count();
    assert_eq!(edges, machine.edges().len());
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

fn edge_classes(document: &Document<'_>) -> Vec<String> {
    let edges = document.descendants().filter_map(|node| {
        let (source, target) = (node.attribute("data-source")?, node.attribute("data-target")?);
        Some(format!("{source} {target}: {}", node.attribute("class")?))
    });
    edges.collect()
}

#[tokio::test]
async fn a_drawing_shows_kinds_and_the_path_that_was_taken() {
    let file = FILE.replace("p -> p; p.b -> p.b; p -> p.a; p.b -> p;", "");
    let machine = exo_rails_dygram::read("flow.dygram", &file).machine;
    let done = run(&file, "[{ \"say\": \"1\" }, { \"say\": \"2\" }]").await.unwrap();
    let text = svg(&machine, Some(&done.history));
    check(&machine, &text);
    let document = Document::parse(&text).unwrap();
    let classes: Vec<_> =
        nodes(&document).iter().map(|(path, group)| format!("{path}: {}", group.attribute("class").unwrap())).collect();
    assert_eq!(
        classes,
        [
            "c: node context",
            "e: node end taken",
            "i: node init taken",
            "j: node join",
            "never: node end",
            "p: node frame taken",
            "p.a: node task taken",
            "p.b: node task taken",
            "s: node state taken",
            "t: node tool",
        ]
    );
    assert_eq!(
        edge_classes(&document),
        [
            "p.a p.b: edge control taken",
            "i s: edge control taken",
            "s p: edge control taken",
            "s never: edge control",
            "p e: edge control taken",
            "p c: edge data",
            "p.a c: edge data",
        ]
    );
    let titles: Vec<_> =
        document.descendants().filter(|node| node.has_tag_name("title")).filter_map(|node| node.text()).collect();
    for title in ["A \"B\" <&>", "Process p: Work & more", "s → p: when: c.n < 3", "About </text> it"] {
        assert!(titles.contains(&title), "{title}: {titles:?}");
    }
}

#[tokio::test]
async fn a_drawing_shows_where_a_path_is_and_where_one_has_failed() {
    let file = "State a; Task b { prompt: \"x\"; } State c; End d; a -> b; b -> c, d; c -> d;";
    let machine = exo_rails_dygram::read("flow.dygram", file).machine;
    let class = |history: &exo_rails_machine::History, path: &str| {
        let text = svg(&machine, Some(history));
        let document = Document::parse(&text).unwrap();
        nodes(&document)[path].attribute("class").unwrap().to_owned()
    };
    let mut history =
        run(file, "[{ \"call\": [{ \"tool\": \"transition_to_d\", \"arguments\": { \"reason\": \"x\" } }] }]")
            .await
            .unwrap()
            .history;
    assert_eq!(class(&history, "d"), "node end taken");
    history.status = exo_rails_machine::Status::Running;
    history.steps.truncate(1);
    assert_eq!(class(&history, "a"), "node state taken");
    assert_eq!(class(&history, "b"), "node task current");
    history.steps.clear();
    assert_eq!(class(&history, "a"), "node state current");
    let failed = crate::helper::machine(file, "[]").build().unwrap().run().await.unwrap_err();
    let classes = class(failed.state.history(), "b");
    assert!(classes.contains("failed") && !classes.contains("current"), "{classes}");
}

#[test]
fn empty_and_circular_machines_are_drawn() {
    for file in
        ["", FILE, "State a; a -> a; a -> a;", "Process a { Process b { State c; } c -> a; a -> c; } a.b -> a.b;"]
    {
        let machine = exo_rails_dygram::read("flow.dygram", file).machine;
        check(&machine, &svg(&machine, None));
    }
}

#[test]
fn hostile_texts_are_escaped_in_the_drawing() {
    let hostile =
        "</style><script>alert(1)</script>\" onload='x' ]]> <!-- & \u{0} \u{1b} \u{202e} \u{ffff} 漢字 \u{300}"
            .repeat(5);
    let mut machine = Machine::new();
    machine.title = Some(hostile.clone());
    let long = machine.add_node(None, Node { title: Some(hostile.clone()), ..Node::named("n".repeat(200)) }).unwrap();
    let mut edge = Edge::new(long, long);
    edge.label.push(when(&hostile));
    machine.add_edge(edge).unwrap();
    machine
        .add_note(Note {
            target: long,
            title: Some(hostile.clone()),
            annotations: vec![],
            attributes: vec![],
            place: exo_rails_dygram::Place::default(),
        })
        .unwrap();
    let text = svg(&machine, None);
    check(&machine, &text);
    let document = Document::parse(&text).unwrap();
    for node in document.descendants().filter(Element::is_element) {
        let name = node.tag_name().name();
        assert!(["svg", "title", "style", "defs", "marker", "path", "rect", "g", "text"].contains(&name), "{name}");
        assert!(node.attributes().all(|attribute| !attribute.name().starts_with("on")));
    }
    assert!(!text.contains('\u{202e}') && !text.contains('\u{1b}'));
    let widest = document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .filter_map(|node| node.text())
        .map(|text| text.chars().count())
        .max();
    assert!(widest < Some(60), "a line is too long: {widest:?}");
}

/// A random machine: the parents of nodes, their titles, and edges.
fn machine(nodes: &[(usize, u8, String)], edges: &[(usize, usize, u8)]) -> Machine {
    const TYPES: [&str; 9] = ["Task", "State", "Init", "End", "Context", "Tool", "join", "Process", "Note"];
    let mut machine = Machine::new();
    let mut ids: Vec<NodeId> = Vec::new();
    for (at, (parent, kind, title)) in nodes.iter().enumerate() {
        // Half of the nodes are at the top level.
        let parent = ids.get(*parent).copied();
        let title = (!title.is_empty()).then(|| title.clone());
        let type_name = TYPES.get(usize::from(*kind)).map(|name| (*name).to_owned());
        ids.push(machine.add_node(parent, Node { type_name, title, ..Node::named(format!("n{at}")) }).unwrap());
    }
    for (source, target, label) in edges {
        let (Some(source), Some(target)) = (ids.get(*source), ids.get(*target)) else { continue };
        let mut edge = Edge::new(Endpoint::from(*source), *target);
        if *label > 2 {
            edge.label.push(when(&"c.value > 3 && ".repeat(usize::from(*label - 2))));
        }
        machine.add_edge(edge).unwrap();
    }
    machine
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn nodes_of_random_machines_do_not_overlap(
        nodes in prop::collection::vec((0_usize..40, 0_u8..10, "\\PC{0,40}"), 0..24),
        edges in prop::collection::vec((0_usize..24, 0_usize..24, 0_u8..6), 0..50),
    ) {
        let machine = machine(&nodes, &edges);
        check(&machine, &svg(&machine, None));
    }
}

/// The order of nodes in a rank was not a number, and sorting it panicked.
#[test]
fn nodes_that_only_ports_connect_have_an_order() {
    let parents: Vec<usize> = (0..65)
        .map(|at| match at {
            10 => 1,
            14 => 8,
            _ => 0,
        })
        .collect();
    let nodes: Vec<_> = parents.iter().map(|parent| (*parent, 0, String::new())).collect();
    let edges = [
        (0, 0, 0),
        (12, 20, 0),
        (0, 3, 0),
        (9, 3, 0),
        (21, 33, 0),
        (0, 0, 0),
        (12, 15, 0),
        (1, 3, 0),
        (0, 0, 0),
        (0, 0, 0),
        (0, 0, 0),
        (0, 0, 0),
        (0, 0, 0),
        (0, 0, 0),
        (0, 0, 0),
        (55, 12, 0),
        (12, 55, 0),
        (34, 3, 0),
        (17, 3, 0),
        (17, 3, 0),
        (2, 3, 0),
        (12, 5, 0),
        (16, 22, 0),
        (6, 13, 0),
        (16, 0, 0),
        (0, 0, 0),
        (6, 0, 0),
        (7, 1, 0),
        (5, 0, 0),
        (0, 5, 0),
        (15, 0, 0),
        (15, 0, 0),
    ];
    let machine = machine(&nodes, &edges);
    check(&machine, &svg(&machine, None));
}
