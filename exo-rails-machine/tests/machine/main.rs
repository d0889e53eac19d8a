//! Tests of machines, with a scripted model.

mod conditions;
mod contexts;
mod helper;
mod paths;
mod plan;
mod registry;
mod resume;
mod steps;
mod visits;
