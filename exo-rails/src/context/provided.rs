//! Values that one rail of an event provides for later ones.

use std::any::Any;

use crate::point::SourceLocation;
use crate::point::text;

/// A value that one rail provides to later rails of the same event.
///
/// `#[derive(Provided)]` implements it. The rail that has the value says `provides = [RateLimitLeft]` and returns it;
/// those that want it say `needs = [RateLimitLeft]` and take `&RateLimitLeft`. It is always there: a chain in which a
/// rail needs what no earlier rail provides does not compile.
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
    note = "write `#[derive(Provided)]` above its declaration; wrap a type of another crate in your own struct"
)]
pub trait Provided: Any + Send + Sync {
    /// What it is called, and where it was declared.
    #[doc(hidden)]
    const VALUE: ValueInfo;
}

/// What `#[derive(Provided)]` writes. From it comes [`Provided`]: rustc is asked not to list the implementation of the library
/// in messages. In the expansion, the attribute for that may have no name.
#[doc(hidden)]
pub trait DerivedProvided: Any + Send + Sync {
    /// See [`Provided::VALUE`].
    const VALUE: ValueInfo;
}

#[diagnostic::do_not_recommend]
impl<T: DerivedProvided> Provided for T {
    const VALUE: ValueInfo = T::VALUE;
}

/// Which value it is: its name and its place, since constants cannot compare types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueInfo {
    /// The name of the type.
    pub name: &'static str,
    /// Where it was declared.
    pub declared: SourceLocation,
}

impl ValueInfo {
    pub(crate) const fn same(&self, other: &Self) -> bool {
        self.declared.same(&other.declared) && text::same(self.name, other.name)
    }
}
