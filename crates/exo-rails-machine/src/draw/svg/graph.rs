//! The graph of one frame.

use dugong::graphlib::{Graph as Graphlib, GraphOptions};
use dugong::{EdgeLabel, GraphLabel, NodeLabel, WorkControl, WorkError, layout_controlled};

use super::geometry::{Link, Point, Route, Size};

/// The work that a layout may take, in the units of `dugong`. 600 nodes with 1,800 edges take about 54 million.
const WORK: usize = 200_000_000;

/// The space between items in a stack.
const GAP: f64 = 50.0;

/// The weight of the edges that hold ports. With 0, the layout would divide by 0.
const HOLD: f64 = 0.1;

/// How far ports stay outside, in parts of the distance that the layout gives them.
const PULL: f64 = 0.25;

/// The length of the upright end of a line.
const STUB: f64 = 8.0;

/// An end of a line in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Item(usize),
    /// A port in the upper border of the frame.
    Top,
    /// A port in the lower border of the frame.
    Bottom,
}

/// The part of a link in one frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) link: usize,
    /// `None` is the whole drawing.
    pub(super) frame: Option<usize>,
    pub(super) from: End,
    pub(super) to: End,
    /// Whether this part has the label.
    pub(super) is_main: bool,
}

/// The places of what is in a frame, from its top left corner.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) size: Size,
    pub(super) centers: Vec<(usize, Point)>,
    pub(super) routes: Vec<(usize, Route)>,
}

/// What is in a frame.
pub(super) struct Graph<'a> {
    pub(super) children: &'a [usize],
    pub(super) sizes: &'a [Size],
    pub(super) links: &'a [Link],
    pub(super) segments: Vec<Segment>,
}

type Laid = Graphlib<NodeLabel, EdgeLabel, GraphLabel>;

/// Stops a layout that takes too much work.
struct Budget(usize);

impl WorkControl for Budget {
    fn charge(&mut self, units: usize) -> Result<(), WorkError> {
        self.0 = self.0.checked_sub(units).ok_or(WorkError::Interrupted)?;
        Ok(())
    }
}

