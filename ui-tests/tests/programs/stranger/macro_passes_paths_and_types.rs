//! What it shows: a `macro_rules!` macro that passes `path` and `ty` fragments of its caller into `rail_chain!`.

mod rails {
    use exo_rails::prelude::*;

    #[rail(priority = 10, on = [PreToolCall, PostToolCall])]
    pub fn outer(ctx: &RailContext) {
        ctx.run.update(|order: &mut String| order.push_str("outer "));
    }

    pub mod inside {
        use exo_rails::prelude::*;

        #[rail(priority = 20, on = [PreToolCall, PostToolCall])]
        pub fn inner(ctx: &RailContext) {
            ctx.run.update(|order: &mut String| order.push_str("inner "));
        }
    }

    pub struct Stamp<T>(pub T);

    #[rail(priority = 30)]
    impl<T: std::fmt::Display + Send + Sync> Stamp<T> {
        #[on(PostToolCall)]
        fn stamp(&self, output: &mut ToolOutput) {
            output.content = format!("{} {}", output.content, self.0);
        }
    }
}

use exo_rails::prelude::*;

macro_rules! onion_of {
    ($($rail:path),+ $(,)?) => {
        rail_chain![#[chain(onion)] $($rail),+]
    };
}

macro_rules! stamped {
    ($chain:ident { $($field:ident: $type:ty),+ $(,)? } and $($rail:path),+) => {
        rail_chain! {
            #[chain(onion)]
            struct $chain { $($field: $type,)+ $($rail),+ }
        }
    };
}

stamped!(PostRails { number: rails::Stamp<u32>, office: rails::Stamp<&'static str> } and rails::outer);

async fn order(guards: impl GuardSet) -> Result<(String, String), RunError> {
    let mut ctx = RunContext::new("post");
    let tool = |_| async { Ok::<_, OperationError>("letter") };
    let output = guards.guard_tool_call(ToolCallInputs::new("send"), &mut ctx, tool).await?;
    Ok((ctx.run.get::<String>().unwrap_or_default(), output.content))
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let (calls, _) = order(onion_of![rails::inside::inner, rails::outer]).await?;
    assert_eq!(calls, "outer inner inner outer ");
    let post = PostRails { number: rails::Stamp(7), office: rails::Stamp("Bonn") };
    let (calls, letter) = order(post).await?;
    assert_eq!((calls.as_str(), letter.as_str()), ("outer outer ", "letter Bonn 7"));
    Ok(())
}
