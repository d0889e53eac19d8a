//! The message should say: `no_registry` is configured out here. Write the same `#[cfg(windows)]` above it in the chain.

use exo_rails::prelude::*;

#[cfg(windows)]
#[rail(priority = 10, on = [PreToolCall])]
fn no_registry(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "write_registry", "the registry belongs to the administrator")
}

#[rail(priority = 20, on = [PreToolCall])]
fn own_folder(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.str_argument("path").is_some_and(|path| path.contains("..")), "this is not your folder")
}

rail_chain! {
    struct DesktopRails {
        no_registry, // <- here
        own_folder,
    }
}

fn main() {
    let _ = DesktopRails {};
}
