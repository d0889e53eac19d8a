//! The message should say: use `guard_tool_call_once`, or an async closure.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

struct Db(Vec<String>);

impl Db {
    async fn insert(&mut self, name: String) -> Result<&'static str, OperationError> {
        self.0.push(name);
        Ok("stored")
    }
}

async fn store(db: &mut Db, ctx: &mut RunContext) -> Result<ToolOutput, RunError> {
    let call = ToolCallInputs::new("store");
    rail_chain![log].guard_tool_call(call, ctx, |call| db.insert(call.tool_name.clone())).await
}

fn main() {
    let _ = store(&mut Db(Vec::new()), &mut RunContext::new("demo"));
}
