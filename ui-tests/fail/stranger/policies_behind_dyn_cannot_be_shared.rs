//! A rail keeps its policies as `Vec<Box<dyn Policy>>`, and the trait `Policy` does not require `Send` and `Sync`. An ideal message
//! points at the field of the chain, says that threads share rails, and proposes `trait Policy: Send + Sync`.

use exo_rails::prelude::*;

trait Policy {
    fn objection(&self, call: &ToolCallInputs) -> Option<String>;
}

struct NoLooping;

impl Policy for NoLooping {
    fn objection(&self, call: &ToolCallInputs) -> Option<String> {
        (call.tool_name == "repeat").then(|| "a tune is played once".to_owned())
    }
}

struct Policies {
    all: Vec<Box<dyn Policy>>,
}

#[rail(priority = 10)]
impl Policies {
    #[on(PreToolCall)]
    fn ask_each(&self, call: &ToolCallInputs) -> RailAction {
        match self.all.iter().find_map(|policy| policy.objection(call)) {
            Some(objection) => RailAction::skip(objection),
            None => RailAction::Continue,
        }
    }
}

rail_chain! {
    struct RadioRails { policies: Policies }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let rails = RadioRails { policies: Policies { all: vec![Box::new(NoLooping)] } };
    let play = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>("playing");
    rails.guard_tool_call(ToolCallInputs::new("play"), &mut RunContext::new("radio"), play).await?;
    Ok(())
}
