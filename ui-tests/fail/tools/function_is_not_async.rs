//! The message should say, at the closure: the function of a tool is async.

use exo_rails::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Sum {
    numbers: Vec<f64>,
}

fn main() {
    let sum = |args: Sum| Ok::<_, OperationError>(args.numbers.iter().sum::<f64>().to_string());
    let _ = Tool::new("sum", "Adds.", serde_json::json!({}), sum);
}
