//! The macros, with their documentation.

/// Makes a rail of a function, or of a type with an `impl` block.
///
/// # On a function
///
/// ```
/// use exo_rails::prelude::*;
///
/// /// Refuses tools that destroy data.
/// #[rail(priority = 10, on = [PreToolCall])]
/// async fn block_dangerous(call: &ToolCallInputs) -> RailAction {
///     match call.tool_name.as_str() {
///         "delete_file" | "drop_table" => RailAction::abort("destructive tools are off limits"),
///         _ => RailAction::Continue,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// // The function stays as it is: a unit test calls it.
/// assert_eq!(block_dangerous(&ToolCallInputs::new("search")).await, RailAction::Continue);
/// // Beside it stands a type of the same name, with what a chain has to know.
/// assert_eq!(block_dangerous::PRIORITY, 10);
/// # }
/// ```
///
/// The function is `async`, or plain: then there is nothing to wait for. It has no type parameters, because a
/// chain could not name them. Since the type has its name, the module must have no other type or module that is
/// called so.
///
/// # On an `impl` block
///
/// A rail with configuration or state is a type of yours; the attribute stands on an `impl` block of it, and
/// `#[on(…)]` on the methods that guard events. Other methods are left alone. The block may be generic; a chain
/// names the type with concrete parameters.
///
/// ```
/// use exo_rails::prelude::*;
///
/// pub trait Counter: Send + Sync { fn calls(&self) -> u32; }
///
/// pub struct RateLimit<C> { counter: C, limit: u32 }
///
/// #[rail(priority = 20, name = "rate_limit")]
/// impl<C: Counter> RateLimit<C> {
///     #[on(PreLlmCall, PreToolCall)]
///     fn limit(&self) -> Verdict {
///         Verdict::abort_if(self.counter.calls() > self.limit, "too many calls")
///     }
/// }
/// ```
///
/// # Arguments
///
/// | argument | meaning | without it |
/// |---|---|---|
/// | `on = [Event, …]` | the events that a function guards | required; on an `impl` block `#[on(…)]` says it |
/// | `priority = EXPR` | lower numbers run first: any constant `i32` expression | 50 |
/// | `after = [rail, …]`, `before = [rail, …]` | it runs after or before each of these, in the innermost chain that has both: checked against the priorities | |
/// | `name = "…"` | what it is called in decisions, plans and logs | the name of the function or type |
/// | `tools = Set` | the [set](crate::ToolSet) that each `tool` has to be in | tools are not checked |
/// | `crate = path` | where this library is, for a crate that re-exports it | `::exo_rails`, or its other name in `Cargo.toml` |
///
/// Security rails usually have priorities from 10 to 20, logging from 80 to 90.
///
/// # Options
///
/// They stand beside the arguments of a function; those of a method stand in its attribute, behind the events:
/// `#[on(PreToolCall, tool = "delete_file")]`.
///
/// | option | meaning |
/// |---|---|
/// | `tool = "delete_file"` | it is called for this tool only, on `PreToolCall`, `PostToolCall` and `ToolError`, and may take the arguments as their type; or a constant, `tool = DeleteFile::NAME`. A rail that takes `Args<DeleteFile>` is for that tool without it |
/// | `provides = [T, …]` | it provides these values to later rails of the event: see [`Provided`](trait@crate::Provided) |
/// | `needs = [T, …]` | it takes `&T`, which an earlier rail of the event provides |
/// | `window = 64` | on `LlmChunk`: how many characters of a streamed answer it has to see together, or `"all"`, or a `usize` like `self.longest`: see [`StreamWindow`](crate::StreamWindow) |
/// | `concurrent` | it can run [beside others](macro@rail_chain#concurrent-rails): it takes what the event carries, and the context, by `&` |
/// | `always` | it is called also when an earlier rail of the event has stopped it; it can only observe |
/// | `around` | it surrounds the operation that its event begins: see [below](#rails-around-an-operation) |
/// | `timeout = "2s"` | how long it may take, in `ms`, `s` or `m`, or a `Duration` like `self.limit`; longer is a [fault](crate::RailFault), and the rail is dropped where it waits |
/// | `on_panic = "fault"` | a panic of it is a fault; without it, a panic unwinds through the operation, which does not happen |
/// | `on_fault = "abort"` | what its faults do, or `"skip"`, or `"continue"`: see [`OnFault`](crate::OnFault) |
///
/// The values of `timeout` and `window` may be expressions. Those of a method may depend on the rail (`self.limit`): they are
/// asked at each call and for each answer. A function has constants:
///
/// ```
/// use std::time::Duration;
///
/// use exo_rails::prelude::*;
///
/// struct PolicyServer { limit: Duration }
///
/// #[rail(priority = 20)]
/// impl PolicyServer {
///     #[on(PreToolCall, timeout = self.limit)]
///     async fn ask(&self, call: &ToolCallInputs) -> Verdict {
///         // Here it waits for the server.
/// #       tokio::time::sleep(Duration::from_secs(60)).await;
///         Verdict::abort_if(call.tool_name == "shell", "the policy forbids it")
///     }
/// }
///
/// rail_chain! { struct Guards { policy: PolicyServer } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let rails = Guards { policy: PolicyServer { limit: Duration::from_millis(1) } };
/// let fault = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), &mut RunContext::new("demo")).await;
/// assert!(fault.unwrap_err().to_string().contains("1ms"));
/// # }
/// ```
///
/// `tool` excludes `provides`, because such a rail is not called for the other tools. `always` excludes `provides`,
/// `needs` and the typed arguments of a tool, because after a stopped event these may be missing: ask
/// [`ctx.provided`](crate::RailContext::provided) and [`Args::of`](crate::Args::of). A method with options has one `#[on(…)]`.
///
/// ## Rails for one tool
///
/// ```
/// use exo_rails::prelude::*;
/// use serde::{Deserialize, Serialize};
/// use serde_json::json;
///
/// #[derive(Serialize, Deserialize, ToolArgs)]
/// #[tool(name = "delete_file", schema = json!({ "type": "object" }))]
/// struct DeleteFile { path: String }
///
/// /// What it changes reaches the tool; arguments that it does not know stay as they are.
/// #[rail(priority = 20, on = [PreToolCall], tool = "delete_file")]
/// async fn only_tmp(args: &mut Args<DeleteFile>) -> RailAction {
///     if args.path.contains("..") { return RailAction::skip("a path that leaves the folder") }
///     args.path.insert_str(0, "/tmp/");
///     RailAction::Continue
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let mut call = ToolCallInputs::new("delete_file").with_arguments(json!({ "path": "a.txt", "trace": 7 }));
/// let decision = rail_chain![only_tmp].dispatch::<PreToolCall>(&mut call, &mut RunContext::new("demo")).await?;
/// assert!(decision.is_continue());
/// assert_eq!(call.arguments, json!({ "path": "/tmp/a.txt", "trace": 7 }));
/// # Ok(()) }
/// ```
///
/// It is `&mut Args<T>` before the call and `&Args<T>` everywhere. Arguments that do not fit the type are a
/// [fault](crate::RailFault): a rail that can decide fails closed, and its message has the place inside the JSON. The parts of
/// the event can be taken beside them. The tool is the one that the call names when the rail's turn comes: what renames
/// calls runs before.
///
/// What a rail changes is written where the model has written it, under the same name, also when that is an `alias`. Arguments
/// that the type does not know stay, in nested objects and in the items of lists too. An item that a rail adds, or changes and
/// moves, is written as the type writes it. What the type would read after the change, and did not before, does not stay. The
/// change is a fault when `Serialize` and `Deserialize` of the type do not agree.
///
/// ## Rails that are always called
///
/// A rail that records what happens is to record what was refused, too. With `always` it is called in its turn, and
/// also when an earlier rail of the event has skipped, retried, aborted or faulted; [`RailContext::stopped`](crate::RailContext::stopped) then says
/// how. It can only observe: it returns `()`, or a `Result` whose error is reported, and takes what the event carries
/// by `&`; all of it as `&Inputs<'_>`.
///
/// ## Rails around an operation
///
/// A time-out, a limit of calls at once, a cache or a single flight has to hold the operation itself. With `around`, a
/// rail runs it: [`Next::run`](crate::Next::run) takes the operation by value, so it happens at most once in each attempt.
///
/// ```
/// use std::time::Duration;
///
/// use exo_rails::Next;
/// use exo_rails::operations::ToolCall;
/// use exo_rails::prelude::*;
/// use tokio::sync::Semaphore;
///
/// /// Ends a call that takes too long.
/// #[rail(priority = 20, on = [PreToolCall], around)]
/// async fn time_out(call: &ToolCallInputs, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
///     match tokio::time::timeout(Duration::from_secs(30), next.run()).await {
///         Ok(result) => result,
///         Err(_) => Err(OperationError::new(OperationErrorKind::Timeout, format!("`{}` takes too long", call.tool_name))),
///     }
/// }
///
/// /// Lets so many tools run at once.
/// struct Concurrency(Semaphore);
///
/// #[rail(priority = 10)]
/// impl Concurrency {
///     #[on(PreToolCall, around)]
///     async fn limit(&self, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
///         let _permit = self.0.acquire().await.map_err(|error| OperationError::from(error.to_string()))?;
///         next.run().await
///     }
/// }
///
/// rail_chain! { struct Guards { time_out, concurrency: Concurrency } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
/// let guards = Guards { concurrency: Concurrency(Semaphore::new(4)) };
/// let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("found")) };
/// let output = guards.guard_tool_call(ToolCallInputs::new("search"), &mut RunContext::new("demo"), tool).await?;
/// assert_eq!(output.content, "found");
/// # Ok(()) }
/// ```
///
/// The event names the operation: `PreToolCall` a tool call, `PreLlmCall` a model call, `Start` a run, `PreCompaction` a
/// compaction. The rail may take its inputs by `&`. It surrounds the operation only: all rails of the event have let the
/// operation pass, with their changes, and the rails after it follow. The lowest priority is outermost. An operation that the
/// rails skip is not surrounded.
///
/// The rail returns the result of the operation, or a result in its place. An `Err` is a failure of the operation, which the
/// rails of [`ToolError`](crate::events::ToolError) or [`LlmError`](crate::events::LlmError) see. When a rail inside a
/// streamed call ends it, that decision holds whatever is returned. `around` excludes all other options. A chain with such a
/// rail cannot be [registered](crate::GuardSet::register) with a `HookManager`, because a hook runs no operation.
///
/// # Parameters
///
/// The type of a parameter picks what it receives: the parts that the events carry (see [`Event`](trait@crate::Event)),
/// `&mut RailContext` or `&RailContext`, or [`Inputs<'_>`](crate::Inputs), the union of all payloads, which is `&Inputs<'_>`
/// where nothing is to be changed. They stand in any order, each at most once. A rail on several events takes what each
/// of them carries.
///
/// # Return types
///
/// See [`RailOutput`](crate::RailOutput).
pub use exo_rails_macros::rail;

