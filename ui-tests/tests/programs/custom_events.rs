//! Custom events, in all forms, and whatever rails and chains do with them.

#![deny(warnings, unreachable_pub, missing_debug_implementations)]

use std::marker::PhantomData;

use exo_rails::prelude::*;
use exo_rails::{CustomInputs, NoRetry, chain_requirements};

/// Nothing is carried.
#[derive(Debug, Event)]
pub struct Tick;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memories(pub Vec<String>);

/// One part.
#[derive(Debug, Event)]
#[event(payload = &mut Memories, allows = "skip", substitute = Memories)]
pub struct MemoriesRecalled;

/// Several of a kind, each a type of its own.
#[derive(Debug, Default)]
pub struct Part<const N: u8>(pub u8);

/// As many parts as there can be, in a private event of a public chain.
#[derive(Event)]
#[event(
    payload = (&Part<1>, &mut Part<2>, &Part<3>, &mut Part<4>, &Part<5>, &mut Part<6>, &mut Box<dyn Kept>),
    allows = "retry",
    name = "steps.all",
    after = true
)]
struct Stepped;

pub trait Kept: std::fmt::Debug + Send + Sync {}

impl Kept for u8 {}

/// In a module, with a name that needs a `r#`, and named through another path of the library.
pub mod steps {
    pub use exo_rails as rails;

    #[derive(Debug, rails::Event)]
    #[event(payload = (&String), allows = "abort", crate = crate::custom_events::steps::rails)]
    #[allow(non_camel_case_types)]
    pub struct r#try;
}

#[rail(priority = 10, on = [Tick, steps::r#try, PreToolCall])]
pub fn count(inputs: Inputs<'_>, ctx: &mut RailContext) {
    ctx.run.update(|counted: &mut Vec<&'static str>| counted.push(inputs.point().name()));
}

#[rail(priority = 20, on = [MemoriesRecalled])]
pub fn remember(memories: &Memories) -> RailAction<Memories, NoRetry> {
    match memories.0.first().map(String::as_str) {
        Some("nothing") => RailAction::skip("there is nothing"),
        Some("secret") => RailAction::skip_with(Memories::default(), "it is secret"),
        _ => RailAction::Continue,
    }
}

#[rail(priority = 30, on = [Stepped])]
async fn all_parts(
    one: &Part<1>,
    two: &mut Part<2>,
    three: &Part<3>,
    four: &Part<4>,
    five: &Part<5>,
    six: &mut Part<6>,
    kept: &mut Box<dyn Kept>,
    ctx: &RailContext,
) -> RailAction {
    two.0 = one.0 + three.0;
    six.0 = four.0 + five.0;
    *kept = Box::new(ctx.attempt() as u8);
    RailAction::Continue
}

#[rail(priority = 40, on = [Stepped])]
fn again(six: &Part<6>, kept: &Box<dyn Kept>) -> Verdict {
    Verdict::abort_if(six.0 != 9 || format!("{kept:?}") != "0", "the parts are lost")
}

/// A generic rail on custom events.
#[derive(Debug)]
pub struct Limit<S>(pub PhantomData<S>);

#[rail(priority = 5)]
impl<S: Send + Sync + 'static> Limit<S> {
    #[on(steps::r#try, on_fault = "abort", timeout = "2s")]
    async fn tried(&self, text: &String) -> Result<Verdict, String> {
        Ok(Verdict::abort_if(text.is_empty(), "nothing to try"))
    }

    #[on(MemoriesRecalled, Tick)]
    fn others(&self) {}
}

#[derive(Provided, Debug)]
pub struct Left(usize);

#[rail(priority = 6, on = [MemoriesRecalled], provides = [Left])]
pub fn measure(memories: &Memories) -> Left {
    Left(10_usize.saturating_sub(memories.0.len()))
}

#[rail(priority = 7, on = [MemoriesRecalled], needs = [Left])]
fn fill(left: &Left, memories: &mut Memories) {
    memories.0.extend((0..left.0).map(|i| i.to_string()));
}

