//! SVG.

mod geometry;
mod graph;
mod layout;
mod shape;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use exo_rails_dygram::{Edge, Machine, NodeId};

use super::{Taken, edge_label, is_broken, shown};
use crate::history::{History, Status, StepOutcome};
use geometry::{Link, Point, Route, Size};
use layout::{Item, Layout, layout};
use shape::Shape;
use text::{LABEL, Lines, NAME, TEXT, escaped};

/// The width at which names and titles break.
const NODE_WIDTH: f64 = 220.0;

/// The width at which labels of edges break.
const LABEL_WIDTH: f64 = 170.0;

/// Draws a machine as SVG. With a history, the nodes and edges that it contains are thick and green.
///
/// The drawing needs no other files, fonts or scripts. It has colours for light and dark screens.
///
/// A web page can style the drawing. Each node is a group. Its attribute `data-node` is the path of the node, and its classes
/// are `node` and the kind of the node, such as `task` or `context`. Each edge is a group with the attributes `data-source` and
/// `data-target` and the class `edge`. Edges that are not transitions also have the class `data`. Nodes and edges in the
/// history have the class `taken`. Nodes where a path is now have the class `current`. Nodes where a path has failed have the
/// class `failed`.
///
/// ```
/// let machine = exo_rails_dygram::read("flow.dygram", "State idle; End done; idle -> done;").machine;
/// let text = exo_rails_machine::svg(&machine, None);
/// assert!(text.contains("<g class=\"node state\" data-node=\"idle\">"));
/// ```
#[must_use]
pub fn svg(machine: impl AsRef<Machine>, history: Option<&History>) -> String {
    let machine = machine.as_ref();
    let scene = Scene::of(machine);
    let marks = Marks { taken: Taken::of(history), places: places(machine, history) };
    let items: Vec<_> = scene.boxes.iter().map(Shown::item).collect();
    let links: Vec<_> = scene.lines.iter().map(|line| line.link).collect();
    let layout = layout(&items, &links);
    let mut text = head(machine, layout.size);
    let is_frame = |at: usize| scene.boxes.get(at).is_some_and(|shown| shown.shape == Shape::Frame);
    for at in (0..scene.boxes.len()).filter(|at| is_frame(*at)) {
        scene.draw_box(&mut text, machine, &marks, &layout, at);
    }
    for (line, route) in scene.lines.iter().zip(&layout.routes) {
        draw_line(&mut text, machine, &marks, line, route);
    }
    for at in (0..scene.boxes.len()).filter(|at| !is_frame(*at)) {
        scene.draw_box(&mut text, machine, &marks, &layout, at);
    }
    // A label is above the nodes and lines, so nothing hides it.
    for (line, route) in scene.lines.iter().zip(&layout.routes) {
        draw_label(&mut text, line, route);
    }
    text.push_str("</svg>\n");
    text
}

/// A box that is drawn.
struct Shown<'a> {
    what: What<'a>,
    parent: Option<usize>,
    shape: Shape,
    name: Lines,
    title: Lines,
}

#[derive(Clone, Copy)]
enum What<'a> {
    Node(NodeId),
    /// A text about a node.
    Note(NodeId, &'a str),
}

/// A line that is drawn.
struct Line<'a> {
    link: Link,
    /// The line between a note and its node has none.
    edge: Option<&'a Edge>,
    label: Lines,
}

#[derive(Default)]
struct Scene<'a> {
    boxes: Vec<Shown<'a>>,
    lines: Vec<Line<'a>>,
}

impl<'a> Scene<'a> {
    fn of(machine: &'a Machine) -> Self {
        let mut scene = Self::default();
        let mut numbers = BTreeMap::new();
        scene.add_nodes(machine, &mut numbers);
        for edge in machine.edges() {
            let (Some(source), Some(target)) = (numbers.get(&edge.source.node), numbers.get(&edge.target.node)) else {
                continue;
            };
            let label = LABEL.lines(&edge_label(edge), LABEL_WIDTH, 4);
            let weight = if is_broken(machine, edge) { 1.0 } else { 3.0 };
            let link = Link { source: *source, target: *target, label: padded(label.size()), weight };
            scene.lines.push(Line { link, edge: Some(edge), label });
        }
        for note in machine.notes() {
            let (Some(target), Some(title)) = (numbers.get(&note.target), &note.title) else { continue };
            let source = scene.boxes.len();
            scene.boxes.push(Shown {
                what: What::Note(note.target, title),
                parent: machine.parent(note.target).and_then(|parent| numbers.get(&parent).copied()),
                shape: Shape::Note,
                name: Lines::default(),
                title: TEXT.lines(title, NODE_WIDTH, 8),
            });
            let link = Link { source, target: *target, label: Size::default(), weight: 2.0 };
            scene.lines.push(Line { link, edge: None, label: Lines::default() });
        }
        scene
    }