/// Makes a chain: rails sorted by priority at compile time, called directly.
///
/// # A named chain
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::Chain;
///
/// #[rail(priority = 80, on = [PreToolCall])]
/// fn log(call: &ToolCallInputs) { println!("{}", call.tool_name) }
///
/// pub struct Allowed { tools: Vec<String> }
///
/// #[rail(priority = 10)]
/// impl Allowed {
///     #[on(PreToolCall)]
///     fn tool(&self, call: &ToolCallInputs) -> RailAction {
///         if self.tools.contains(&call.tool_name) { RailAction::Continue } else { RailAction::skip("not allowed") }
///     }
/// }
///
/// rail_chain! {
///     /// The order of this list is for reading; priorities decide, and among equal ones the list does.
///     #[derive(Default)]
///     pub struct ToolRails { log }
/// }
///
/// rail_chain! {
///     /// A chain can be listed in a chain, and runs there as one rail, at its own priority.
///     #[chain(priority = 5)]
///     pub struct AllRails {
///         ToolRails,
///         /// A rail with state has a field.
///         pub allowed: Allowed,
///     }
/// }
///
/// let rails = AllRails { allowed: Allowed { tools: vec!["search".into()] } };
/// let order: Vec<_> = AllRails::PLAN.rails(HookPoint::PreToolCall).iter().map(|rail| rail.info.name).collect();
/// assert_eq!(order, ["Allowed", "ToolRails"]);
/// # let _ = rails;
/// ```
///
/// The struct has a field for each rail that is listed as `name: Type`, and none for the others: a chain without fields is a
/// unit struct, `ToolRails`. It implements
/// [`GuardSet`](crate::GuardSet), [`Chain`](crate::Chain) and [`Rail`](crate::Rail). Attributes, docs and visibility are the struct's; the chain's own stand in
/// `#[chain(…)]`:
///
/// | option | meaning |
/// |---|---|
/// | `priority = EXPR` | its priority in another chain; 50 without |
/// | `unique_priorities` | no two rails of one event have the same priority |
/// | `onion` | at events after an operation (`PostToolCall`, `Finished`, …), rails run in the reverse of their order: the first to see the call is the last to see its output. At run time it is [`RailManager::onion`](crate::RailManager::onion) |
/// | `concurrent` | its rails run [at once](#concurrent-rails) |
/// | `trace` | a [span](crate::telemetry) around each of its rails; without it, they have none, and the chain costs what it costs |
/// | `operations = [MyOperation]` | the chain guards these [custom operations](derive@Operation) |
/// | `events = [MyEvent]` | the chain serves these events of [your own](derive@Event) too |
/// | `require(…)`, `first(…)`, `last(…)`, `before(…)` | what the chain has to have: see [`chain_policy!`] |
/// | `needs = [T]` | its rails need these values of the chain around it; it is not a guard set by itself |
/// | `policy = Policy` | it meets what the [policy](crate::ChainPolicy) requires; may be given several times |
/// | `tools = Set` | no rail of it is for a tool outside this [set](crate::ToolSet) |
/// | `crate = path` | where this library is |
///
/// A chain that breaks what it says of itself does not compile.
///
/// A chain in which a rail [needs a value](trait@crate::Provided) that no earlier rail provides does not compile either. Rails
/// of the outer chain may use the values that a chain inside provides. A chain whose rails need values of the chain around it
/// says so, `needs = [RateLimitLeft]`. It is then a rail for chains that provide the values before it, and not a guard
/// set:
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[derive(Provided)]
/// struct RateLimitLeft(u32);
///
/// #[rail(priority = 20, on = [PreLlmCall], provides = [RateLimitLeft])]
/// fn rate_limit(ctx: &RailContext) -> RateLimitLeft { RateLimitLeft(10 - ctx.step().min(10)) }
///
/// #[rail(on = [PreLlmCall], needs = [RateLimitLeft])]
/// fn warn_when_low(left: &RateLimitLeft) {
///     if left.0 < 3 { println!("{} calls left", left.0) }
/// }
///
/// rail_chain! {
///     #[chain(priority = 30, needs = [RateLimitLeft])]
///     struct Warnings { warn_when_low }
/// }
///
/// rail_chain! { struct Guards { rate_limit, Warnings } }
/// ```
///
/// The order is a constant, so a chain has no generic parameters.
///
/// # Rails where they are listed
///
/// Two fields of one type are two rails. Each has its own state and its own retries, and is called by the name of its
/// field: in decisions, faults, logs and plans. A field that is the only one of its type is called by the name of the rail.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use exo_rails::prelude::*;
///
/// struct ToolCallLimit { tool: Option<&'static str>, most: u32, calls: AtomicU32 }
///
/// #[rail(priority = 30)]
/// impl ToolCallLimit {
///     #[on(PreToolCall)]
///     fn count(&self, call: &ToolCallInputs) -> Verdict {
///         let counts = self.tool.is_none_or(|tool| tool == call.tool_name);
///         Verdict::abort_if(counts && self.calls.fetch_add(1, Ordering::Relaxed) >= self.most, "too many calls")
///     }
/// }
///
/// rail_chain! {
///     struct Limits { searches: ToolCallLimit, all_tools: ToolCallLimit }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let limit = |tool, most| ToolCallLimit { tool, most, calls: AtomicU32::new(0) };
/// let rails = Limits { searches: limit(Some("search"), 1), all_tools: limit(None, 10) };
/// let mut ctx = RunContext::new("demo");
/// for by in [None, Some("searches")] {
///     let decision = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), &mut ctx).await?;
///     assert_eq!(decision.rail_name(), by);
/// }
/// # Ok(()) }
/// ```
///
/// A rail has another priority where it is listed with one, so a rail of another crate can run where it has to:
///
/// ```
/// use exo_rails::Chain;
/// use exo_rails::prelude::*;
///
/// # mod vendor {
/// #     use exo_rails::prelude::*;
/// #[rail(priority = 80, on = [PreToolCall])]
/// pub fn log(call: &ToolCallInputs) { println!("{}", call.tool_name) }
/// # }
///
/// #[rail(priority = 10, on = [PreToolCall])]
/// fn permission(call: &ToolCallInputs) -> Verdict { Verdict::abort_if(call.tool_name == "shell", "no shell") }
///
/// rail_chain! {
///     struct Guards {
///         permission,
///         /// Also what `permission` refuses.
///         #[rail(priority = 5)]
///         vendor::log,
///     }
/// }
///
/// let order: Vec<_> = Guards::PLAN.rails(HookPoint::PreToolCall).iter().map(|rail| rail.info.name).collect();
/// assert_eq!(order, ["log", "permission"]);
/// ```
///
/// `limits: Vec<ToolCallLimit>` is as many rails as a configuration says, called `limits[0]`, `limits[1]`, …;
/// `approval: Option<Approval>` is a rail that may be absent, and `audit: Arc<Audit>` one that other code shares.
///
/// A listed rail may have a `#[cfg]`. Where that removes it, the chain is as if it were not listed, and a field is gone. A
/// chain that lists a field keeps its braces, so `Guards {}` is its value when all fields are removed. The fields of one
/// name under different `#[cfg]` are one field. A requirement of a [policy](chain_policy!) may have a `#[cfg]` as well; in
/// `#[chain(…)]` it cannot.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[rail(on = [PreToolCall])]
/// fn log(call: &ToolCallInputs) { println!("{}", call.tool_name) }
///
/// #[cfg(windows)]
/// struct Registry;
///
/// # #[cfg(windows)]
/// #[rail]
/// impl Registry {
///     #[on(PreToolCall)]
///     fn key(&self, call: &ToolCallInputs) -> Verdict {
///         Verdict::abort_if(call.tool_name == "write_key", "the registry is off limits")
///     }
/// }
///
/// rail_chain! {
///     struct Guards {
///         log,
///         #[cfg(windows)]
///         registry: Registry,
///     }
/// }
///
/// let rails = Guards {
///     #[cfg(windows)]
///     registry: Registry,
/// };
/// # let _ = rails;
/// ```
///
/// A chain in two fields runs twice, and the names of its rails begin with the field: `first.searches`. `after`, `before`
/// and requirements that name a type mean each rail of it. The chain's own requirements may name a field, and then they
/// mean that rail alone: `#[chain(before(searches, all_tools))]`. Two listings without fields would be the same rail, and do not
/// compile; a rail that is also in a chain inside is another listing, and runs in both places.
///
/// # Concurrent rails
///
/// Rails that ask somebody else (a moderation service, another model) wait, and one after the other they wait long. A chain
/// with `concurrent` runs the rails of an event at once: the slowest decides how long it takes, and not their sum. What
/// comes of it is what would come of them one after the other: the decision is that of the lowest priority number,
/// whichever rail ends first. It is there as soon as the rails before it have let the event pass; those that are still
/// waiting then are dropped.
///
/// Its rails say `concurrent` as well, and only look: none can change what another sees. So such a chain is mostly listed in
/// another, where what changes something runs before or after it.
///
/// ```
/// use std::time::Duration;
///
/// use exo_rails::prelude::*;
///
/// #[rail(priority = 10, on = [Start], concurrent, timeout = "2s")]
/// async fn moderation(run: &InvokeInputs) -> Verdict {
///     tokio::time::sleep(Duration::from_millis(20)).await; // asks a service
///     Verdict::abort_if(run.input.text().contains("poison"), "not here")
/// }
///
/// #[rail(priority = 20, on = [Start], concurrent)]
/// async fn is_about_us(run: &InvokeInputs) -> RailAction<InvokeOutput> {
///     if run.input.text().contains("weather") {
///         return RailAction::skip_with(InvokeOutput::text("I only know our orders."), "off topic");
///     }
///     RailAction::Continue
/// }
///
/// rail_chain! {
///     #[chain(concurrent, priority = 10)]
///     struct Judges { moderation, is_about_us }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let mut run = InvokeInputs::new("Does the weather poison me?");
/// let decision = (Judges {}).dispatch::<Start>(&mut run, &mut RunContext::new("demo")).await?;
/// assert_eq!(decision.rail_name(), Some("moderation"));
/// # Ok(()) }
/// ```
///
/// It has at most 16 rails. A rail that is `always` called, is for one tool, or provides or needs a value cannot be one of
/// them. Elsewhere, a rail with `concurrent` is one like any other.
///
/// # An unnamed chain
///
/// In the place of an expression, `rail_chain![log, audit]` makes a chain of rails without state, which is `Copy` and `Debug`;
/// `rail_chain![crate = path; log, audit]` says where this library is. Options stand before the first rail:
/// `rail_chain![#[chain(onion)] log, audit]`.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[rail(on = [Start])]
/// fn greet(run: &InvokeInputs) { println!("{}", run.input.text()) }
///
/// fn rails() -> impl GuardSet { rail_chain![greet] }
/// # let _ = rails();
/// ```
pub use exo_rails_macros::rail_chain;

