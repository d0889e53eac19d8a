//! The rail that redacts or refuses, and others that decide at random.

use std::error::Error;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use exo_rails::prelude::*;
use exo_rails::{MemoryEntry, NoRetry, NoSubstitute, RecalledMemory};

use crate::plan::{Plan, Refusal};
use crate::world::{Document, Login, Note, Noted, PostStoreDocument, PreStoreDocument, Receipt, StoreDocumentError};

/// What panics on purpose.
pub(crate) const ON_PURPOSE: &str = "canary";

/// Why a rail could not decide.
type NoPolicy = &'static str;

type Decided<S, R = RetryRequest> = Result<RailAction<S, R>, NoPolicy>;

async fn fault<T>(how: Refusal) -> Result<T, NoPolicy> {
    match how {
        Refusal::Panic => panic!("{ON_PURPOSE}: a rail panics"),
        Refusal::TakesTooLong => pending().await,
        _ => Err("there is no policy"),
    }
}

async fn refuse<S, R>(how: Refusal) -> Decided<S, R> {
    match how {
        Refusal::Skip => Ok(RailAction::skip("it has a secret")),
        Refusal::Abort => Ok(RailAction::abort("it has a secret")),
        Refusal::Answer => Ok(RailAction::abort_with("I cannot say that.", "it has a secret")),
        _ => fault(how).await,
    }
}

async fn refuse_or_retry<S>(how: Refusal) -> Decided<S> {
    match how {
        Refusal::Retry => Ok(RailAction::retry(RetryRequest::new("it has a secret").with_max_retries(1))),
        _ => refuse(how).await,
    }
}

/// The rail of the documentation: it redacts every secret, at each event that carries what somebody else says. Here it may
/// refuse instead.
#[derive(Clone)]
pub(crate) struct Redact(pub(crate) Arc<Plan>);

/// Redacts the texts of a payload; in a plan that refuses at the event, says how when one has a secret.
macro_rules! redacted {
    ($self:ident, $ctx:ident, $payload:ident) => {{
        let plan = &$self.0;
        let mut refused = None;
        if let Some(refusal) = plan.refusal($ctx.event()) {
            $payload.for_each_text(|text| {
                if plan.secrets.are_in(text) {
                    refused = Some(refusal);
                }
            });
        } else if !plan.is_off {
            $payload.for_each_text(|text| plan.secrets.hide(text));
        }
        refused.filter(|_| !plan.is_off)
    }};
}

#[rail(priority = 10)]
impl Redact {
    #[on(Start, timeout = "20ms", on_panic = "fault")]
    async fn input(&self, run: &mut InvokeInputs, ctx: &RailContext) -> Decided<InvokeOutput> {
        match redacted!(self, ctx, run) {
            None => Ok(RailAction::Continue),
            Some(how) => refuse_or_retry(how).await,
        }
    }

    #[on(MemoryRecalled, timeout = "20ms", on_panic = "fault")]
    async fn recalled(&self, memory: &mut RecalledMemory, ctx: &RailContext) -> Decided<RecalledMemory, NoRetry> {
        match redacted!(self, ctx, memory) {
            None => Ok(RailAction::Continue),
            Some(how) => refuse(how).await,
        }
    }

    #[on(LlmChunk, timeout = "20ms", on_panic = "fault")]
    async fn piece(&self, window: &mut StreamWindow, ctx: &RailContext) -> Result<RailAction, NoPolicy> {
        let secrets = self.0.secrets.all();
        match self.0.refusal(ctx.event()).filter(|_| !self.0.is_off) {
            _ if self.0.is_off => Ok(RailAction::Continue),
            None => {
                window.replace(&secrets, "[hidden]");
                Ok(RailAction::Continue)
            }
            Some(how) if window.find(&secrets).is_some() => refuse_or_retry(how).await,
            Some(_) => Ok(RailAction::Continue),
        }
    }