    fn add_nodes(&mut self, machine: &Machine, numbers: &mut BTreeMap<NodeId, usize>) {
        let mut next: Vec<_> = shown(machine, None).into_iter().rev().map(|id| (None, id)).collect();
        while let Some((parent, id)) = next.pop() {
            let at = self.boxes.len();
            let (node, children) = (machine.node(id), shown(machine, Some(id)));
            self.boxes.push(Shown {
                what: What::Node(id),
                parent,
                shape: Shape::of(machine, id, !children.is_empty()),
                name: NAME.lines(&node.name, NODE_WIDTH, 4),
                title: TEXT.lines(node.title.as_deref().unwrap_or_default(), NODE_WIDTH, 4),
            });
            numbers.insert(id, at);
            next.extend(children.into_iter().rev().map(|child| (Some(at), child)));
        }
    }

    fn draw_box(&self, text: &mut String, machine: &Machine, marks: &Marks, layout: &Layout, at: usize) {
        let (Some(shown), Some(center), Some(size)) =
            (self.boxes.get(at), layout.centers.get(at), layout.sizes.get(at))
        else {
            return;
        };
        let class = shown.shape.class();
        // Writing to a `String` cannot fail.
        let _ = match shown.what {
            What::Node(id) => {
                let (path, marks) = (escaped(machine.path(id)), marks.of_node(machine, id));
                let title = escaped(&description(machine, id));
                write!(text, "<g class=\"node {class}{marks}\" data-node=\"{path}\"><title>{title}</title>")
            }
            What::Note(id, note) => {
                let (path, note) = (escaped(machine.path(id)), escaped(note));
                write!(text, "<g class=\"{class}\" data-note=\"{path}\"><title>{note}</title>")
            }
        };
        text.push_str(&shown.shape.draw(*center, *size));
        let top = match shown.shape {
            Shape::Frame => center.y - size.height / 2.0 + 10.0,
            shape => center.y + shape.text_offset() - shown.text().height / 2.0,
        };
        draw_lines(text, "name", &shown.name, Point { x: center.x, y: top });
        draw_lines(text, "title", &shown.title, Point { x: center.x, y: top + shown.name.size().height });
        text.push_str("</g>\n");
    }
}

impl Shown<'_> {
    /// Returns the size of the name and the title.
    fn text(&self) -> Size {
        let (name, title) = (self.name.size(), self.title.size());
        Size { width: name.width.max(title.width), height: name.height + title.height }
    }

    fn item(&self) -> Item {
        Item { parent: self.parent, size: self.shape.around(self.text()) }
    }
}

/// What a history says about nodes and edges.
struct Marks {
    taken: Taken,
    places: Places,
}

impl Marks {
    /// Returns the further classes of a node. A frame has those of what is in it.
    fn of_node(&self, machine: &Machine, id: NodeId) -> String {
        let path = machine.path(id);
        let is_in =
            |other: &String| other.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let mut classes = String::new();
        if self.taken.nodes.iter().any(is_in) {
            classes.push_str(" taken");
        }
        // Only the node itself is the place of a path.
        if self.places.current.contains(path) {
            classes.push_str(" current");
        }
        if self.places.failed.contains(path) {
            classes.push_str(" failed");
        }
        classes
    }
}

/// Where paths are, and where they have failed.
#[derive(Debug, Default)]
struct Places {
    current: BTreeSet<String>,
    failed: BTreeSet<String>,
}

fn places(machine: &Machine, history: Option<&History>) -> Places {
    let Some(history) = history else { return Places::default() };
    let mut paths = BTreeMap::new();
    // Paths that have begun, and have no step yet.
    let mut begun: Vec<&str> = Vec::new();
    let mut places = Places::default();
    for step in &history.steps {
        if let (false, Some(at)) =
            (paths.contains_key(&step.path), begun.iter().position(|node| *node == step.current_node))
        {
            begun.swap_remove(at);
        }
        let mut next = step.next_nodes.iter().map(String::as_str);
        let now = match step.outcome {
            StepOutcome::Moved => Some(next.next().unwrap_or(&step.current_node)),
            StepOutcome::Waits => next.next().map(|_| step.current_node.as_str()),
            StepOutcome::Forked => Some(step.current_node.as_str()),
            StepOutcome::Ended => None,
            StepOutcome::Failed => {
                places.failed.insert(step.current_node.clone());
                None
            }
        };
        paths.insert(step.path, now);
        begun.extend(next);
    }
    if history.status == Status::Completed {
        return places;
    }
    if history.steps.is_empty() {
        places.current.extend(machine.starts().into_iter().map(|id| machine.path(id).to_owned()));
    }
    places.current.extend(paths.into_values().flatten().chain(begun).map(str::to_owned));
    places
}

