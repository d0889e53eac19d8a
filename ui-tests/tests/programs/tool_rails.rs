//! Rails for one tool: everything that `tool`, `tools` and `Args` have to allow.

#![deny(warnings, dead_code)]

use exo_rails::prelude::*;
use exo_rails::tools;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Deletes a file.
#[derive(Clone, Debug, Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file", schema = json!({ "type": "object" }))]
pub struct DeleteFile {
    path: String,
}

/// Finds files.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "search", schema = json!({ "type": "object" }))]
pub struct Search {
    query: String,
}

tools! {
    pub struct SupportTools { search: Search, delete_file: DeleteFile }
}

#[rail(on = [PreToolCall], tool = "delete_file")]
fn only_looks(args: &Args<DeleteFile>) {
    println!("{}", args.path);
}

#[rail(on = [PreToolCall], tool = "delete_file", tools = SupportTools)]
async fn changes(args: &mut Args<DeleteFile>, ctx: &mut RailContext, call: &ToolCallInputs) -> RailAction<ToolOutput> {
    if call.tool_name.len() > ctx.step() as usize + 99 {
        return RailAction::skip_with(ToolOutput::text("no"), "too long");
    }
    args.path.insert_str(0, "/tmp/");
    RailAction::Continue
}

#[rail(on = [PreToolCall, PostToolCall, ToolError], tool = "delete_file", tools = self::SupportTools)]
fn at_all_events(args: &exo_rails::Args<DeleteFile>, ctx: &RailContext) -> Option<RailAction> {
    (args.path.len() > ctx.step() as usize + 99).then(|| RailAction::abort("too long"))
}

#[rail(on = [PostToolCall], tool = "search", tools = SupportTools)]
fn output(output: &mut ToolOutput, args: &Args<Search>) -> Result<(), String> {
    output.content.push_str(&args.query);
    Ok(())
}

#[rail(on = [ToolError], tool = "search")]
fn failed(error: &OperationError) -> Result<RailAction<ToolOutput>, String> {
    Ok(RailAction::skip_with(ToolOutput::text(error.to_string()), "failed"))
}

/// Untyped, and the whole.
#[rail(on = [PreToolCall], tool = "search")]
async fn whole(inputs: Inputs<'_>) -> Verdict {
    Verdict::abort_if(inputs.point() == HookPoint::Start, "no")
}

/// No tool of a set, under a name with a dot.
#[rail(on = [PreToolCall], tool = "files.move")]
fn of_no_set(call: &mut ToolCallInputs) {
    call.tool_name.push('!');
}

/// A tool at one event, and all at another.
struct Mixed<S>(S);

#[rail(priority = 30, tools = SupportTools)]
impl<S: std::fmt::Debug + Send + Sync> Mixed<S> {
    #[on(PreToolCall, tool = "delete_file")]
    async fn delete(&self, args: &mut Args<DeleteFile>) -> Verdict {
        args.path.push_str(&format!("{:?}", self.0));
        Verdict::Continue
    }

    #[on(tool = "search", PostToolCall)]
    fn search(args: &Args<Search>) {
        println!("{}", args.query);
    }

    #[on(PreLlmCall)]
    fn models(&self) {}
}

/// The type of the arguments is a parameter of the rail.
struct Logged<A>(std::marker::PhantomData<fn() -> A>);

#[rail(priority = 40)]
impl<A: ToolArgs + std::fmt::Debug> Logged<A> {
    #[on(PreToolCall, tool = "delete_file")]
    fn log(&self, args: &Args<A>) {
        println!("{args:?}");
    }
}

/// The tool is that of the arguments, or a constant.
#[rail(on = [PreToolCall, PostToolCall], tools = SupportTools)]
fn of_the_arguments(args: &Args<DeleteFile>) {
    println!("{}", args.path);
}

#[rail(on = [PreToolCall], tool = DeleteFile::NAME, tools = SupportTools)]
fn of_a_constant(args: &mut Args<DeleteFile>) {
    args.path.push('/');
}

const MOVE: &str = "files.move";

#[rail(on = [PreToolCall], tool = self::MOVE)]
async fn of_a_path(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

struct Confirm<A>(std::marker::PhantomData<fn() -> A>);

impl<A> Confirm<A> {
    const OTHER: &str = "search";
}

#[rail(tools = SupportTools)]
impl<A: ToolArgs> Confirm<A> {
    #[on(PreToolCall)]
    fn before(&self, args: &Args<A>) {
        let _: &A = args;
    }

    #[on(PostToolCall, tool = A::NAME)]
    fn after(output: &mut ToolOutput) {
        output.content.push('!');
    }

    #[on(ToolError, tool = Self::OTHER)]
    fn failed(&self) {}
}

macro_rules! for_tool {
    ($rail:ident, $tool:literal, $args:ty, $set:path) => {
        #[rail(on = [PreToolCall], tool = $tool, tools = $set, name = $tool)]
        fn $rail(args: &Args<$args>) {
            let _: &$args = args;
        }
    };
}

for_tool!(from_a_macro, "search", Search, SupportTools);

mod own_names {
    use super::SupportTools as Tools;
    use super::{DeleteFile, Search};

    /// Of the user's own.
    pub(crate) struct Args;
    pub(crate) struct ToolEvent;
    pub(crate) struct Result;

    #[exo_rails::rail(on = [exo_rails::events::PreToolCall], tool = "delete_file", tools = Tools)]
    pub(crate) fn payload(caller: &mut exo_rails::Args<DeleteFile>, output: &exo_rails::RailContext) {
        let (_, _, _) = (Args, ToolEvent, Result);
        caller.path.push_str(&output.step().to_string());
    }

    use Search as Find;

    #[exo_rails::rail(on = [exo_rails::events::PreToolCall], tool = "search")]
    pub(crate) fn p0(p0: &exo_rails::Args<Find>) {
        println!("{}", p0.query);
    }
}

use own_names::{p0, payload};

rail_chain! {
    #[chain(priority = 50, tools = SupportTools)]
    struct Inner { only_looks, whole, logged: Logged<DeleteFile> }
}

rail_chain! {
    #[chain(tools = SupportTools)]
    struct Guards { changes, at_all_events, output, failed, from_a_macro, payload, p0, mixed: Mixed<u8>, inner: Inner, of_the_arguments, of_a_constant, confirm: Confirm<DeleteFile> }
}

#[test]
fn compiles_and_runs() {
    let inner = Inner { logged: Logged(std::marker::PhantomData) };
    let _ = Guards { mixed: Mixed(1), inner, confirm: Confirm(std::marker::PhantomData) };
    let _ = rail_chain![of_no_set, of_a_path];
    let _ = SupportTools {
        search: Search::tool(|args| async move { Ok::<_, OperationError>(args.query) }),
        delete_file: DeleteFile::tool(|args| async move { Ok::<_, OperationError>(args.path) }),
    };
}
