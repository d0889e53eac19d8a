//! Plots the time of one dispatch over the number of rails. The rails look and let the event pass.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::Row;
use crate::style::{CHAIN, COLOURS, GRID, INK, REFERENCE, SIZE, TITLE_HEIGHT, text, title};

/// The name of the hand-written code.
const BY_HAND: &str = "hand_written";

/// The name of the dispatch of a chain.
const CHAINED: &str = "static";

/// The line of one way to dispatch an event.
struct Line {
    name: String,
    points: Vec<(f64, f64)>,
    style: ShapeStyle,
}

impl Line {
    /// Returns the value of the line at this number of rails.
    fn at(&self, rails: f64) -> f64 {
        self.points.iter().find(|(at, _)| *at >= rails).map_or(0.0, |(_, ns)| *ns)
    }
}

/// The width of the legend. It is to the right of the data, so it never covers a line.
const LEGEND_WIDTH: u32 = 166;

pub(crate) fn draw(rows: &[Row], path: &Path) -> Result<(), Box<dyn Error>> {
    let mut lines = lines(rows);
    let highest = lines.iter().flat_map(|line| &line.points).map(|(_, ns)| *ns).fold(1.0, f64::max);
    let most = lines.iter().flat_map(|line| &line.points).map(|(rails, _)| *rails).fold(1.0, f64::max);
    let decades = highest.log10().ceil();

    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    title(
        &root,
        "One event, and rails that only read it",
        "time of a dispatch; each grid line is ten times the one below",
    )?;
    let mut chart = ChartBuilder::on(&root)
        .margin_top(TITLE_HEIGHT)
        .margin_left(14)
        .margin_right(LEGEND_WIDTH)
        .margin_bottom(12)
        .x_label_area_size(48)
        .y_label_area_size(58)
        .build_cartesian_2d(0.0..most, (1.0..10_f64.powf(decades)).log_scale())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .max_light_lines(0)
        .bold_line_style(GRID)
        .axis_style(INK)
        .x_labels(6)
        .x_label_formatter(&|rails| format!("{rails}"))
        .y_labels(12)
        .y_label_formatter(&|ns| time(*ns))
        .label_style(text(13.0))
        .x_desc("rails")
        .axis_desc_style(text(13.5))
        .draw()?;
    for Line { points, style, .. } in &lines {
        chart.draw_series(LineSeries::new(points.iter().copied(), *style))?;
        chart.draw_series(points.iter().map(|point| Circle::new(*point, 3, style.color.filled())))?;
    }

    // The legend has the order of the lines where the shortest line ends, so that names are easy to find.
    let last = |line: &Line| line.points.last().map_or(0.0, |(rails, _)| *rails);
    let shared = lines.iter().map(last).fold(most, f64::min);
    lines.sort_by(|one, other| other.at(shared).total_cmp(&one.at(shared)));
    let (left, mut middle) = (i32::try_from(SIZE.0 - LEGEND_WIDTH)? + 16, i32::try_from(TITLE_HEIGHT)? + 20);
    for Line { name, style, .. } in &lines {
        root.draw(&PathElement::new([(left, middle), (left + 22, middle)], *style))?;
        root.draw(&Circle::new((left + 11, middle), 3, style.color.filled()))?;
        root.draw(&Text::new(name.as_str(), (left + 30, middle), text(13.0).pos(Pos::new(HPos::Left, VPos::Center))))?;
        middle += 26;
    }
    root.present()?;
    Ok(())
}

fn lines(rows: &[Row]) -> Vec<Line> {
    let mut points: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.kind == "inspect") {
        points.entry(&row.variant).or_default().push((row.rails.into(), row.ns.median));
    }
    // The chain covers the hand-written code. So the hand-written code is drawn first, and wider.
    let mut lines = Vec::new();
    for (variant, style) in [(BY_HAND, REFERENCE.stroke_width(6)), (CHAINED, CHAIN.stroke_width(2))] {
        lines.extend(points.remove(variant).map(|points| Line { name: name(variant), points, style }));
    }
    for ((variant, points), colour) in points.into_iter().zip(COLOURS.iter().cycle()) {
        lines.push(Line { name: name(variant), points, style: colour.stroke_width(2) });
    }
    lines
}

/// Returns the name of a variant in words.
fn name(variant: &str) -> String {
    match variant {
        BY_HAND => "by hand".to_owned(),
        CHAINED => "chain".to_owned(),
        "process" => "processes".to_owned(),
        "tower_boxed" => "tower, boxed".to_owned(),
        "tower_static" => "tower".to_owned(),
        other => other.replace('_', " "),
    }
}

/// Formats a power of ten nanoseconds in the shortest unit.
fn time(ns: f64) -> String {
    match ns {
        1e9.. => format!("{} s", ns / 1e9),
        1e6.. => format!("{} ms", ns / 1e6),
        1e3.. => format!("{} µs", ns / 1e3),
        _ => format!("{ns} ns"),
    }
}
