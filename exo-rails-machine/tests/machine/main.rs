//! Tests of machines, with a scripted model.

mod conditions;
mod contexts;
mod helper;
mod plan;
mod steps;
mod visits;
