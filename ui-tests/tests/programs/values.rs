//! Values that rails provide: everything that `provides` and `needs` have to allow.

#![deny(warnings, dead_code)]

use exo_rails::prelude::*;

#[derive(Provided)]
struct Left(u32);

#[derive(Debug, Clone, PartialEq, Provided)]
enum Caller {
    Known { name: String },
    Unknown,
}

#[derive(Provided)]
struct Checked;

/// Only provides.
#[rail(priority = 10, on = [Start, PreLlmCall, PreToolCall, events::Error], provides = [Left])]
fn left(ctx: &RailContext) -> Left {
    Left(ctx.step())
}

/// Provides, or stops with a substitute, or faults.
#[rail(priority = 11, on = [PreToolCall], provides = [Caller])]
async fn identify(call: &mut ToolCallInputs, ctx: &mut RailContext) -> Result<Provide<Caller, ToolOutput>, String> {
    Ok(match call.str_argument("user") {
        Some("") => Provide::skip_with(ToolOutput::text("who?"), "no name"),
        Some("later") => Provide::retry(RetryRequest::new("again")),
        Some("nobody") => Provide::skip("nobody"),
        Some("fault") => return Err(format!("at {}", ctx.step())),
        Some(name) => Provide::value(Caller::Known { name: name.to_owned() }),
        None => Provide::value(Caller::Unknown),
    })
}

/// Several at once, under a path, and without a parameter.
#[rail(priority = 12, on = [PreLlmCall], provides = [Checked, self::Caller])]
fn both() -> Provide<(Checked, Caller)> {
    Provide::abort("no")
}

/// Needs and provides, in any order of the parameters.
#[rail(priority = 20, on = [PreToolCall], needs = [Left, Caller], provides = [Checked])]
async fn check(
    caller: &Caller,
    call: &ToolCallInputs,
    ctx: &mut RailContext,
    left: &self::Left,
) -> Result<Checked, std::io::Error> {
    println!("{caller:?} {} {} {}", call.tool_name, ctx.step(), left.0);
    Ok(Checked)
}

/// Takes the whole beside a value.
#[rail(priority = 30, on = [PreToolCall, Start], needs = [Left])]
fn look(left: &Left, inputs: Inputs<'_>) -> Verdict {
    Verdict::abort_if(left.0 > 99, inputs.point().to_string())
}

/// For one tool, with a value.
#[rail(priority = 31, on = [PreToolCall], tool = "search", needs = [Checked])]
fn search(_: &Checked, call: &mut ToolCallInputs) {
    call.tool_name.push('!');
}

trait Store: Send + Sync {
    fn left(&self) -> u32;
}

struct Memory;

impl Store for Memory {
    fn left(&self) -> u32 {
        3
    }
}

/// A generic rail, with other options at each event.
struct Limit<S> {
    store: S,
}

#[derive(Provided)]
struct Stored(u32);

#[rail(priority = 15)]
impl<S: Store> Limit<S> {
    #[on(PreToolCall, PreLlmCall, provides = [Stored])]
    async fn before(&self) -> Provide<Stored> {
        if self.store.left() > 9 { Provide::abort("enough") } else { Provide::value(Stored(self.store.left())) }
    }

    #[on(PostToolCall)]
    fn unneeded() {}

    #[on(Start, needs = [Left])]
    fn start(&self, left: &Left) {
        println!("{} of {}", left.0, self.store.left());
    }
}

#[rail(priority = 42, on = [PreToolCall], needs = [Stored])]
fn read_stored(stored: &Stored) {
    println!("{}", stored.0);
}

/// A value that is a parameter of the rail.
struct Show<T>(std::marker::PhantomData<fn() -> T>);

#[rail(priority = 60)]
impl<T: Provided + std::fmt::Debug> Show<T> {
    #[on(PreToolCall, needs = [T])]
    fn show(&self, value: &T) {
        println!("{value:?}");
    }
}

mod elsewhere {
    use exo_rails::prelude::*;

    /// Of the same name as another, and not the same.
    #[derive(Provided)]
    pub(crate) struct Left(pub(crate) u32);

    #[rail(priority = 13, on = [PreToolCall], provides = [Left])]
    pub(crate) fn other_left() -> Left {
        Left(5)
    }
}

use elsewhere::{Left as Remaining, other_left};

#[rail(priority = 40, on = [PreToolCall], needs = [Remaining])]
fn aliased(left: &Remaining) {
    println!("{}", left.0);
}

#[rail(priority = 41, on = [PreToolCall], needs = [Left, elsewhere::Left])]
fn two_of_one_name(other: &elsewhere::Left, left: &Left) {
    println!("{} {}", left.0, other.0);
}

macro_rules! provider {
    ($value:ident, $ty:ty, $rail:ident, $reader:ident, $priority:literal) => {
        #[derive(Provided)]
        struct $value($ty);

        #[rail(priority = $priority, on = [PreToolCall], provides = [$value])]
        fn $rail() -> $value {
            $value(Default::default())
        }

        #[rail(priority = $priority + 30, on = [PreToolCall], needs = [$value])]
        fn $reader(value: &$value) {
            println!("{}", value.0);
        }
    };
}

provider!(Number, u64, number, read_number, 14);
provider!(Text, String, text, read_text, 14);

rail_chain! {
    #[chain(priority = 5)]
    struct Inner { left, identify, other_left, number, text }
}

rail_chain! {
    struct Guards {
        read_text, read_number, two_of_one_name, aliased, read_stored, search, look, check, both,
        limit: Limit<Memory>,
        show: Show<Caller>,
        Inner,
    }
}

// At equal priorities the list decides.
#[rail(priority = 10, on = [Start], needs = [Left])]
fn equal(left: &Left) {
    println!("{}", left.0);
}

/// A provider that nobody needs, and one chain for each of two providers.
#[rail(priority = 1, on = [PreToolCall], provides = [Checked])]
fn nobody_asks() -> Checked {
    Checked
}

/// Names of the expansion and of the library, as the user's own.
mod names_that_shadow {
    pub(crate) struct Provided;
    pub(crate) struct Provide;
    pub(crate) struct Flow;
    pub(crate) struct Handled;
    pub(crate) type Result = ();
    pub(crate) struct Option;
    pub(crate) struct Into;

    #[derive(exo_rails::Provided)]
    pub(crate) struct Value(pub(crate) (Provided, Provide, Flow, Handled, Option, Into));

    #[exo_rails::rail(priority = 1, on = [exo_rails::events::Start], provides = [Value])]
    pub(crate) fn output(value0: &exo_rails::InvokeInputs) -> Value {
        let _: Result = drop(value0.input.text());
        Value((Provided, Provide, Flow, Handled, Option, Into))
    }

    #[exo_rails::rail(priority = 2, on = [exo_rails::events::Start], needs = [Value])]
    pub(crate) fn caller(p0: &Value, payload: &mut exo_rails::InvokeInputs, ctx: &mut exo_rails::RailContext) {
        let (_, _, _, _, _, _) = &p0.0;
        println!("{} {}", payload.input.text(), ctx.step());
    }
}

use names_that_shadow::{caller, output};

#[test]
fn compiles_and_runs() {
    let _ = Guards { limit: Limit { store: Memory }, show: Show(std::marker::PhantomData) };
    let _ = rail_chain![left, equal];
    let _ = rail_chain![nobody_asks];
    let _ = rail_chain![caller, output];
    assert_eq!(Caller::Unknown, Caller::Unknown.clone());
}