    #[on(PostLlmCall, timeout = "20ms", on_panic = "fault")]
    async fn answer(&self, response: &mut ModelResponse, ctx: &RailContext) -> Result<RailAction, NoPolicy> {
        match redacted!(self, ctx, response) {
            None => Ok(RailAction::Continue),
            Some(how) => refuse_or_retry(how).await,
        }
    }

    #[on(LlmError, timeout = "20ms", on_panic = "fault")]
    async fn model_error(&self, error: &OperationError, ctx: &RailContext) -> Decided<ModelResponse> {
        if self.0.is_off || !self.has_secret(error) {
            return Ok(RailAction::Continue);
        }
        match self.0.refusal(ctx.event()) {
            None => Ok(RailAction::skip_with(ModelResponse::text("I have no answer."), "the error has a secret")),
            Some(how) => refuse_or_retry(how).await,
        }
    }

    #[on(PreToolCall, timeout = "20ms", on_panic = "fault")]
    async fn call(&self, call: &mut ToolCallInputs, ctx: &RailContext) -> Decided<ToolOutput> {
        match redacted!(self, ctx, call) {
            None => Ok(RailAction::Continue),
            Some(how) => refuse_or_retry(how).await,
        }
    }

    #[on(ToolError, timeout = "20ms", on_panic = "fault")]
    async fn tool_error(&self, error: &OperationError, ctx: &RailContext) -> Decided<ToolOutput> {
        if self.0.is_off || !self.0.replaces_tool_errors || !self.has_secret(error) {
            return Ok(RailAction::Continue);
        }
        match self.0.refusal(ctx.event()) {
            None => Ok(RailAction::skip_with(ToolOutput::error("The tool has failed."), "the error has a secret")),
            Some(how) => refuse_or_retry(how).await,
        }
    }

    #[on(PostToolCall, timeout = "20ms", on_panic = "fault")]
    async fn output(&self, output: &mut ToolOutput, ctx: &RailContext) -> Result<RailAction, NoPolicy> {
        match redacted!(self, ctx, output) {
            None => Ok(RailAction::Continue),
            Some(how) => refuse_or_retry(how).await,
        }
    }

    #[on(MemoryStored, timeout = "20ms", on_panic = "fault")]
    async fn stored(
        &self,
        entry: &mut MemoryEntry,
        ctx: &RailContext,
    ) -> Result<RailAction<NoSubstitute, NoRetry>, NoPolicy> {
        match redacted!(self, ctx, entry) {
            None => Ok(RailAction::Continue),
            Some(how) => refuse(how).await,
        }
    }

    #[on(PreStoreDocument, timeout = "20ms", on_panic = "fault")]
    async fn document(&self, document: &mut Document, ctx: &RailContext) -> Decided<Receipt> {
        match redacted!(self, ctx, document) {
            None => Ok(RailAction::Continue),
            Some(Refusal::Skip) => Ok(RailAction::skip_with(Receipt, "it has a secret")),
            Some(how) => refuse_or_retry(how).await,
        }
    }

    #[on(Noted, timeout = "20ms", on_panic = "fault")]
    async fn note(&self, note: &mut Note, ctx: &RailContext) -> Result<RailAction, NoPolicy> {
        match redacted!(self, ctx, note) {
            None => Ok(RailAction::Continue),
            Some(how) => refuse_or_retry(how).await,
        }
    }
}

impl Redact {
    fn has_secret(&self, error: &OperationError) -> bool {
        let mut error: Option<&dyn Error> = Some(error);
        while let Some(one) = error {
            if self.0.secrets.are_in(&format!("{one} {one:?}")) {
                return true;
            }
            error = one.source();
        }
        false
    }
}

/// Reads the arguments of a tool before they are redacted. Where they do not fit, that is logged.
#[rail(priority = 5, on = [PreToolCall, PostToolCall])]
fn looks_at_logins(args: &Args<Login>) {
    assert!(!args.user.is_empty());
}