#[rail(priority = 90, on = [MemoriesRecalled, Stepped, Tick], always, on_panic = "fault")]
pub async fn audit(inputs: &Inputs<'_>, ctx: &RailContext) -> Result<(), String> {
    let Inputs::Custom(own) = inputs else { return Err("not one of ours".into()) };
    let _: &CustomInputs<'_> = own;
    let how = if ctx.stopped().is_some() { "stopped" } else { "done" };
    ctx.run.update(|seen: &mut Vec<String>| seen.push(format!("{} {how}", own.point().name())));
    Ok(())
}

/// Rails that borrow.
struct Label<'a>(&'a str);

#[rail(priority = 95)]
impl Label<'_> {
    #[on(Stepped)]
    fn label(&self, ctx: &RailContext) -> Verdict {
        Verdict::abort_if(self.0.is_empty() && ctx.step() > 9, "without a label")
    }
}

rail_chain! {
    #[chain(events = [Stepped])]
    struct Labelled { label: Label<'static> }
}

rail_chain! {
    /// A public chain, of private rails and events too.
    #[derive(Debug)]
    #[chain(priority = 10, onion, events = [Stepped, MemoriesRecalled, steps::r#try, Tick])]
    pub struct Inner { all_parts, again, fill, measure, remember, limit: Limit<u8>, }
}

chain_requirements! {
    pub struct Company { require(audit on MemoriesRecalled), last(audit on Tick), before(count, audit) }
}

rail_chain! {
    #[chain(
        events = [Tick, self::MemoriesRecalled, Stepped, crate::custom_events::steps::r#try],
        requirements = Company,
        first(count on PreToolCall),
    )]
    struct Outer { audit, inner: Inner, count }
}

#[tokio::test]
async fn compiles_and_runs() -> Result<(), Box<dyn std::error::Error>> {
    let rails = Outer { inner: Inner { limit: Limit(PhantomData) } };
    let mut ctx = RunContext::new("own");
    assert!(rails.dispatch::<Tick>((), &mut ctx).await?.is_continue());
    assert!(rails.dispatch::<steps::r#try>(&"once".to_owned(), &mut ctx).await?.is_continue());
    assert!(!rails.dispatch::<steps::r#try>(&String::new(), &mut ctx).await?.is_continue());

    let mut found = Memories(vec!["tea".to_owned()]);
    assert!(rails.dispatch::<MemoriesRecalled>(&mut found, &mut ctx).await?.is_continue());
    assert_eq!(found.0.len(), 10);
    let decision = rails.dispatch::<MemoriesRecalled>(&mut Memories(vec!["secret".to_owned()]), &mut ctx).await?;
    assert!(
        matches!(decision, Decision::Skip(exo_rails::RailSkip { substitute: Some(Memories(none)), .. }) if none.is_empty())
    );

    let (mut two, mut four, mut six) = (Part(0), Part(4), Part(0));
    let mut kept: Box<dyn Kept> = Box::new(7_u8);
    let payload = (&Part(1), &mut two, &Part(3), &mut four, &Part(5), &mut six, &mut kept);
    let decision = rails.dispatch::<Stepped>(payload, &mut ctx).await?;
    assert!(matches!(decision, Decision::Abort(abort) if abort.rail_name == "again"), "an onion begins with it");

    assert_eq!(ctx.run.get::<Vec<&str>>().unwrap_or_default(), ["tick", "try"]);
    let seen = ctx.run.get::<Vec<String>>().unwrap_or_default();
    let expected =
        ["tick done", "memories_recalled done", "memories_recalled stopped", "steps.all stopped"].map(str::to_owned);
    assert_eq!(seen, expected);

    #[derive(Event)]
    struct Local;

    #[rail(on = [Local])]
    fn local(ctx: &RailContext) {
        assert_eq!(ctx.event().name(), "local");
    }

    let one = rail_chain![
        #[chain(events = [Local])]
        local
    ];
    assert!(one.dispatch::<Local>((), &mut ctx).await?.is_continue());
    let labelled = Labelled { label: Label("own") };
    let (mut two, mut four, mut six) = (Part(0), Part(4), Part(0));
    let payload = (&Part(1), &mut two, &Part(3), &mut four, &Part(5), &mut six, &mut kept);
    assert!(labelled.dispatch::<Stepped>(payload, &mut ctx).await?.is_continue());
    let one = rail_chain![
        #[chain(events = [Tick, steps::r#try])]
        count
    ];
    assert!(one.dispatch::<Tick>((), &mut ctx).await?.is_continue());
    Ok(())
}
