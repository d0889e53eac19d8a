//! Values that a rail provides for later rails of the same event.

use std::any::Any;

use crate::point::SourceLocation;
use crate::point::text;

/// A value that a rail provides for later rails of the same event.
///
/// Derive it with `#[derive(Provided)]`. The rail that has the value declares `provides = [RateLimitLeft]` and returns
/// it. A later rail declares `needs = [RateLimitLeft]` and takes `&RateLimitLeft`. The value always exists: a chain in
/// which no earlier rail provides the value does not compile.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[derive(Provided)]
/// struct RateLimitLeft(u32);
///
/// #[rail(priority = 20, on = [PreLlmCall], provides = [RateLimitLeft])]
/// fn rate_limit(ctx: &RailContext) -> Provide<RateLimitLeft> {
///     match 10_u32.checked_sub(ctx.step()) {
///         Some(left) => Provide::value(RateLimitLeft(left)),
///         None => Provide::abort("ten calls are enough"),
///     }
/// }
///
/// #[rail(priority = 30, on = [PreLlmCall], needs = [RateLimitLeft])]
/// fn warn_when_low(left: &RateLimitLeft) {
///     if left.0 < 3 { println!("{} calls left", left.0) }
/// }
///
/// rail_chain! { struct Guards { rate_limit, warn_when_low } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let mut ctx = RunContext::new("demo");
/// Guards {}.dispatch::<PreLlmCall>(&mut ModelCallInputs::default(), &mut ctx).await?;
/// // Code outside the chain asks the context. The value may be missing there.
/// assert_eq!(ctx.provided::<RateLimitLeft>().map(|left| left.0), Some(10));
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a value that a rail can provide",
    label = "not a value that a rail can provide",
    note = "write `#[derive(Provided)]` above its declaration; wrap a type of another crate in your own struct",
    note = "to read a value that a rail has put into `ctx.extra`, write `ctx.extra.get`"
)]
pub trait Provided: Any + Send + Sync {
    /// The name of the value, and the place of its declaration.
    #[doc(hidden)]
    const VALUE: ValueInfo;
}

/// The trait that `#[derive(Provided)]` implements. The library implements [`Provided`] for it, because this
/// implementation can ask rustc not to list it in messages. An expansion cannot always name the attribute for this.
#[doc(hidden)]
pub trait DerivedProvided: Any + Send + Sync {
    /// See [`Provided::VALUE`].
    const VALUE: ValueInfo;
}

#[diagnostic::do_not_recommend]
impl<T: DerivedProvided> Provided for T {
    const VALUE: ValueInfo = T::VALUE;
}

/// The identity of a value: its name and the place of its declaration. Constants cannot compare types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueInfo {
    /// The name of the type.
    pub name: &'static str,
    /// The place of the declaration.
    pub declared: SourceLocation,
}

impl ValueInfo {
    pub(crate) const fn same(&self, other: &Self) -> bool {
        self.declared.same(&other.declared) && text::same(self.name, other.name)
    }
}
