//! The places of nodes and the ways of edges.
//!
//! Each frame is a graph of its own, without frames in it: the layout of `dugong` never puts two nodes of such a graph over each
//! other, and a graph with frames in it may. An edge that leaves a frame has a port at its border.

use super::geometry::{Link, Point, Route, Size};
use super::graph::{End, Graph, Place, Segment, stacked};

/// The space between the border of a frame and its nodes.
const PADDING: f64 = 20.0;

/// A box that is drawn: a node, a frame or a note. Frames stand before what they contain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) parent: Option<usize>,
    /// The size of a node. The size of the heading, if it is a frame.
    pub(super) size: Size,
}

/// A layout.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) size: Size,
    /// The size of each item.
    pub(super) sizes: Vec<Size>,
    /// The centre of each item.
    pub(super) centers: Vec<Point>,
    pub(super) routes: Vec<Route>,
}

/// Places all items.
pub(super) fn layout(items: &[Item], links: &[Link]) -> Layout {
    let tree = Tree { items };
    let segments = tree.segments(links);
    let mut sizes: Vec<_> = items.iter().map(|item| item.size).collect();
    let mut places: Vec<_> = items.iter().map(|_| Place::default()).collect();
    // What a frame contains stands after it, so its size is known first.
    for at in (0..items.len()).rev() {
        let children = tree.children(Some(at));
        if children.is_empty() {
            continue;
        }
        let place = placed(&children, &sizes, links, in_frame(&segments, Some(at)));
        if let Some(size) = sizes.get_mut(at) {
            *size = Size {
                width: place.size.width.max(size.width) + 2.0 * PADDING,
                height: place.size.height + size.height + 2.0 * PADDING,
            };
        }
        if let Some(slot) = places.get_mut(at) {
            *slot = place;
        }
    }
    let root = placed(&tree.children(None), &sizes, links, in_frame(&segments, None));
    assemble(&tree, &sizes, &root, &places, &segments, links.len())
}

fn in_frame(segments: &[Segment], frame: Option<usize>) -> Vec<Segment> {
    segments.iter().filter(|segment| segment.frame == frame).copied().collect()
}

fn placed(children: &[usize], sizes: &[Size], links: &[Link], segments: Vec<Segment>) -> Place {
    let graph = Graph { children, sizes, links, segments };
    graph.place().unwrap_or_else(|| stacked(&graph))
}

/// Moves what each frame contains to its place, and joins the parts of each line.
fn assemble(
    tree: &Tree<'_>,
    sizes: &[Size],
    root: &Place,
    places: &[Place],
    segments: &[Segment],
    links: usize,
) -> Layout {
    let margin = Point { x: PADDING, y: PADDING };
    let mut layout = Layout {
        size: Size { width: root.size.width + 2.0 * PADDING, height: root.size.height + 2.0 * PADDING },
        sizes: sizes.to_vec(),
        centers: vec![Point::default(); sizes.len()],
        routes: vec![Route::default(); links],
    };
    for frame in std::iter::once(None).chain((0..sizes.len()).map(Some)) {
        let Some(place) = frame.map_or(Some(root), |at| places.get(at)) else { continue };
        let origin = frame.map_or(margin, |at| tree.origin(&layout, at, place));
        for (item, center) in &place.centers {
            if let Some(slot) = layout.centers.get_mut(*item) {
                *slot = center.moved(origin);
            }
        }
    }
    for segment in segments {
        let Some(place) = segment.frame.map_or(Some(root), |at| places.get(at)) else { continue };
        let Some(part) = place.routes.iter().find(|(at, _)| *at == segment.link).map(|(_, route)| route) else {
            continue;
        };
        let origin = segment.frame.map_or(margin, |at| tree.origin(&layout, at, place));
        let mut points: Vec<_> = part.points.iter().map(|point| point.moved(origin)).collect();
        if let Some(frame) = segment.frame {
            reach_border(&layout, frame, segment, &mut points);
        }
        if let Some(route) = layout.routes.get_mut(segment.link) {
            join(route, points, segment.from, part.label.map(|label| label.moved(origin)));
        }
    }
    layout
}

/// Extends a line to the border of its frame, where it has a port.
fn reach_border(layout: &Layout, frame: usize, segment: &Segment, points: &mut Vec<Point>) {
    let (Some(center), Some(size)) = (layout.centers.get(frame), layout.sizes.get(frame)) else { return };
    let border = |end: End| match end {
        End::Top => Some(center.y - size.height / 2.0),
        End::Bottom => Some(center.y + size.height / 2.0),
        End::Item(_) => None,
    };
    if let (Some(y), Some(first)) = (border(segment.from), points.first().copied()) {
        points.insert(0, Point { y, ..first });
    }
    if let (Some(y), Some(last)) = (border(segment.to), points.last().copied()) {
        points.push(Point { y, ..last });
    }
}

/// Adds the next part of a line. Of two points at the border of a frame, the one of the port counts.
fn join(route: &mut Route, mut points: Vec<Point>, from: End, label: Option<Point>) {
    match from {
        End::Item(_) if !route.points.is_empty() => drop(points.drain(..1.min(points.len()))),
        End::Item(_) => {}
        End::Top | End::Bottom => drop(route.points.pop()),
    }
    route.points.extend(points);
    route.label = route.label.or(label);
}

