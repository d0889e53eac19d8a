//! The macros and their documentation.

/// Makes a rail from a function, or from a type with an `impl` block.
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
/// // The function stays unchanged, so a unit test can call it.
/// assert_eq!(block_dangerous(&ToolCallInputs::new("search")).await, RailAction::Continue);
/// // The macro adds a type of the same name, with the facts that a chain needs.
/// assert_eq!(block_dangerous::PRIORITY, 10);
/// # }
/// ```
///
/// The function may be `async` or a plain `fn`. It cannot have type parameters, because a chain could not name them. The
/// macro adds a type with the name of the function. So the module must not contain another type or module with this name.
///
/// # On an `impl` block
///
/// A rail with configuration or state is a type. Put the attribute on an `impl` block of the type, and `#[on(…)]` on the
/// methods that guard events. The macro leaves the other methods unchanged. The block may be generic. A chain then lists
/// the type with concrete parameters.
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
/// | argument | meaning | default |
/// |---|---|---|
/// | `on = [Event, …]` | the events that a function guards | required; the methods of an `impl` block have `#[on(…)]` instead |
/// | `priority = EXPR` | lower numbers run first: any constant `i32` expression | 50 |
/// | `after = [rail, …]`, `before = [rail, …]` | the rail must run after or before each of these rails. The compiler checks this in the innermost chain that contains both rails | |
/// | `name = "…"` | the name of the rail in decisions, plans and logs | the name of the function or type |
/// | `tools = Set` | the [set](crate::ToolSet) that must contain each tool that a `tool` option names | the compiler does not check these names |
/// | `crate = path` | the path of this library, for a crate that re-exports it | `::exo_rails`, or its other name in `Cargo.toml` |
///
/// Security rails usually have priorities from 10 to 20, and logging rails from 80 to 90.
///
/// # Options
///
/// For a function, write the options into the same attribute as the arguments. For a method, write them into its `#[on(…)]`,
/// after the events: `#[on(PreToolCall, tool = "delete_file")]`.
///
/// | option | meaning |
/// |---|---|
/// | `tool = "delete_file"` | the rail runs for this tool only, on `PreToolCall`, `PostToolCall` and `ToolError`, and may take its typed arguments. The value may be a constant: `tool = DeleteFile::NAME`. A rail that takes `Args<DeleteFile>` does not need the option |
/// | `provides = [T, …]` | the rail provides these values to later rails of the event: see [`Provided`](trait@crate::Provided) |
/// | `needs = [T, …]` | the rail takes `&T`, which an earlier rail of the event provides |
/// | `window = 64` | on `LlmChunk`, the number of characters of a streamed answer that the rail needs to see at once: a number, `"all"`, or a `usize` expression such as `self.longest`. See [`StreamWindow`](crate::StreamWindow) |
/// | `concurrent` | the rail can run [concurrently](macro@rail_chain#concurrent-rails) with other rails. It takes the payload and the context by `&` |
/// | `always` | the rail runs even if an earlier rail has stopped the event. It can only observe |
/// | `around` | the rail wraps the operation that follows its event: see [below](#rails-around-an-operation) |
/// | `timeout = "2s"` | the longest time that a call of the rail may take: a text in `ms`, `s` or `m`, or a `Duration` expression such as `self.limit`. After this time, the library drops the future of the rail, and the call is a [fault](crate::RailFault) |
/// | `on_panic = "fault"` | a panic of the rail is a fault. By default, a panic unwinds through the guard and the run |
/// | `on_fault = "abort"` | the effect of the rail's faults: `"abort"`, `"skip"` or `"continue"`: see [`OnFault`](crate::OnFault) |
///
/// The values of `timeout` and `window` may be expressions. On a function, the expression must be constant. On a method, it
/// may use `self`, such as `self.limit`. The library evaluates `timeout` for each call, and `window` for each answer. For
/// example:
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
///         // Calls the server here.
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
/// A rail cannot have both `tool` and `provides`, because it does not run for other tools. A rail with `always` cannot have
/// `provides`, `needs` or typed arguments, because the values and the arguments may be missing after another rail has
/// stopped the event. It calls [`ctx.provided`](crate::RailContext::provided) and [`Args::of`](crate::Args::of) instead. A
/// method with options must have exactly one `#[on(…)]`.
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
/// /// The tool receives the changes. Arguments that `DeleteFile` does not have stay unchanged.
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
/// At `PreToolCall`, a rail can take `&mut Args<T>` or `&Args<T>`. At `PostToolCall` and `ToolError`, it can take `&Args<T>`.
/// It can also take the parts of the event.
///
/// If the arguments do not fit the type, the rail [faults](crate::RailFault). A rail that can decide then fails closed. The
/// message of the fault contains the position in the JSON.
///
/// The library compares the name of the tool when it calls the rail. So a rail that changes the name of the tool must run
/// before this rail.
///
/// If a rail changes an argument, the library writes the new value under the name that the model used, even if that name is
/// a serde `alias`. Arguments that the type does not declare stay in the call, even in nested objects and in the items
/// of lists. There are two limits:
///
/// - If a rail adds an item to a list, or changes and moves an item, the library writes the item as the type serializes it.
/// - If a change makes the type read an argument that it ignored before, the library removes this argument.
///
/// If the `Serialize` and `Deserialize` implementations of the type do not agree, a change is a fault.
///
/// ## Rails that are always called
///
/// A rail that keeps a log should log refused operations too. A rail with `always` runs even if an earlier rail of the event
/// has skipped, retried, aborted or faulted. [`RailContext::stopped`](crate::RailContext::stopped) then returns the
/// name of that rail, its kind of decision and its reason. A rail with `always` can only observe. It returns `()`, or a `Result` whose error the library logs.
/// It takes parts of the payload by `&`, or the whole payload as `&Inputs<'_>`.
///
/// ## Rails around an operation
///
/// A rail with `around` wraps the operation and runs it, like a middleware. Use it for a time-out, a limit on concurrent
/// calls, or a cache. [`Next::run`](crate::Next::run) takes the operation by value, so the operation runs at most once in
/// each attempt.
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
/// /// Limits the number of tools that run at once.
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
/// The event determines the operation. A rail on `PreToolCall` wraps the tool call, a rail on `PreLlmCall` the model call, a
/// rail on `Start` the run, and a rail on `PreCompaction` the compaction. The rail may take the inputs by `&`.
///
/// The rail wraps only the operation. The rails without `around` on the same event run first, so a rail with `around` sees
/// their changes to the inputs. If one of them skips the operation, the rails with `around` do not run. The rails of the
/// events after the operation run after the rails with `around`. If an event has several rails with `around`, the rail with
/// the lowest priority number is the outermost.
///
/// The rail returns the result of the operation, or its own result. An `Err` is a failure of the operation, which the rails
/// of [`ToolError`](crate::events::ToolError) or [`LlmError`](crate::events::LlmError) see. If a rail of
/// [`LlmChunk`](crate::events::LlmChunk) retries, aborts or faults during a streamed model call, the library acts on that
/// rail, and ignores the result of the rails with `around`.
///
/// The future of each rail with `around` contains the future of the next one, and rustc limits the depth of a type. 16 of
/// these rails on one event compile everywhere. With more of them, rustc may report that "queries overflow the depth limit".
/// Write `#![recursion_limit = "256"]` at the top of your crate: this is enough for 36 of them. Other rails of the chain do
/// not count.
///
/// A rail with `around` cannot have other options. A chain with a rail around an operation cannot be
/// [registered](crate::GuardSet::register) with a `HookManager`, because a hook does not run the operation.
///
/// # Parameters
///
/// The type of a parameter determines which value it receives:
///
/// - The parts of the payload: see [`Event`](trait@crate::Event).
/// - The context: `&mut RailContext` or `&RailContext`.
/// - The union of all payloads: [`Inputs<'_>`](crate::Inputs), or `&Inputs<'_>` if the rail changes nothing.
///
/// Parameters can be in any order, and a rail can take each value once. A rail on several events can take only parts that
/// each of its events carries.
///
/// # Return types
///
/// See [`RailOutput`](crate::RailOutput).
pub use exo_rails_macros::rail;

