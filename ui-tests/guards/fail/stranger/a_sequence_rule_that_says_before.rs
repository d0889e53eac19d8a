//! The rule says `weigh before prescribe`, and the grammar has no `before`. An ideal message would say to turn the rule around:
//! `prescribe only after weigh`.

use exo_rails::prelude::*;
use exo_rails::tools;
use exo_rails_guards::sequence::{Sequence, sequence_rules};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Weighs a patient.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "weigh", schema = json!({ "type": "object" }))]
struct Weigh {
    patient: u32,
}

/// Prescribes a drug.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "prescribe", schema = json!({ "type": "object" }))]
struct Prescribe {
    patient: u32,
    drug: String,
}

tools! {
    struct WardTools { weigh: Weigh, prescribe: Prescribe }
}

fn main() -> Result<(), exo_rails_guards::ConfigError> {
    let rules = sequence_rules! {
        tools = WardTools;
        weigh before prescribe same patient;
        at most 1 prescribe same patient and drug;
    };
    let sequence: Sequence = Sequence::builder().rules(rules).build()?;
    println!("{sequence:?}");
    Ok(())
}
