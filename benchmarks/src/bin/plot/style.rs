//! The common style of both plots.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The size of a plot. It is as wide as a page shows it, so that text keeps its size.
pub(crate) const SIZE: (u32, u32) = (800, 480);

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(crate) type Drawn<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

/// The colour of lines that are not data.
pub(crate) const GRID: RGBColor = RGBColor(222, 222, 222);
pub(crate) const INK: RGBColor = RGBColor(34, 34, 34);
/// The colour of the reference.
pub(crate) const REFERENCE: RGBColor = RGBColor(150, 150, 150);

/// The colour of the chain in both plots.
pub(crate) const CHAIN: RGBColor = RGBColor(0, 114, 178);

/// The colours of the other lines. Readers with colour blindness can tell them apart too.
pub(crate) const COLOURS: [RGBColor; 6] = [
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(140, 86, 75),
];

/// The height of the title and the line under it.
pub(crate) const TITLE_HEIGHT: u32 = 76;

/// Returns the style of a text with this height in pixels. The backend draws letters smaller than the requested size.
pub(crate) fn text(pixels: f64) -> TextStyle<'static> {
    ("sans-serif", pixels * 1.24).into_font().color(&INK)
}

/// Draws the title, and the label of the vertical axis under it. No text is sideways.
pub(crate) fn title<'a>(area: &Area<'a>, title: &str, axis: &str) -> Drawn<'a> {
    area.draw(&Text::new(title.to_owned(), (14, 12), text(18.0)))?;
    area.draw(&Text::new(axis.to_owned(), (14, 40), text(13.5)))
}

/// Draws a text with its centre at this position.
pub(crate) fn centred<'a>(area: &Area<'a>, label: &str, at: (i32, i32), pixels: f64) -> Drawn<'a> {
    area.draw(&Text::new(label.to_owned(), at, text(pixels).pos(Pos::new(HPos::Center, VPos::Center))))
}