/// Makes a chain: rails that the compiler sorts by priority, and that run as direct calls.
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
///     /// The rails run by priority. Rails with equal priorities run in the order of this list.
///     #[derive(Default)]
///     pub struct ToolRails { log }
/// }
///
/// rail_chain! {
///     /// `ToolRails` is a chain. In this chain it runs like one rail with priority 50.
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
/// The struct has a field for each rail that is listed as `name: Type`. The other rails have no field, and a chain without
/// fields is a unit struct, such as `ToolRails`. The struct implements [`GuardSet`](crate::GuardSet),
/// [`Chain`](crate::Chain) and [`Rail`](crate::Rail). It keeps its attributes, docs and visibility. The options of the
/// chain are in `#[chain(…)]`:
///
/// | option | meaning |
/// |---|---|
/// | `priority = EXPR` | the priority of this chain in another chain. The default is 50 |
/// | `unique_priorities` | no two rails of one event have the same priority |
/// | `onion` | at events after an operation (`PostToolCall`, `Finished`, …), rails run in reverse order, so the first rail that sees the call is the last rail that sees its output. At run time, use [`RailManager::onion`](crate::RailManager::onion) |
/// | `concurrent` | the rails run [concurrently](#concurrent-rails) |
/// | `trace` | each rail runs in a [span](crate::telemetry). Without the option, the chain contains no code for spans |
/// | `operations = [MyOperation]` | the chain guards these [custom operations](derive@Operation) |
/// | `events = [MyEvent]` | the chain serves these [custom events](derive@Event) |
/// | `require(…)`, `first(…)`, `last(…)`, `before(…)` | requirements of the chain: see [`chain_requirements!`] |
/// | `needs = [T]` | the rails need these values from an outer chain. The chain alone is not a guard set |
/// | `requirements = Company` | the chain meets these [requirements](crate::ChainRequirements). The option may occur several times |
/// | `tools = Set` | if a rail is for one tool only, this [set](crate::ToolSet) must contain the tool |
/// | `crate = path` | the path of this library |
///
/// A chain that violates one of these options does not compile.
///
/// If a rail [needs a value](trait@crate::Provided) that no earlier rail provides, the chain does not compile either. The
/// rails of an outer chain may use the values that an inner chain provides. If the rails of an inner chain need values of
/// the outer chain, declare these values on the inner chain: `needs = [RateLimitLeft]`. You can then use the inner chain
/// only inside a chain that provides the values, and not as a guard set:
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
/// A chain has no generic parameters, because its order is a constant.
///
/// # Listing rails
///
/// Two fields of the same type are two rails. Each rail has its own state and its own count of retries. In decisions,
/// faults, logs and plans, the name of each rail is the name of its field. If only one field has the type, the rail keeps
/// the name that `#[rail]` gives it.
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
/// A chain can change the priority of a rail. This lets you choose when a rail from another crate runs:
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
///         /// Runs first, so it also logs the calls that `permission` refuses.
///         #[rail(priority = 5)]
///         vendor::log,
///     }
/// }
///
/// let order: Vec<_> = Guards::PLAN.rails(HookPoint::PreToolCall).iter().map(|rail| rail.info.name).collect();
/// assert_eq!(order, ["log", "permission"]);
/// ```
///
/// The type of a field can wrap the type of a rail:
///
/// - `limits: Vec<ToolCallLimit>` is a list of rails, for example from a configuration. Their names are `limits[0]`,
///   `limits[1]`, ….
/// - `approval: Option<Approval>` is a rail that may be absent.
/// - `audit: Arc<Audit>` is a rail that other code shares.
///
/// A rail in the list may have a `#[cfg]`. If the `#[cfg]` removes the rail, the chain does not contain the rail and has no
/// field for it. If `#[cfg]`s remove all fields of a chain, write its value with braces: `Guards {}`. Fields with the same
/// name and different `#[cfg]`s are one field. A [shared requirement](chain_requirements!) may have a `#[cfg]` too. A
/// requirement in `#[chain(…)]` cannot.
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
/// If two fields have the same chain as their type, the chain runs twice. The names of its rails then begin with the name of
/// the field, such as `first.searches`. In `after`, `before` and requirements, the name of a type means every rail of this
/// type. The requirements of a chain may also name a field, which means only the rail in this field:
/// `#[chain(before(searches, all_tools))]`.
///
/// A chain that lists a rail twice without a field does not compile, because both entries would be the same rail. If an
/// inner chain lists the rail too, the rail runs in both places.
///
/// # Concurrent rails
///
/// A rail that calls a moderation service or another model waits for the response. If several of these rails run in turn,
/// their waiting times add up. A chain with `concurrent` runs the rails of an event concurrently, so the event takes only as
/// long as its slowest rail.
///
/// The decision is the same as if the rails had run in turn. If several rails stop the event, the rail with the lowest
/// priority number decides, even if another rail ends first. The chain returns this decision as soon as all rails with lower
/// priority numbers have continued. It then drops the rails that are still waiting.
///
/// The rails of a concurrent chain must have the option `concurrent` too, and take all parameters by `&`. So a rail cannot
/// change the data that another rail sees. To change the payload too, list the concurrent chain in another chain, with the
/// rails that change the payload before or after it.
///
/// ```
/// use std::time::Duration;
///
/// use exo_rails::prelude::*;
///
/// #[rail(priority = 10, on = [Start], concurrent, timeout = "2s")]
/// async fn moderation(run: &InvokeInputs) -> Verdict {
///     tokio::time::sleep(Duration::from_millis(20)).await; // calls a service
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
/// A chain with `concurrent` can have at most 16 rails. Its rails cannot have the options `always`, `tool`, `provides` or
/// `needs`. In an ordinary chain, a rail with the option `concurrent` runs in turn, like any other rail.
///
/// # An unnamed chain
///
/// The expression `rail_chain![log, audit]` makes a chain from rails without state. Its type is `Copy` and `Debug`. Write
/// options before the first rail: `rail_chain![#[chain(onion)] log, audit]`. To set the path of this library, write
/// `rail_chain![crate = path; log, audit]`.
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

