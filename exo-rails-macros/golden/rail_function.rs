/// Refuses tools that destroy data.
pub async fn block_dangerous(
    call: &ToolCallInputs,
    ctx: &mut RailContext,
) -> RailAction {
    RailAction::Continue
}
/// Refuses tools that destroy data.
///
/**# Rail

Name `block_dangerous`, priority `BASE + 1`.

| events | a fault |
| --- | --- |
| `PreToolCall`, `PostToolCall` | ends the run |
*/
#[allow(
    non_camel_case_types,
    missing_copy_implementations,
    missing_debug_implementations
)]
pub struct block_dangerous {}
#[automatically_derived]
impl ::exo_rails::for_macros::Stateless for block_dangerous {
    const RAIL: &'static Self = &Self {};
}
#[automatically_derived]
impl ::exo_rails::Rail for block_dangerous {
    const PRIORITY: i32 = BASE + 1;
    const WRITE_RAIL_ABOVE_AN_IMPL_BLOCK: ::exo_rails::for_macros::Row = ::exo_rails::for_macros::Row::new(
            ::exo_rails::RailInfo {
                name: "block_dangerous",
                priority: <Self as ::exo_rails::Rail>::PRIORITY,
                declared: ::exo_rails::SourceLocation::here(&::core::module_path!()),
            },
            &[
                <PreToolCall as ::exo_rails::Event>::POINT,
                <PostToolCall as ::exo_rails::Event>::POINT,
            ],
            &[],
        )
        .timed();
    type Events = (PreToolCall, (PostToolCall, ()));
}
#[automatically_derived]
impl ::exo_rails::RailOn<PreToolCall> for block_dangerous {
    type Out = RailAction;
    #[inline]
    fn call<'__event>(
        &'__event self,
        payload: <PreToolCall as ::exo_rails::Payloads>::Payload<'__event>,
        ctx: &'__event mut ::exo_rails::RailContext,
    ) -> impl ::core::future::Future<Output = Self::Out> + ::core::marker::Send {
        let mut parts = <PreToolCall as ::exo_rails::Event>::parts(payload);
        let mut ctx = ::core::option::Option::Some(ctx);
        let p0 = <&ToolCallInputs as ::exo_rails::for_macros::CarriedBy<
            '_,
            PreToolCall,
            <PreToolCall as ::exo_rails::Payloads>::Payload<'_>,
        >>::pick(&mut parts, &mut ctx);
        let p1 = <&mut RailContext as ::exo_rails::for_macros::CarriedBy<
            '_,
            PreToolCall,
            <PreToolCall as ::exo_rails::Payloads>::Payload<'_>,
        >>::pick(&mut parts, &mut ctx);
        block_dangerous(p0, p1)
    }
}
#[automatically_derived]
impl ::exo_rails::RailOn<PostToolCall> for block_dangerous {
    type Out = RailAction;
    #[inline]
    fn call<'__event>(
        &'__event self,
        payload: <PostToolCall as ::exo_rails::Payloads>::Payload<'__event>,
        ctx: &'__event mut ::exo_rails::RailContext,
    ) -> impl ::core::future::Future<Output = Self::Out> + ::core::marker::Send {
        let mut parts = <PostToolCall as ::exo_rails::Event>::parts(payload);
        let mut ctx = ::core::option::Option::Some(ctx);
        let p0 = <&ToolCallInputs as ::exo_rails::for_macros::CarriedBy<
            '_,
            PostToolCall,
            <PostToolCall as ::exo_rails::Payloads>::Payload<'_>,
        >>::pick(&mut parts, &mut ctx);
        let p1 = <&mut RailContext as ::exo_rails::for_macros::CarriedBy<
            '_,
            PostToolCall,
            <PostToolCall as ::exo_rails::Payloads>::Payload<'_>,
        >>::pick(&mut parts, &mut ctx);
        block_dangerous(p0, p1)
    }
}
