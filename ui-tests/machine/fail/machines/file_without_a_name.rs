//! The message should say: write `machine_file!(struct Flow = "flow.dygram");`.

use exo_rails_machine::machine_file;

machine_file!("flow.dygram");

fn main() {}
