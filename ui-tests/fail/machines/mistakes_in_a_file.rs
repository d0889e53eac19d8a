//! The messages should show the lines of the file: an unknown node, a field without permission, and an unknown annotation.

use exo_rails_machine::machine_file;

machine_file!(pub struct Desk = "desk.dygram");

fn main() {}