/// States once what chains have to have.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{ChainPolicy, chain_policy};
///
/// #[rail(priority = 10, on = [PreToolCall])]
/// fn permission_check(call: &ToolCallInputs) -> Verdict {
///     Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
/// }
///
/// #[rail(priority = 90, on = [PreToolCall, PostToolCall])]
/// fn audit_log(call: &ToolCallInputs) { println!("{}", call.tool_name) }
///
/// chain_policy! {
///     /// What every chain of the company has to have.
///     pub struct Company {
///         require(permission_check on PreToolCall),
///         before(permission_check, audit_log),
///         last(audit_log on PostToolCall),
///     }
/// }
///
/// rail_chain! {
///     #[chain(policy = Company)]
///     pub struct SupportRails { audit_log, permission_check }
/// }
///
/// assert_eq!(Company::REQUIREMENTS[0].to_string(), "require(permission_check on PreToolCall)");
/// ```
///
/// A chain that names the policy and breaks it does not compile:
///
/// ```compile_fail,E0080
/// # use exo_rails::prelude::*;
/// # use exo_rails::chain_policy;
/// # #[rail(priority = 10, on = [PreToolCall])]
/// # fn permission_check(call: &ToolCallInputs) -> Verdict { Verdict::Continue }
/// # #[rail(priority = 90, on = [PreToolCall])]
/// # fn audit_log(call: &ToolCallInputs) {}
/// # chain_policy! { pub struct Company { require(permission_check on PreToolCall) } }
/// rail_chain! {
///     #[chain(policy = Company)] // it does not list `permission_check`
///     pub struct HastyRails { audit_log }
/// }
/// ```
///
/// | requirement | the chain |
/// |---|---|
/// | `require(rail on Event)` | runs the rail at the event |
/// | `first(rail on Event)`, `last(rail on Event)` | runs it there, and no other rail before it, or after it |
/// | `before(rail, other, …)` | runs them in this order at every event that has both |
///
/// A function with the bound [`Meets<Company>`](crate::Meets) takes only guard sets that follow the policy.
///
/// Rails of chains inside the chain count. A generic rail is named by one of its instances, and each of them meets the
/// requirement: `require(Audit<FileStore> on PreToolCall)` asks for an `Audit`, whatever its store is. What may be absent, in
/// an `Option` or a `Vec`, meets no requirement. `#[chain_policy(crate = path)]` says where this library is.
pub use exo_rails_macros::chain_policy;

