//! Plots the time of the chain divided by the time of hand-written code, for each kind of rails.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;

use crate::style::{CHAIN, GRID, INK, REFERENCE, SIZE, TITLE_HEIGHT, centred, text, title};
use crate::{Row, Spread};

/// The additional gap between two kinds of rails. The unit is the gap between two figures of one kind.
const GAP: f64 = 0.7;

pub(crate) fn draw(rows: &[Row], path: &Path) -> Result<(), Box<dyn Error>> {
    let kinds = kinds(rows);
    let highest =
        kinds.iter().flat_map(|(_, figures)| figures).map(|(_, _, ratio)| ratio.quartiles[1]).fold(1.0, f64::max);
    let last = kinds.iter().flat_map(|(_, figures)| figures).map(|(at, ..)| *at).fold(0.0, f64::max);

    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let axis = "time, by hand = 1: the median, and the range of the middle half of the rounds";
    title(&root, "A chain against the same rails called by hand", axis)?;
    let mut chart = ChartBuilder::on(&root)
        .margin_top(TITLE_HEIGHT)
        .margin_left(14)
        .margin_right(24)
        .margin_bottom(76)
        .x_label_area_size(1)
        .y_label_area_size(40)
        .build_cartesian_2d(-GAP..last + GAP, 0.0..(highest * 10.0).ceil() / 10.0 + 0.1)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .max_light_lines(0)
        .bold_line_style(GRID)
        .axis_style(INK)
        .x_labels(0)
        .y_labels(8)
        .y_label_formatter(&|ratio| format!("{ratio:.1}"))
        .label_style(text(13.0))
        .draw()?;
    chart.draw_series(LineSeries::new([(-GAP, 1.0), (last + GAP, 1.0)], REFERENCE.stroke_width(3)))?;
    for (kind, figures) in &kinds {
        for &(at, rails, Spread { median, quartiles: [low, high] }) in figures {
            let style = CHAIN.stroke_width(2).filled();
            chart.draw_series([ErrorBar::new_vertical(at, *low, *median, *high, style, 10)])?;
            let (x, y) = chart.backend_coord(&(at, *low));
            centred(&root, &format!("{median:.2}"), (x, y + 13), 12.5)?;
            let (_, bottom) = chart.backend_coord(&(at, 0.0));
            centred(&root, &rails.to_string(), (x, bottom + 16), 13.0)?;
        }
        let (Some((first, ..)), Some((last, ..))) = (figures.first(), figures.last()) else { continue };
        let (x, bottom) = chart.backend_coord(&(f64::midpoint(*first, *last), 0.0));
        centred(&root, kind, (x, bottom + 38), 13.5)?;
    }
    centred(
        &root,
        "number of rails, and what they wait for",
        (i32::try_from(SIZE.0)? / 2, i32::try_from(SIZE.1)? - 12),
        13.5,
    )?;
    root.present()?;
    Ok(())
}

/// A figure: its position on the axis, the number of rails, and the ratio.
type Figure<'r> = (f64, u32, &'r Spread);

/// Returns the figures of each kind of rails, with gaps between the kinds.
fn kinds(rows: &[Row]) -> Vec<(&str, Vec<Figure<'_>>)> {
    let mut kinds: Vec<(&str, Vec<Figure<'_>>)> = Vec::new();
    let mut at = 0.0;
    for row in rows.iter().filter(|row| row.variant == "static" && row.kind != "tool_call") {
        let Some(ratio) = &row.ratio else { continue };
        let name = if row.kind == "inspect" { "nothing" } else { &row.kind };
        match kinds.last_mut() {
            Some((kind, figures)) if *kind == name => figures.push((at, row.rails, ratio)),
            Some(_) => {
                at += GAP;
                kinds.push((name, vec![(at, row.rails, ratio)]));
            }
            None => kinds.push((name, vec![(at, row.rails, ratio)])),
        }
        at += 1.0;
    }
    kinds
}
