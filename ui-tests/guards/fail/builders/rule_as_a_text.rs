//! The message should say: write `"at most 3 refund".parse()?`.

use exo_rails_guards::Sequence;

fn main() {
    let _ = Sequence::builder().rules(["at most 3 refund"]).build();
}
