//! The instructions of one dispatch, for each case and each variant.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The number of dispatches that each bench counts together, as in `benchmarks/benches/instructions.rs`.
const DISPATCHES: f64 = 100.0;

/// The counts by case and by variant. For example, the case `inspect_05` has five rails that do not wait, and a variant is
/// `static_chain`.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Counts(pub(crate) BTreeMap<String, BTreeMap<String, f64>>);

/// The output of the runner for one bench, without fields that are not needed.
#[derive(Deserialize)]
struct Bench {
    id: String,
    function_name: String,
    profiles: Vec<Profile>,
}

#[derive(Deserialize)]
struct Profile {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    total: Total,
}

#[derive(Deserialize)]
struct Total {
    metrics: Metrics,
}

#[derive(Deserialize)]
struct Metrics {
    #[serde(rename = "Ir")]
    instructions: Metric,
}

#[derive(Deserialize)]
struct Metric {
    values: Values,
}

#[derive(Deserialize)]
struct Values {
    new: u32,
}

impl Counts {
    /// Reads the counts from the output of the benches.
    pub(crate) fn of_benches(printed: &str) -> Result<Self, Box<dyn Error>> {
        let mut counts: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
        for line in printed.lines().filter(|line| line.starts_with('{')) {
            let bench: Bench = serde_json::from_str(line)?;
            let profile = bench.profiles.first().ok_or_else(|| format!("`{}` was not counted", bench.id))?;
            let each = f64::from(profile.data.total.metrics.instructions.values.new) / DISPATCHES;
            counts.entry(bench.id).or_default().insert(bench.function_name, each);
        }
        if counts.is_empty() { Err("the benches returned no counts".into()) } else { Ok(Self(counts)) }
    }

    /// Reads the counts from a file.
    pub(crate) fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let text = fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
        Ok(serde_json::from_str(&text)?)
    }

    /// Writes the counts to a file.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(path, text).map_err(|error| format!("cannot write `{}`: {error}", path.display()).into())
    }
}
