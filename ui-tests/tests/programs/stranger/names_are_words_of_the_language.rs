//! What it shows: raw identifiers as the names of a rail, a method, a parameter, a field, a module, and a field of a chain.

mod r#move {
    use exo_rails::prelude::*;

    #[rail(priority = 30, on = [PreToolCall])]
    pub async fn r#yield(r#in: &ToolCallInputs) -> Verdict {
        tokio::task::yield_now().await;
        Verdict::abort_if(r#in.tool_name == "fall_asleep", "nobody sleeps here")
    }
}

use exo_rails::prelude::*;
use exo_rails::testing;

#[rail(priority = 10, on = [PreToolCall])]
fn r#match(call: &mut ToolCallInputs) {
    call.tool_name = call.tool_name.to_lowercase();
}

struct Loop {
    r#type: &'static str,
}

#[rail(priority = 20)]
impl Loop {
    #[on(PreToolCall)]
    fn r#break(&self, r#ref: &ToolCallInputs) -> RailAction {
        if r#ref.tool_name == self.r#type { RailAction::skip("the loop ends") } else { RailAction::Continue }
    }
}

rail_chain! {
    #[chain(before(r#match, r#loop))]
    struct Keywords { r#move::r#yield, r#loop: Loop, r#match }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() {
    let rails = Keywords { r#loop: Loop { r#type: "repeat" } };
    testing::at::<PreToolCall>(&rails, ToolCallInputs::new("REPEAT")).await.assert_skipped("the loop ends");
    testing::at::<PreToolCall>(&rails, ToolCallInputs::new("fall_asleep")).await.assert_aborted("nobody sleeps");
    testing::at::<PreToolCall>(&rails, ToolCallInputs::new("work")).await.assert_continued();
}
