//! The message should say, at the type of the field: threads cannot share it, because of the `Rc`; once.

use std::rc::Rc;

use exo_rails::prelude::*;

struct Listed {
    names: Rc<Vec<String>>,
}

#[rail]
impl Listed {
    #[on(PreToolCall)]
    fn check(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(self.names.contains(&call.tool_name), "listed")
    }
}

rail_chain! {
    struct Rails { listed: Option<Listed> }
}

async fn act(rails: &Rails, ctx: &mut RunContext) -> Result<ToolOutput, RunError> {
    rails.guard_tool_call(ToolCallInputs::new("search"), ctx, async |_| Ok::<_, OperationError>("found")).await
}

fn main() {
    let rails = Rails { listed: Some(Listed { names: Rc::new(Vec::new()) }) };
    let _ = act(&rails, &mut RunContext::new("desk"));
}