impl Graph<'_> {
    /// Returns the places, or nothing if the layout fails or takes too much work.
    pub(super) fn place(&self) -> Option<Place> {
        let mut graph = Laid::new(GraphOptions { directed: true, multigraph: true, compound: false });
        graph.set_graph(GraphLabel { nodesep: 36.0, ranksep: 44.0, edgesep: 16.0, ..GraphLabel::default() });
        for item in self.children {
            let Size { width, height } = self.sizes.get(*item).copied().unwrap_or_default();
            graph.set_node(name(*item), NodeLabel { width, height, ..NodeLabel::default() });
        }
        for segment in &self.segments {
            self.add(&mut graph, segment);
        }
        self.hold_ports(&mut graph);
        layout_controlled(&mut graph, &mut Budget(WORK)).ok()?;
        self.read(&graph)
    }

    fn add(&self, graph: &mut Laid, segment: &Segment) {
        let (from, to) = ends(segment);
        for (end, name) in [(segment.from, &from), (segment.to, &to)] {
            if !matches!(end, End::Item(_)) {
                graph.set_node(name.clone(), NodeLabel { width: 1.0, height: 1.0, ..NodeLabel::default() });
            }
        }
        let link = self.links.get(segment.link);
        let Size { width, height } = link.filter(|_| segment.is_main).map_or_else(Size::default, |link| link.label);
        let weight = link.map_or(1.0, |link| link.weight);
        let label = EdgeLabel { width, height, weight, ..EdgeLabel::default() };
        // A line to an upper port goes up, and so does one from a lower port. In the graph, such an edge is turned round.
        let (from, to) = if is_turned(segment) { (to, from) } else { (from, to) };
        graph.set_edge_named(from, to, Some(line(segment)), Some(label));
    }

    /// Holds upper ports above all items, and lower ports below.
    fn hold_ports(&self, graph: &mut Laid) {
        for (side, hub) in [(End::Top, "top"), (End::Bottom, "bottom")] {
            let ports = self.segments.iter().filter(|segment| segment.from == side || segment.to == side);
            let ports: Vec<_> = ports.map(|segment| port(segment, side)).collect();
            if ports.is_empty() {
                continue;
            }
            graph.set_node(hub, NodeLabel::default());
            let outermost = self.outermost(side).map(|item| (name(item), false));
            for (node, is_port) in ports.into_iter().map(|port| (port, true)).chain(outermost) {
                // From the upper ports to their hub, from there to the items, and so on down.
                let is_before = is_port == (side == End::Top);
                let (from, to) = if is_before { (node, hub.to_owned()) } else { (hub.to_owned(), node) };
                graph.set_edge_named(from, to, Some("hold"), Some(EdgeLabel { weight: HOLD, ..EdgeLabel::default() }));
            }
        }
    }

    /// Returns the items to which no other item leads, or from which none goes on.
    fn outermost(&self, side: End) -> impl Iterator<Item = usize> {
        let between =
            |segment: &&Segment| matches!((segment.from, segment.to), (End::Item(from), End::Item(to)) if from != to);
        let ends = self.segments.iter().filter(between);
        let ends: Vec<_> = ends.map(|segment| if side == End::Top { segment.to } else { segment.from }).collect();
        self.children.iter().copied().filter(move |item| !ends.contains(&End::Item(*item)))
    }

    fn read(&self, graph: &Laid) -> Option<Place> {
        let mut place = Place::default();
        for item in self.children {
            let node = graph.node(&name(*item))?;
            let center = Point { x: node.x?, y: node.y? };
            place.centers.push((*item, center));
        }
        for segment in &self.segments {
            let (mut from, mut to) = ends(segment);
            if is_turned(segment) {
                std::mem::swap(&mut from, &mut to);
            }
            let label = graph.edge(&from, &to, Some(&line(segment)))?;
            let points: Vec<_> = label.points.iter().map(|point| Point { x: point.x, y: point.y }).collect();
            let mut points = if from == to { points } else { self.upright(&place, &points) };
            if is_turned(segment) {
                points.reverse();
            }
            if segment.from != segment.to {
                self.attach(&place, segment, &mut points);
            }
            let center = label.x.zip(label.y).map(|(x, y)| Point { x, y });
            place.routes.push((segment.link, Route { points, label: center.filter(|_| segment.is_main) }));
        }
        let numbers = place.centers.iter().map(|(_, center)| center);
        let numbers = numbers.chain(place.routes.iter().flat_map(|(_, route)| &route.points));
        let is_sound = numbers.into_iter().all(|point| point.x.is_finite() && point.y.is_finite());
        if !is_sound {
            return None;
        }
        self.pull_ports(&mut place);
        Some(self.trimmed(place))
    }

    fn size(&self, item: usize) -> Size {
        self.sizes.get(item).copied().unwrap_or_default()
    }

    /// Makes a line upright beside the nodes that it passes, so that it turns only where no node is.
    fn upright(&self, place: &Place, points: &[Point]) -> Vec<Point> {
        let mut upright = Vec::with_capacity(points.len());
        let inner = 1..points.len().saturating_sub(1);
        for (at, point) in points.iter().enumerate() {
            let beside = place.centers.iter().filter(|(_, center)| (center.y - point.y).abs() < 1.0);
            let height = beside.map(|(item, _)| self.size(*item).height).fold(0.0, f64::max);
            if !inner.contains(&at) || height < 1.0 {
                upright.push(*point);
                continue;
            }
            let is_down = points.get(at - 1).is_some_and(|before| before.y < point.y);
            let half = if is_down { height / 2.0 } else { -height / 2.0 };
            upright.push(Point { y: point.y - half, ..*point });
            upright.push(Point { y: point.y + half, ..*point });
        }
        upright
    }

    /// Lets a line begin and end at the upper or lower side of a node.
    fn attach(&self, place: &Place, segment: &Segment, points: &mut Vec<Point>) {
        let center = |end| match end {
            End::Item(item) => {
                let center = place.centers.iter().find(|(at, _)| *at == item).map(|(_, center)| *center)?;
                Some((center, self.size(item)))
            }
            End::Top | End::Bottom => None,
        };
        let next = points.get(1).copied();
        if let (Some((center, size)), Some(next), Some(first)) = (center(segment.from), next, points.first_mut())
            && let Some(begin) = side(center, size, next)
        {
            *first = begin;
            points.insert(1, stub(center, begin));
        }
        let before = points.len().checked_sub(2).and_then(|at| points.get(at)).copied();
        if let (Some((center, size)), Some(before), Some(last)) = (center(segment.to), before, points.last_mut())
            && let Some(end) = side(center, size, before)
        {
            *last = end;
            points.insert(points.len() - 1, stub(center, end));
        }
    }

    /// Pulls ports nearer to the items. The layout needs several ranks to hold them outside.
    fn pull_ports(&self, place: &mut Place) {
        let has_port = |segment: &Segment| [segment.from, segment.to].iter().any(|end| !matches!(end, End::Item(_)));
        if self.segments.iter().any(|segment| segment.is_main && has_port(segment)) {
            return;
        }
        let edges = |sign: f64| move |(item, center): &(usize, Point)| center.y + sign * self.size(*item).height / 2.0;
        let top = place.centers.iter().map(edges(-1.0)).fold(f64::MAX, f64::min);
        let bottom = place.centers.iter().map(edges(1.0)).fold(f64::MIN, f64::max);
        for point in place.routes.iter_mut().flat_map(|(_, route)| &mut route.points) {
            let held = point.y.clamp(top, bottom.max(top));
            point.y = held + (point.y - held) * PULL;
        }
    }

    /// Moves everything so that it begins at the corner, and measures it.
    fn trimmed(&self, mut place: Place) -> Place {
        let mut bounds: Option<[f64; 4]> = None;
        let mut include = |center: Point, size: Size| {
            let [left, top, right, bottom] = bounds.unwrap_or([f64::MAX, f64::MAX, f64::MIN, f64::MIN]);
            bounds = Some([
                left.min(center.x - size.width / 2.0),
                top.min(center.y - size.height / 2.0),
                right.max(center.x + size.width / 2.0),
                bottom.max(center.y + size.height / 2.0),
            ]);
        };
        for (item, center) in &place.centers {
            include(*center, self.sizes.get(*item).copied().unwrap_or_default());
        }
        for (link, route) in &place.routes {
            route.points.iter().for_each(|point| include(*point, Size::default()));
            if let (Some(center), Some(link)) = (route.label, self.links.get(*link)) {
                include(center, link.label);
            }
        }
        let [left, top, right, bottom] = bounds.unwrap_or_default();
        let by = Point { x: -left, y: -top };
        place.centers.iter_mut().for_each(|(_, center)| *center = center.moved(by));
        for (_, route) in &mut place.routes {
            route.points.iter_mut().chain(&mut route.label).for_each(|point| *point = point.moved(by));
        }
        place.size = Size { width: right - left, height: bottom - top };
        place
    }
}

