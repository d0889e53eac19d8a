//! What both plots look like.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// As wide as a page shows it, so that text keeps its size.
pub(crate) const SIZE: (u32, u32) = (800, 480);

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(crate) type Drawn<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

/// What is not data stays behind it.
pub(crate) const GRID: RGBColor = RGBColor(222, 222, 222);
pub(crate) const INK: RGBColor = RGBColor(34, 34, 34);
/// What the others are held against.
pub(crate) const REFERENCE: RGBColor = RGBColor(150, 150, 150);

/// The chain, in both plots.
pub(crate) const CHAIN: RGBColor = RGBColor(0, 114, 178);

/// The others. Told apart also by those who do not see all colours.
pub(crate) const COLOURS: [RGBColor; 6] = [
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(140, 86, 75),
];

/// How high the title and the line under it are together.
pub(crate) const TITLE_HEIGHT: u32 = 76;

/// A text of this height in pixels: the backend makes letters smaller than it is asked for.
pub(crate) fn text(pixels: f64) -> TextStyle<'static> {
    ("sans-serif", pixels * 1.24).into_font().color(&INK)
}

/// The title, and under it what the vertical axis shows. Nothing is written sideways, beside the ticks.
pub(crate) fn title<'a>(area: &Area<'a>, title: &str, axis: &str) -> Drawn<'a> {
    area.draw(&Text::new(title.to_owned(), (14, 12), text(18.0)))?;
    area.draw(&Text::new(axis.to_owned(), (14, 40), text(13.5)))
}

/// A text with its middle at this place.
pub(crate) fn centred<'a>(area: &Area<'a>, label: &str, at: (i32, i32), pixels: f64) -> Drawn<'a> {
    area.draw(&Text::new(label.to_owned(), at, text(pixels).pos(Pos::new(HPos::Center, VPos::Center))))
}
