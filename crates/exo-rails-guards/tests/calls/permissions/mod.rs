//! The guard of permissions and the guard of risk, as programs use them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod asking;
mod evasion;
mod messages;
mod reference;
mod risk;
mod shell;

use exo_rails::prelude::*;
use exo_rails_guards::approval::ChangedCalls;
use exo_rails_guards::permissions::Permission;
use exo_rails_guards::{Permissions, PermissionsConfig, RiskScore};
use serde_json::Value;

rail_chain! {
    struct Guarded { permissions: Permissions }
}

rail_chain! {
    struct GuardedWithChanges { changed_calls: ChangedCalls, permissions: Permissions }
}

rail_chain! {
    struct Scored { risk: RiskScore }
}

rail_chain! {
    struct GuardedAndScored { changed_calls: ChangedCalls, permissions: Permissions, risk: RiskScore }
}

fn permissions(toml: &str) -> Permissions {
    Permissions::new(PermissionsConfig::from_toml(toml).unwrap()).unwrap()
}

fn call(tool: &str, arguments: Value) -> ToolCallInputs {
    ToolCallInputs::new(tool).with_arguments(arguments)
}

fn judged(permissions: &Permissions, tool: &str, arguments: Value) -> Permission {
    permissions.judge(&call(tool, arguments)).permission
}
