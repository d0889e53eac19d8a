//! The message should say: write `#[derive(Serialize, Deserialize)]`; once.

use exo_rails::KeptValues;

#[derive(Default)]
struct Calls(u32);

fn main() {
    let _ = KeptValues::new().keep::<Calls>("calls");
    let _ = Calls(1).0;
}