/// Declares requirements that several chains share.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{ChainRequirements, chain_requirements};
///
/// #[rail(priority = 10, on = [PreToolCall])]
/// fn permission_check(call: &ToolCallInputs) -> Verdict {
///     Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
/// }
///
/// #[rail(priority = 90, on = [PreToolCall, PostToolCall])]
/// fn audit_log(call: &ToolCallInputs) { println!("{}", call.tool_name) }
///
/// chain_requirements! {
///     /// The requirements for every chain of the company.
///     pub struct Company {
///         require(permission_check on PreToolCall),
///         before(permission_check, audit_log),
///         last(audit_log on PostToolCall),
///     }
/// }
///
/// rail_chain! {
///     #[chain(requirements = Company)]
///     pub struct SupportRails { audit_log, permission_check }
/// }
///
/// assert_eq!(Company::REQUIREMENTS[0].to_string(), "require(permission_check on PreToolCall)");
/// ```
///
/// A chain that names requirements but does not meet them does not compile:
///
/// ```compile_fail,E0080
/// # use exo_rails::prelude::*;
/// # use exo_rails::chain_requirements;
/// # #[rail(priority = 10, on = [PreToolCall])]
/// # fn permission_check(call: &ToolCallInputs) -> Verdict { Verdict::Continue }
/// # #[rail(priority = 90, on = [PreToolCall])]
/// # fn audit_log(call: &ToolCallInputs) {}
/// # chain_requirements! { pub struct Company { require(permission_check on PreToolCall) } }
/// rail_chain! {
///     #[chain(requirements = Company)] // it does not list `permission_check`
///     pub struct HastyRails { audit_log }
/// }
/// ```
///
/// | requirement | the chain |
/// |---|---|
/// | `require(rail on Event)` | runs the rail at the event |
/// | `first(rail on Event)`, `last(rail on Event)` | runs the rail as the first or last rail of the event |
/// | `before(rail, other, …)` | runs each rail before the next one in the list, at every event that has both |
///
/// A function with the bound [`Meets<Company>`](crate::Meets) takes only guard sets that meet the requirements.
///
/// A rail in an inner chain meets a requirement too. For a generic rail, name its type with any parameters. For example,
/// `require(Audit<FileStore> on PreToolCall)` requires an `Audit` with any store. A rail in an `Option` or a `Vec` may be
/// absent, so it does not meet `require`, `first` or `last`. `#[chain_requirements(crate = path)]` sets the path of this library.
pub use exo_rails_macros::chain_requirements;

