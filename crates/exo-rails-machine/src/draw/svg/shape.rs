//! The outlines of nodes.

use exo_rails_dygram::{Machine, NodeId, NodeKind};

use super::geometry::{Point, Size};

/// The height of the lids of a context, and the size of corners that are cut.
const CORNER: f64 = 8.0;

/// The form of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Init,
    State,
    Task,
    Tool,
    Context,
    End,
    Join,
    Note,
    Other,
    Frame,
}

impl Shape {
    pub(super) fn of(machine: &Machine, id: NodeId, is_frame: bool) -> Self {
        let type_name = machine.node(id).type_name.as_deref().unwrap_or_default();
        match machine.kind(id) {
            _ if is_frame => Self::Frame,
            NodeKind::Init => Self::Init,
            NodeKind::State => Self::State,
            NodeKind::Task => Self::Task,
            NodeKind::Tool => Self::Tool,
            NodeKind::Context => Self::Context,
            NodeKind::End => Self::End,
            _ if type_name.eq_ignore_ascii_case("join") => Self::Join,
            _ if type_name.eq_ignore_ascii_case("note") => Self::Note,
            _ => Self::Other,
        }
    }

    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::State => "state",
            Self::Task => "task",
            Self::Tool => "tool",
            Self::Context => "context",
            Self::End => "end",
            Self::Join => "join",
            Self::Note => "note",
            Self::Other => "other",
            Self::Frame => "frame",
        }
    }

    /// Returns the size of a box around a text.
    pub(super) fn around(self, text: Size) -> Size {
        let (across, along) = match self {
            Self::Frame => (0.0, 8.0),
            Self::Context => (28.0, 18.0 + 2.0 * CORNER),
            Self::Init | Self::End | Self::Tool | Self::Join => (44.0, 22.0),
            _ => (28.0, 20.0),
        };
        Size { width: (text.width + across).max(56.0), height: text.height + along }
    }

    /// Returns how far below the centre the text is.
    pub(super) const fn text_offset(self) -> f64 {
        if matches!(self, Self::Context) { CORNER / 2.0 } else { 0.0 }
    }

    /// Draws the outline.
    pub(super) fn draw(self, center: Point, size: Size) -> String {
        let (left, top) = (center.x - size.width / 2.0, center.y - size.height / 2.0);
        let (right, bottom) = (center.x + size.width / 2.0, center.y + size.height / 2.0);
        let Size { width, height } = size;
        let rounded = |class: &str, by: f64, radius: f64| {
            format!(
                "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{radius:.1}\"/>",
                left + by,
                top + by,
                width - 2.0 * by,
                height - 2.0 * by
            )
        };
        let path = |class: &str, points: &str| format!("<path class=\"{class}\" d=\"{points}\"/>");
        let pill = (height / 2.0).min(18.0);
        match self {
            Self::Init => rounded("shape", 0.0, pill),
            Self::End => [rounded("shape", 0.0, pill), rounded("fold", 4.0, pill - 4.0)].concat(),
            Self::State | Self::Other => rounded("shape", 0.0, 12.0),
            Self::Task => rounded("shape", 0.0, 3.0),
            Self::Frame => rounded("shape", 0.0, 8.0),
            Self::Tool => {
                let (one, two) = (left + 14.0, right - 14.0);
                let y = center.y;
                let text = format!(
                    "M{one:.1} {top:.1}H{two:.1}L{right:.1} {y:.1}L{two:.1} {bottom:.1}H{one:.1}L{left:.1} {y:.1}Z"
                );
                path("shape", &text)
            }
            Self::Join => {
                let (one, two, up, down) = (left + CORNER, right - CORNER, top + CORNER, bottom - CORNER);
                let text = format!(
                    "M{one:.1} {top:.1}H{two:.1}L{right:.1} {up:.1}V{down:.1}L{two:.1} {bottom:.1}H{one:.1}L{left:.1} {down:.1}V{up:.1}Z"
                );
                path("shape", &text)
            }
            Self::Note => {
                let (fold, low) = (right - 10.0, top + 10.0);
                let text = format!("M{left:.1} {top:.1}H{fold:.1}L{right:.1} {low:.1}V{bottom:.1}H{left:.1}Z");
                [path("shape", &text), path("fold", &format!("M{fold:.1} {top:.1}V{low:.1}H{right:.1}"))].concat()
            }
            Self::Context => {
                let (radius, up, down) = (width / 2.0, top + CORNER, bottom - CORNER);
                let body = format!(
                    "M{left:.1} {up:.1}A{radius:.1} {CORNER} 0 0 1 {right:.1} {up:.1}V{down:.1}A{radius:.1} {CORNER} 0 0 1 {left:.1} {down:.1}Z"
                );
                let lid = format!("M{left:.1} {up:.1}A{radius:.1} {CORNER} 0 0 0 {right:.1} {up:.1}");
                [path("shape", &body), path("fold", &lid)].concat()
            }
        }
    }
}