fn head(machine: &Machine, size: Size) -> String {
    let title = escaped(machine.title.as_deref().unwrap_or("machine"));
    let Size { width, height } = size;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"exo-machine\" role=\"img\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n<title>{title}</title>\n<style>\n{}</style>\n<defs>\n",
        include_str!("style.css")
    );
    for class in ["arrow", "arrow-data", "arrow-taken"] {
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "<marker id=\"exo-{class}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" \
             markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\"><path class=\"{class}\" d=\"M0 0L10 5L0 10z\"/></marker>"
        );
    }
    let _ = writeln!(text, "</defs>\n<rect class=\"background\" width=\"{width:.0}\" height=\"{height:.0}\"/>");
    text
}

/// Returns what a reader sees who points at a node.
fn description(machine: &Machine, id: NodeId) -> String {
    let node = machine.node(id);
    let type_name = node.type_name.as_ref().map(|name| format!("{name} ")).unwrap_or_default();
    let title = node.title.as_ref().map(|title| format!(": {title}")).unwrap_or_default();
    format!("{type_name}{}{title}", machine.path(id))
}

fn draw_line(text: &mut String, machine: &Machine, marks: &Marks, line: &Line<'_>, route: &Route) {
    let path = curve(&route.points);
    let Some(edge) = line.edge else {
        let _ = writeln!(text, "<g class=\"edge data about\"><path class=\"line\" d=\"{path}\"/></g>");
        return;
    };
    let is_taken = marks.taken.has_edge(machine, edge);
    let (class, arrow) = match (is_broken(machine, edge), is_taken) {
        (_, true) => ("control taken", "arrow-taken"),
        (true, false) => ("data", "arrow-data"),
        (false, false) => ("control", "arrow"),
    };
    let (source, target) = (escaped(machine.path(edge.source.node)), escaped(machine.path(edge.target.node)));
    let label = escaped(&edge_label(edge));
    let title =
        if label.is_empty() { format!("{source} → {target}") } else { format!("{source} → {target}: {label}") };
    // Writing to a `String` cannot fail.
    let _ = writeln!(
        text,
        "<g class=\"edge {class}\" data-source=\"{source}\" data-target=\"{target}\"><title>{title}</title>\
         <path class=\"line\" d=\"{path}\" marker-end=\"url(#exo-{arrow})\"/></g>"
    );
}

fn draw_label(text: &mut String, line: &Line<'_>, route: &Route) {
    if let (Some(center), false) = (route.label, line.label.lines.is_empty()) {
        let top = center.y - line.label.size().height / 2.0;
        draw_lines(text, "label", &line.label, Point { y: top, ..center });
        text.push('\n');
    }
}

fn draw_lines(text: &mut String, class: &str, lines: &Lines, top: Point) {
    let line = lines.font.line();
    let mut y = top.y + line * 0.76;
    for shown in &lines.lines {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "<text class=\"{class}\" x=\"{:.1}\" y=\"{y:.1}\">{}</text>", top.x, escaped(shown));
        y += line;
    }
}

/// Returns a line through points, with round corners.
fn curve(points: &[Point]) -> String {
    let mut points = points.to_vec();
    points.dedup_by(|one, other| (one.x - other.x).abs() < 0.5 && (one.y - other.y).abs() < 0.5);
    let mut text = String::new();
    let middle =
        |one: Point, other: Point| Point { x: f64::midpoint(one.x, other.x), y: f64::midpoint(one.y, other.y) };
    let [first, inner @ .., last] = points.as_slice() else { return "M0 0".to_owned() };
    // Writing to a `String` cannot fail.
    let _ = write!(text, "M{:.1} {:.1}", first.x, first.y);
    for (at, point) in inner.iter().enumerate() {
        let before = if at == 0 { *first } else { inner.get(at - 1).copied().unwrap_or(*first) };
        let (from, to) = (middle(before, *point), middle(*point, inner.get(at + 1).copied().unwrap_or(*last)));
        let _ = write!(text, "L{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}", from.x, from.y, point.x, point.y, to.x, to.y);
    }
    let _ = write!(text, "L{:.1} {:.1}", last.x, last.y);
    text
}

/// Returns the space that a label needs.
fn padded(label: Size) -> Size {
    if label.height > 0.0 { Size { width: label.width + 12.0, height: label.height + 6.0 } } else { label }
}