/// Declares the events of a method in an `impl` block under [`#[rail]`](macro@rail): `#[on(PreToolCall, Start)]`. The
/// [options](macro@rail#options) of the method follow the events: `#[on(PreToolCall, tool = "delete_file")]`.
///
/// Anywhere else, the attribute is a compile error.
pub use exo_rails_macros::on;

/// Implements [`ToolArgs`](trait@crate::ToolArgs) for a struct with the arguments of a tool.
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
/// | option | meaning | default |
/// |---|---|---|
/// | `name = "…"` | the name of the tool for the model: 1 to 64 letters, digits, `_` and `-` | required |
/// | `description = "…"` | the description of the tool for the model | the doc comment of the struct, if it has one |
/// | `schema = EXPR` | the JSON schema of the arguments: any expression that is a `serde_json::Value` | the schema of `JsonSchema`, with the feature `schemars` |
/// | `crate = path` | the path of this library, for a crate that re-exports it | `::exo_rails`, or its other name in `Cargo.toml` |
///
/// # The schema
///
/// With the feature `schemars`, you can derive `JsonSchema` instead of writing a schema. The derived schema follows the
/// fields and their serde attributes. `JsonSchema` needs the name `schemars` in scope. Import the crate that this library
/// re-exports, as this example does, or add a dependency on `schemars` 1:
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
/// # Types of arguments
///
/// Arguments are a struct with named fields, because models and rails identify an argument by its name. For a tool without
/// arguments, write a struct without fields: `struct Ping {}`. A field can be an enum. The struct has no generic
/// parameters, because a tool has one name and one schema.
pub use exo_rails_macros::ToolArgs;

