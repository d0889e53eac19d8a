//! Draws the figures of `dispatch_cost`.
//!
//! ```text
//! cargo run --release -p benchmarks --bin dispatch_cost -- --json benchmarks/results/dispatch.json
//! cargo run -p benchmarks --bin plot -- benchmarks/results/dispatch.json benchmarks/results
//! ```
//!
//! It writes `dispatch.svg`: the time of a dispatch over the number of rails, a line for each way to do it; and
//! `ratio.svg`: the chain against hand-written code, for each kind of rails, with the range of the middle half.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use plotters::prelude::*;
use serde::Deserialize;

/// A row of the figures, as far as it is drawn.
#[derive(Deserialize)]
struct Row {
    kind: String,
    rails: u32,
    variant: String,
    ns: Spread,
    ratio: Option<Spread>,
}

/// The middle of several figures, and the range in which half of them lie.
#[derive(Deserialize)]
struct Spread {
    median: f64,
    quartiles: [f64; 2],
}

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let [figures, folder] = args.as_slice() else {
        eprintln!("usage: cargo run -p benchmarks --bin plot -- FIGURES.json FOLDER");
        return ExitCode::from(2);
    };
    match draw(Path::new(figures), Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn draw(figures: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(figures).map_err(|error| format!("cannot read `{}`: {error}", figures.display()))?;
    let rows: Vec<Row> = serde_json::from_str(&text)?;
    dispatch(&rows, &folder.join("dispatch.svg"))?;
    ratio(&rows, &folder.join("ratio.svg"))
}

const SIZE: (u32, u32) = (860, 520);

/// Told apart also by those who do not see all colours, and in black and white by their place.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 0, 0),
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(120, 120, 120),
];

/// The time of one dispatch, over the number of rails that look and let it pass.
fn dispatch(rows: &[Row], path: &Path) -> Result<(), Box<dyn Error>> {
    let mut lines: BTreeMap<&str, Vec<(u32, f64)>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.kind == "inspect") {
        lines.entry(&row.variant).or_default().push((row.rails, row.ns.median));
    }
    let highest = lines.values().flatten().map(|(_, ns)| *ns).fold(1.0, f64::max);
    let most = lines.values().flatten().map(|(rails, _)| *rails).max().unwrap_or(1);

    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("one event, rails that look and let it pass", ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(0..most, (1.0..highest * 2.0).log_scale())?;
    chart.configure_mesh().x_desc("rails").y_desc("nanoseconds for a dispatch").draw()?;
    for ((name, points), colour) in lines.into_iter().zip(COLOURS.iter().cycle()) {
        let dots = points.clone().into_iter().map(|point| Circle::new(point, 3, colour.filled()));
        chart
            .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
            .label(name.replace('_', " "))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
        chart.draw_series(dots)?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .draw()?;
    root.present()?;
    Ok(())
}

/// The chain against hand-written code: 1 is the same time.
fn ratio(rows: &[Row], path: &Path) -> Result<(), Box<dyn Error>> {
    let of_chain = |row: &&Row| row.variant == "static" && row.kind != "tool_call";
    let bars: Vec<_> = rows.iter().filter(of_chain).filter_map(|row| Some((row, row.ratio.as_ref()?))).collect();
    let names: Vec<_> = bars.iter().map(|(row, _)| format!("{} {}", row.kind, row.rails)).collect();
    let highest = bars.iter().map(|(_, ratio)| ratio.quartiles[1]).fold(1.2, f64::max);

    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let count = i32::try_from(bars.len())?;
    let mut chart = ChartBuilder::on(&root)
        .caption("a chain against the same rails called by hand", ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(56)
        .y_label_area_size(64)
        .build_cartesian_2d((0..count - 1).into_segmented(), 0.0..highest * 1.1)?;
    let name = |at: &SegmentValue<i32>| match at {
        SegmentValue::CenterOf(at) => usize::try_from(*at).ok().and_then(|at| names.get(at)).cloned(),
        _ => None,
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(names.len())
        .x_label_formatter(&|at| name(at).unwrap_or_default())
        .x_label_style(("sans-serif", 11))
        .x_desc("kind and number of rails")
        .y_desc("time, by hand = 1")
        .draw()?;
    let at = SegmentValue::CenterOf;
    chart.draw_series(LineSeries::new([(at(0), 1.0), (at(count - 1), 1.0)], BLACK.stroke_width(1)))?;
    let spreads = bars.iter().zip(0..).map(|((_, ratio), x)| {
        let [low, high] = ratio.quartiles;
        ErrorBar::new_vertical(at(x), low, ratio.median, high, COLOURS[1].filled(), 8)
    });
    chart.draw_series(spreads)?;
    root.present()?;
    Ok(())
}
