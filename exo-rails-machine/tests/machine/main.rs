//! Tests of machines, with a scripted model.

mod conditions;
mod contexts;
mod helper;
mod meta;
mod paths;
mod plan;
mod registry;
mod resume;
mod steps;
mod visits;
