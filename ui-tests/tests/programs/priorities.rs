//! A priority is any constant expression of type `i32`.

#![deny(warnings, dead_code)]

use exo_rails::Chain;
use exo_rails::prelude::*;

const BASE: i32 = 10;

const fn later(priority: i32) -> i32 {
    priority + 5
}

#[rail(priority = i32::MIN, on = [Start])]
fn first() {}

#[rail(priority = -3, on = [Start])]
fn negative() {}

#[rail(priority = BASE + 1, on = [Start])]
fn sum() {}

#[rail(priority = <sum as Rail>::PRIORITY + 1, on = [Start])]
fn relative() {}

#[rail(priority = later(BASE), on = [Start])]
fn computed() {}

#[rail(priority = { let x = 20; x * 2 }, on = [Start])]
fn block() {}

#[rail(on = [Start])]
fn default() {}

rail_chain! {
    #[chain(priority = BASE * 100)]
    struct Inner { default }
}

rail_chain! {
    struct Outer { Inner, block, computed, relative, sum, negative, first }
}

#[test]
fn compiles_and_runs() {
    let names: Vec<_> = Outer::PLAN.events[0].rails.iter().map(|rail| rail.info.name).collect();
    assert_eq!(names, ["first", "negative", "sum", "relative", "computed", "block", "Inner"]);
}