/// Implements [`Provided`](trait@crate::Provided) for a type, so that one rail can provide a value of this type to later rails.
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
/// The type has no generic parameters, because its name and location identify it. `#[provided(crate = path)]` sets the path
/// of this library.
pub use exo_rails_macros::Provided;

/// Declares a custom event: a point of your program at which rails run, as at the events of the library.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[derive(Debug)]
/// pub struct Memories(Vec<String>);
///
/// /// Memories have been found, and the model is about to read them.
/// #[derive(Event)]
/// #[event(payload = &mut Memories, allows = "skip", substitute = Memories)]
/// pub struct MemoriesRecalled;
///
/// /// Removes memories about the user's health.
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
/// The event is a struct without fields. Your program calls `rails.dispatch::<MemoriesRecalled>(…)` where the event
/// happens, and acts on the [`Decision`](crate::Decision) of its rails.
///
/// | option | meaning | default |
/// |---|---|---|
/// | `payload = (&Query, &mut Memories)` | the data that the event carries: one part, or up to 7 parts in parentheses. Rails may change the parts behind `&mut`. A part is `Debug`, `Send` and `Sync`, and borrows nothing | nothing |
/// | `allows = "abort"` | the decisions that the event allows: `"nothing"`, `"abort"`, `"skip"` (and abort), `"retry"` (and both) | `"nothing"` |
/// | `substitute = Memories` | the type of the substitute that a skip may bring | nothing |
/// | `name = "memories_recalled"` | the name at run time | the name of the type in snake case |
/// | `after = true` | the event comes after an operation: an [onion](macro@rail_chain#a-named-chain) reverses its rails | `false` |
/// | `crate = path` | the path of this library, for a crate that re-exports it | `::exo_rails`, or its other name in `Cargo.toml` |
///
/// A chain serves the custom events [that it lists](macro@rail_chain#a-named-chain). If a rail of the chain is on another
/// custom event, the chain does not compile. A [`RailManager`](crate::RailManager) and a
/// [`HookManager`](crate::HookManager) serve every event. To add a plain hook, use `MemoriesRecalled::POINT`. The hook
/// receives the payload as [`Inputs::Custom`](crate::Inputs::Custom).
pub use exo_rails_macros::Event;

/// Declares the tools of an agent as a struct: a [`ToolSet`](crate::ToolSet).
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
///     /// The tools of the support agent.
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
/// For each tool, write a field with the type of the tool's arguments, such as `search: Search`: see
/// [`ToolArgs`](trait@crate::ToolArgs). In the generated struct, this field has the type [`ToolFor<Search>`](crate::ToolFor),
/// which also holds the function of the tool. So you cannot build a set in which a tool has no function. The struct keeps
/// its attributes, docs and visibility. `#[tools(crate = path)]` sets the path of this library.
///
/// Two tools with the same name do not compile. A field cannot have a `#[cfg]`. Write two sets instead, each with its own
/// `#[cfg]`.
pub use exo_rails_macros::tools;

/// Declares a custom operation: a step of your agent that rails guard in the same way as a model call or a tool call.
///
/// The derive declares three [events](derive@Event), named after the operation. For `StoreDocument`, they are:
///
/// | event | carries | a skip may bring |
/// |---|---|---|
/// | `PreStoreDocument` | `&mut` the inputs | the output |
/// | `PostStoreDocument` | `&` the inputs, `&mut` the output | |
/// | `StoreDocumentError` | `&` the inputs, `&OperationError` | the output |
///
/// [`guard_operation`](crate::Guard::guard_operation) runs the operation. List the operation in each chain that guards it:
/// `#[chain(operations = [StoreDocument])]`. Managers and `NoRails` guard every operation. The rails of all three events
/// may skip, retry and abort. A rail with [`around`](macro@rail#rails-around-an-operation) takes
/// `next: impl Next<StoreDocument>`.
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
/// | option | meaning | default |
/// |---|---|---|
/// | `inputs = Query` | the type of the inputs: `Clone`, `Debug`, `Send` and `Sync`, and borrows nothing | required |
/// | `output = Rows` | the type of the output, which differs from the inputs: `Debug`, `Send` and `Sync` | required |
/// | `pre`, `post`, `failed` | the names of the events: `pre = BeforeAsk` | `PreAsk`, `PostAsk`, `AskError` |
/// | `name = "ask"` | the name of the operation in messages | the name of the type, in snake case |
/// | `crate = path` | the path of this library, for a crate that re-exports it | `::exo_rails`, or its other name in `Cargo.toml` |
pub use exo_rails_macros::Operation;