/// The same, in a rail whose fault ends the run.
#[rail(priority = 6, on = [PreToolCall])]
fn decides_on_logins(args: &Args<Login>, ctx: &RailContext) -> Verdict {
    Verdict::abort_if(args.pin == 0 && ctx.attempt() > 5, "there is no pin")
}

/// Decides at random, after the first rail.
#[derive(Clone)]
pub(crate) struct Others {
    plan: Arc<Plan>,
    asked: Arc<AtomicU64>,
}

impl Others {
    pub(crate) fn of(plan: &Arc<Plan>) -> Self {
        Self { plan: Arc::clone(plan), asked: Arc::default() }
    }

    /// What this rail does, when it stops the event.
    fn stop(&self) -> Option<u32> {
        let mut random = self.plan.random(1000 + self.asked.fetch_add(1, Ordering::Relaxed));
        random.permille(self.plan.stops).then(|| random.below(8))
    }

    async fn decide<S>(&self, ctx: &RailContext) -> Decided<S> {
        if ctx.event() == HookPoint::ToolError && !self.plan.replaces_tool_errors {
            return Ok(RailAction::Continue);
        }
        let question = ctx.question("may this go on?");
        let has_answer = matches!(ctx.answer_to::<bool>(&question), Ok(Some(_)));
        match self.stop() {
            None => Ok(RailAction::Continue),
            Some(0) => Ok(RailAction::skip("it is enough")),
            Some(1) => Ok(RailAction::retry(RetryRequest::new("once more").with_max_retries(1))),
            Some(2 | 3) => refuse(Refusal::Abort).await,
            Some(4) => fault(Refusal::Fault).await,
            Some(5) => fault(Refusal::Panic).await,
            Some(6) => fault(Refusal::TakesTooLong).await,
            Some(_) if has_answer => Ok(RailAction::Continue),
            Some(_) => Ok(RailAction::suspend(question)),
        }
    }
}

#[rail(priority = 50)]
impl Others {
    #[on(
        Start,
        PreLlmCall,
        LlmChunk,
        PostLlmCall,
        LlmError,
        PreToolCall,
        PostToolCall,
        ToolError,
        Finished,
        PreStoreDocument,
        PostStoreDocument,
        StoreDocumentError,
        Noted,
        timeout = "20ms",
        on_panic = "fault"
    )]
    async fn any(&self, ctx: &RailContext) -> Result<RailAction, NoPolicy> {
        self.decide(ctx).await
    }
}

rail_chain! {
    /// The rails of the canary.
    #[chain(events = [Noted], operations = [crate::world::StoreDocument])]
    pub(crate) struct Canary { looks_at_logins, decides_on_logins: Option<decides_on_logins>, redact: Redact, others: Others }
}

rail_chain! {
    /// The same with spans of its rails.
    #[chain(trace, events = [Noted], operations = [crate::world::StoreDocument])]
    pub(crate) struct Traced { looks_at_logins, decides_on_logins: Option<decides_on_logins>, redact: Redact, others: Others }
}

rail_chain! {
    /// The same as a part of another chain.
    #[chain(events = [Noted], operations = [crate::world::StoreDocument])]
    pub(crate) struct Around { inside: Canary }
}

impl Traced {
    pub(crate) fn of(plan: &Arc<Plan>) -> Self {
        let Canary { decides_on_logins, redact, others } = Canary::of(plan);
        Self { decides_on_logins, redact, others }
    }
}

impl Around {
    pub(crate) fn of(plan: &Arc<Plan>) -> Self {
        Self { inside: Canary::of(plan) }
    }
}

impl Canary {
    pub(crate) fn of(plan: &Arc<Plan>) -> Self {
        let decides_on_logins = plan.random(2).permille(300).then_some(decides_on_logins {});
        Self { decides_on_logins, redact: Redact(Arc::clone(plan)), others: Others::of(plan) }
    }
}