/// Names the events of a method in an `impl` block under [`#[rail]`](macro@rail): `#[on(PreToolCall, Start)]`.
/// The method's [options](macro@rail#options) stand behind them: `#[on(PreToolCall, tool = "delete_file")]`.
///
/// It has a meaning there only; anywhere else it is a compile error that says so.
pub use exo_rails_macros::on;

/// Makes a struct the arguments of a tool: see [`ToolArgs`](trait@crate::ToolArgs).
///
/// ```
/// use exo_rails::prelude::*;
/// use serde::{Deserialize, Serialize};
/// use serde_json::json;
///
/// /// Finds orders.
/// ///
/// /// Ask for one thing at a time.
/// #[derive(Serialize, Deserialize, ToolArgs)]
/// #[tool(name = "search", schema = json!({
///     "type": "object",
///     "properties": { "query": { "type": "string" } },
///     "required": ["query"],
/// }))]
/// struct Search { query: String }
///
/// assert_eq!(Search::spec().function.description, "Finds orders.\n\nAsk for one thing at a time.");
/// ```
///
/// # Options
///
/// | option | meaning | without it |
/// |---|---|---|
/// | `name = "…"` | what the model calls the tool: 1 to 64 letters, digits, `_` and `-` | required |
/// | `description = "…"` | what the model is told about it | the doc comment of the struct, if there is one |
/// | `schema = EXPR` | the JSON schema of the arguments: any expression that is a `serde_json::Value` | that of `JsonSchema`, with the feature `schemars` |
/// | `crate = path` | where this library is, for a crate that re-exports it | `::exo_rails`, or its other name in `Cargo.toml` |
///
/// # The schema
///
/// With the feature `schemars`, a struct that also derives `JsonSchema` has the schema of its fields, as serde reads
/// them. That derive looks for a `schemars` in scope: the one that this library re-exports, as here, or the dependency
/// `schemars` 1 of your own:
///
#[cfg_attr(feature = "schemars", doc = "```")]
#[cfg_attr(not(feature = "schemars"), doc = "```ignore")]
/// use exo_rails::prelude::*;
/// use exo_rails::schemars::{self, JsonSchema};
/// use serde::{Deserialize, Serialize};
/// use serde_json::json;
///
/// /// Deletes a file of the workspace.
/// #[derive(Serialize, Deserialize, JsonSchema, ToolArgs)]
/// #[tool(name = "delete_file")]
/// struct DeleteFile {
///     /// From the root of the workspace.
///     path: String,
///     #[serde(default)]
///     recursive: bool,
/// }
///
/// assert_eq!(DeleteFile::schema(), json!({
///     "type": "object",
///     "properties": {
///         "path": { "type": "string", "description": "From the root of the workspace." },
///         "recursive": { "type": "boolean", "default": false },
///     },
///     "required": ["path"],
/// }));
/// ```
///
/// # What can be arguments
///
/// A struct with named fields: models and rails know arguments by their names. A tool without arguments is a struct
/// without fields, `struct Ping {}`. An enum can be a field. There are no generic parameters, because a tool has one
/// name and one schema.
pub use exo_rails_macros::ToolArgs;

