//! A public event that carries what is private.
//!
//! The compiler's own words.

use exo_rails::prelude::*;

#[derive(Debug)]
struct Secret;

#[derive(Event)]
#[event(payload = &Secret)]
pub struct Found;

fn main() {}
