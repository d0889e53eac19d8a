//! Sizes, points, and the lines between items.

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Point {
    pub(super) fn moved(self, by: Self) -> Self {
        Self { x: self.x + by.x, y: self.y + by.y }
    }
}

/// A line between two items.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) label: Size,
    /// How much the line should be short and straight.
    pub(super) weight: f64,
}

/// The way of a link.
#[derive(Clone, Debug, Default)]
pub(super) struct Route {
    pub(super) points: Vec<Point>,
    /// The centre of the label.
    pub(super) label: Option<Point>,
}