/// Places items in a column, with lines at its side. This is for machines that are too large for a better layout.
pub(super) fn stacked(graph: &Graph<'_>) -> Place {
    let mut place = Place::default();
    let size = |item: usize| graph.sizes.get(item).copied().unwrap_or_default();
    let width = graph.children.iter().map(|item| size(*item).width).fold(0.0, f64::max);
    let mut bottom = 0.0;
    for item in graph.children {
        let height = size(*item).height;
        place.centers.push((*item, Point { x: width / 2.0, y: bottom + height / 2.0 }));
        bottom += height + GAP;
    }
    let at_side = |end: End| match end {
        End::Item(item) => {
            let center = place.centers.iter().find(|(at, _)| *at == item).map(|(_, center)| *center);
            center.map_or_else(Point::default, |center| Point { x: center.x + size(item).width / 2.0, ..center })
        }
        End::Top => Point { x: width + GAP, y: 0.0 },
        End::Bottom => Point { x: width + GAP, y: bottom },
    };
    let route = |segment: &Segment| {
        let (from, to) = (at_side(segment.from), at_side(segment.to));
        let middle = Point { x: width + GAP, y: f64::midpoint(from.y, to.y) };
        (segment.link, Route { points: vec![from, middle, to], label: segment.is_main.then_some(middle) })
    };
    let routes = graph.segments.iter().map(route).collect();
    graph.trimmed(Place { routes, ..place })
}

/// Returns the point of the upper or lower side of a node that is next to a point above or below it.
fn side(center: Point, size: Size, next: Point) -> Option<Point> {
    let half = size.height / 2.0;
    let y = if next.y > center.y + half {
        center.y + half
    } else if next.y < center.y - half {
        center.y - half
    } else {
        return None;
    };
    let reach = size.width * 0.3;
    Some(Point { x: center.x + (next.x - center.x).clamp(-reach, reach), y })
}

/// Returns a point off the side of a node, so that a line meets the side upright.
fn stub(center: Point, side: Point) -> Point {
    Point { y: side.y + if side.y > center.y { STUB } else { -STUB }, ..side }
}

fn name(item: usize) -> String {
    format!("item {item}")
}

fn line(segment: &Segment) -> String {
    format!("line {}", segment.link)
}

fn port(segment: &Segment, side: End) -> String {
    format!("port {} {}", segment.link, if side == End::Top { "top" } else { "bottom" })
}

fn ends(segment: &Segment) -> (String, String) {
    let name = |end| if let End::Item(item) = end { name(item) } else { port(segment, end) };
    (name(segment.from), name(segment.to))
}

fn is_turned(segment: &Segment) -> bool {
    segment.to == End::Top || segment.from == End::Bottom
}
