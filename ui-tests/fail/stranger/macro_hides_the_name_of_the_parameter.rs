//! A `macro_rules!` writes rails whose parameter is `call`, and the condition that the user passes cannot see this name. An ideal
//! message says that `call` in the condition is not the parameter of the macro, and that the macro must take the name: `|call| …`.

use exo_rails::prelude::*;

/// Writes a rail that refuses a tool call under a condition.
macro_rules! refuse {
    ($name:ident if $condition:expr => $reason:literal) => {
        #[rail(priority = 10, on = [PreToolCall])]
        fn $name(call: &ToolCallInputs) -> RailAction {
            if $condition { RailAction::skip($reason) } else { RailAction::Continue }
        }
    };
}

refuse!(nobody_is_called_at_night if call.tool_name == "phone" => "people are asleep");
refuse!(no_long_letters if call.arguments.to_string().len() > 5_000 => "the letter is too long");

rail_chain! {
    struct OfficeRails { nobody_is_called_at_night, no_long_letters }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let write = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>("written");
    let output = OfficeRails.guard_tool_call(ToolCallInputs::new("letter"), &mut RunContext::new("office"), write).await?;
    assert_eq!(output.content, "written");
    Ok(())
}
