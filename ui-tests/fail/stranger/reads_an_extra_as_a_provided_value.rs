//! The message should say: `Tenant` is not a value that a rail can provide. A value from `ctx.extra.insert` is read with
//! `ctx.extra.get::<Tenant>()`; for `ctx.provided`, write `#[derive(Provided)]`, and let a rail provide it.

use exo_rails::prelude::*;

struct Tenant(String);

#[rail(priority = 10, on = [PreToolCall])]
fn read_tenant(call: &ToolCallInputs, ctx: &mut RailContext) {
    if let Some(name) = call.str_argument("tenant") {
        ctx.extra.insert(Tenant(name.to_owned()));
    }
}

#[rail(priority = 20, on = [PreToolCall])]
fn own_files_only(call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
    let Some(tenant) = ctx.provided::<Tenant>() else { // <- here
        return RailAction::skip("the call does not say whose files it reads");
    };
    match call.str_argument("path") {
        Some(path) if path.starts_with(&tenant.0) => RailAction::Continue,
        _ => RailAction::skip(format!("the files of {} are elsewhere", tenant.0)),
    }
}

rail_chain! {
    struct DriveRails { read_tenant, own_files_only }
}

fn main() {
    let _ = DriveRails;
}