/// Makes a type a value that rails provide to each other: see [`Provided`](trait@crate::Provided).
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[derive(Provided)]
/// struct RateLimitLeft(u32);
///
/// #[rail(on = [PreLlmCall], provides = [RateLimitLeft])]
/// fn rate_limit(ctx: &RailContext) -> RateLimitLeft { RateLimitLeft(10 - ctx.step().min(10)) }
/// ```
///
/// The type has no generic parameters: its name and location identify it. `#[provided(crate = path)]` says where this
/// library is.
pub use exo_rails_macros::Provided;

/// Declares a custom event: a point of your program that rails guard as they guard those of the library.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[derive(Debug)]
/// pub struct Memories(Vec<String>);
///
/// /// Memories have been found, and are about to be told to the model.
/// #[derive(Event)]
/// #[event(payload = &mut Memories, allows = "skip", substitute = Memories)]
/// pub struct MemoriesRecalled;
///
/// /// Nothing of the user's health is remembered.
/// #[rail(priority = 20, on = [MemoriesRecalled])]
/// fn privacy(memories: &mut Memories) -> Verdict {
///     memories.0.retain(|memory| !memory.contains("diagnosis"));
///     Verdict::Continue
/// }
///
/// rail_chain! {
///     #[chain(events = [MemoriesRecalled])]
///     pub struct MemoryRails { privacy }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let mut found = Memories(vec!["likes tea".into(), "the diagnosis is bad".into()]);
/// let mut ctx = RunContext::new("support");
/// match (MemoryRails {}).dispatch::<MemoriesRecalled>(&mut found, &mut ctx).await? {
///     Decision::Continue => assert_eq!(found.0, ["likes tea"]),
///     other => panic!("{other:?}"),
/// }
/// # Ok(()) }
/// ```
///
/// The event is a struct without fields. Your program calls `rails.dispatch::<MemoriesRecalled>(…)` where the event happens, and
/// acts on the [`Decision`](crate::Decision) of its rails.
///
/// | option | meaning | without it |
/// |---|---|---|
/// | `payload = (&Query, &mut Memories)` | what it carries, a part alone or up to 7 in parentheses; by `&mut` what rails may change. A part is `Debug`, `Send` and `Sync`, and borrows nothing | nothing |
/// | `allows = "abort"` | what its rails may decide: `"nothing"`, `"abort"`, `"skip"` (and abort), `"retry"` (and both) | `"nothing"` |
/// | `substitute = Memories` | what a skip may bring | nothing |
/// | `name = "memories_recalled"` | what it is called at run time | the name of the type in snake case |
/// | `after = true` | the event comes after an operation: an [onion](macro@rail_chain#a-named-chain) reverses its rails | `false` |
/// | `crate = path` | where this library is, for a crate that re-exports it | `::exo_rails`, or its other name in `Cargo.toml` |
///
/// A chain serves it when it [names it](macro@rail_chain#a-named-chain); a rail on an event that its chain does not
/// serve does not compile. A [`RailManager`](crate::RailManager) and a [`HookManager`](crate::HookManager) serve every event; plain hooks are added to
/// `MemoriesRecalled::POINT` and find the payload in [`Inputs::Custom`](crate::Inputs::Custom).
pub use exo_rails_macros::Event;