/// The frames of items.
struct Tree<'a> {
    items: &'a [Item],
}

impl Tree<'_> {
    fn children(&self, frame: Option<usize>) -> Vec<usize> {
        (0..self.items.len()).filter(|at| self.parent(*at) == frame).collect()
    }

    fn parent(&self, item: usize) -> Option<usize> {
        self.items.get(item).and_then(|item| item.parent)
    }

    /// Returns the top left corner of what a frame contains.
    fn origin(&self, layout: &Layout, frame: usize, place: &Place) -> Point {
        let (Some(center), Some(size)) = (layout.centers.get(frame), layout.sizes.get(frame)) else {
            return Point::default();
        };
        let heading = self.items.get(frame).map_or(0.0, |item| item.size.height);
        Point { x: center.x - place.size.width / 2.0, y: center.y - size.height / 2.0 + heading + PADDING }
    }

    /// Returns the frames around an item, beginning with the item.
    fn chain(&self, item: usize) -> Vec<usize> {
        std::iter::successors(Some(item), |at| self.parent(*at)).collect()
    }

    /// Divides each link into its parts, one for each frame that it crosses, from the source to the target.
    fn segments(&self, links: &[Link]) -> Vec<Segment> {
        let mains: Vec<_> = links.iter().enumerate().map(|(at, link)| self.main(at, *link)).collect();
        let orders = Orders::of(self, links, &mains);
        links.iter().zip(&mains).flat_map(|(link, main)| self.parts(*link, main, orders.is_down(main))).collect()
    }

    fn parts(&self, link: Link, main: &Segment, is_down: bool) -> Vec<Segment> {
        let (leaves, enters) = if is_down { (End::Bottom, End::Top) } else { (End::Top, End::Bottom) };
        let inner = |item: usize, end: End| {
            let is_outer = move |at: &usize| end == End::Item(*at);
            let chain = self.chain(item);
            let count = chain.iter().position(is_outer).unwrap_or_default();
            chain.into_iter().take(count).map(|item| (self.parent(item), End::Item(item))).collect::<Vec<_>>()
        };
        let mut parts = Vec::new();
        for (frame, from) in inner(link.source, main.from) {
            parts.push(Segment { frame, from, to: leaves, is_main: false, ..*main });
        }
        parts.push(*main);
        for (frame, to) in inner(link.target, main.to).into_iter().rev() {
            parts.push(Segment { frame, from: enters, to, is_main: false, ..*main });
        }
        parts
    }

    /// Returns the part of a link in the innermost frame that has both ends.
    fn main(&self, at: usize, link: Link) -> Segment {
        let (sources, targets) = (self.chain(link.source), self.chain(link.target));
        let main = |frame, from, to| Segment { link: at, frame, from, to, is_main: true };
        let below = |chain: &[usize], outer: usize| {
            let position = chain.iter().position(|at| *at == outer)?;
            chain.get(position.checked_sub(1)?).copied()
        };
        if link.source != link.target {
            // One end is a frame around the other one.
            if let Some(child) = below(&targets, link.source) {
                return main(Some(link.source), End::Top, End::Item(child));
            }
            if let Some(child) = below(&sources, link.target) {
                return main(Some(link.target), End::Item(child), End::Bottom);
            }
        }
        let pair = sources.iter().find_map(|source| {
            let target = targets.iter().find(|target| self.parent(**target) == self.parent(*source))?;
            Some((*source, *target))
        });
        let (source, target) = pair.unwrap_or((link.source, link.target));
        main(self.parent(source), End::Item(source), End::Item(target))
    }
}

/// Which items are above which, in each frame that a link leaves or enters.
struct Orders(Vec<(Option<usize>, Place)>);

impl Orders {
    fn of(tree: &Tree<'_>, links: &[Link], mains: &[Segment]) -> Self {
        let crosses = |main: &&Segment| {
            links.get(main.link).is_some_and(|link| {
                let (from, to) = (End::Item(link.source), End::Item(link.target));
                matches!((main.from, main.to), (End::Item(_), End::Item(_))) && (main.from != from || main.to != to)
            })
        };
        let mut frames: Vec<_> = mains.iter().filter(crosses).map(|main| main.frame).collect();
        frames.sort_unstable();
        frames.dedup();
        let sizes = vec![Size { width: 100.0, height: 40.0 }; tree.items.len()];
        let place = |frame| (frame, placed(&tree.children(frame), &sizes, links, in_frame(mains, frame)));
        Self(frames.into_iter().map(place).collect())
    }

    /// Returns whether a line goes down.
    fn is_down(&self, main: &Segment) -> bool {
        let (End::Item(from), End::Item(to)) = (main.from, main.to) else { return true };
        let Some((_, place)) = self.0.iter().find(|(frame, _)| *frame == main.frame) else { return true };
        let y = |item| place.centers.iter().find(|(at, _)| *at == item).map(|(_, center)| center.y);
        y(from) <= y(to)
    }
}
