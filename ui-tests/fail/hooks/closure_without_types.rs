//! The message should say: (the compiler's own words) the parameter `inputs` needs a type.

use exo_rails::prelude::*;

fn main() {
    HookManager::new().add(HookPoint::PreToolCall, async |inputs, _| println!("{}", inputs.point()));
}