/// Declares the tools of an agent once, as a struct: a [`ToolSet`](crate::ToolSet).
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::tools;
/// # use serde::{Deserialize, Serialize};
/// # use serde_json::json;
/// #
/// # #[derive(Serialize, Deserialize, ToolArgs)]
/// # #[tool(name = "search", schema = json!({ "type": "object" }))]
/// # struct Search { query: String }
/// #
/// # #[derive(Serialize, Deserialize, ToolArgs)]
/// # #[tool(name = "delete_file", schema = json!({ "type": "object" }))]
/// # struct DeleteFile { path: String }
///
/// tools! {
///     /// What the support agent can do.
///     #[derive(Clone)]
///     pub struct SupportTools { search: Search, delete_file: DeleteFile }
/// }
///
/// let tools = SupportTools {
///     search: Search::tool(|args| async move { Ok::<_, OperationError>(format!("nothing about {}", args.query)) }),
///     delete_file: DeleteFile::tool(|args| async move { std::fs::remove_file(args.path).map(|()| "gone") }),
/// };
/// assert_eq!(tools.specs()[0].function.name, "search");
/// // An agent takes the set: `Agent::builder("support", model).tools(tools)`.
/// ```
///
/// Each field is named like in any struct, and its type is that of the tool's arguments: see
/// [`ToolArgs`](trait@crate::ToolArgs). The field itself has the type [`ToolFor<Search>`](crate::ToolFor). So an agent that uses the
/// set has something to run for each of its tools. Attributes, docs and visibility are the struct's;
/// `#[tools(crate = path)]` says where this library is.
///
/// Two tools of one name do not compile. A tool that is there only under a `#[cfg]` needs two sets, each under a
/// `#[cfg]` of its own.
pub use exo_rails_macros::tools;

/// Declares a custom operation: what an agent does that is not a model call or a tool call, and has to be guarded like one.
///
/// The derive writes three [events](derive@Event), named after the operation. For `StoreDocument`, they are:
///
/// | event | carries | a skip may bring |
/// |---|---|---|
/// | `PreStoreDocument` | `&mut` the inputs | the output |
/// | `PostStoreDocument` | `&` the inputs, `&mut` the output | |
/// | `StoreDocumentError` | `&` the inputs, `&OperationError` | the output |
///
/// [`guard_operation`](crate::Guard::guard_operation) runs it. A chain that guards it says so:
/// `#[chain(operations = [StoreDocument])]`; managers and `NoRails` guard every operation. All of its rails may skip, retry
/// and abort, and a rail with [`around`](macro@rail#rails-around-an-operation) takes `next: impl Next<StoreDocument>`.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{Next, Operation};
///
/// #[derive(Clone, Debug)]
/// pub struct Query(String);
///
/// #[derive(Debug)]
/// pub struct Rows(Vec<String>);
///
/// /// Asks the database.
/// #[derive(Operation)]
/// #[operation(inputs = Query, output = Rows)]
/// pub struct Ask;
///
/// #[rail(on = [PreAsk])]
/// fn read_only(query: &Query) -> Verdict {
///     Verdict::abort_if(!query.0.starts_with("select"), "only reading is permitted")
/// }
///
/// #[rail(on = [AskError])]
/// fn once_more(error: &OperationError) -> RailAction {
///     RailAction::retry(error.message.clone())
/// }
///
/// #[rail(on = [PreAsk], around)]
/// async fn logged(query: &Query, next: impl Next<Ask>) -> Result<Rows, OperationError> {
///     let rows = next.run().await?;
///     println!("{}: {} rows", query.0, rows.0.len());
///     Ok(rows)
/// }
///
/// rail_chain! {
///     #[chain(operations = [Ask])]
///     struct Guards { read_only, once_more, logged }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
/// let mut ctx = RunContext::new("reports");
/// let database = |query: Permit<Query>| async move {
///     if query.attempt() == 0 { Err(OperationError::from("the connection is lost")) } else { Ok(Rows(vec!["7".into()])) }
/// };
/// let rows = Guards.guard_operation::<Ask, _>(Query("select id from orders".into()), &mut ctx, database).await?;
/// assert_eq!(rows.0, ["7"]);
/// # Ok(()) }
/// ```
///
/// # Options
///
/// | option | meaning | without it |
/// |---|---|---|
/// | `inputs = Query` | what it takes: a type that is `Clone`, `Debug`, `Send` and `Sync`, and borrows nothing | an error |
/// | `output = Rows` | what it yields: another type, `Debug`, `Send` and `Sync` | an error |
/// | `pre`, `post`, `failed` | the names of its events: `pre = BeforeAsk` | `PreAsk`, `PostAsk`, `AskError` |
/// | `name = "ask"` | what it is called in messages | the name of the type, in snake case |
/// | `crate = path` | where this library is, for a crate that re-exports it | `::exo_rails`, or its other name in `Cargo.toml` |
pub use exo_rails_macros::Operation;
