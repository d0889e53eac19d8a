async fn guard(call: &ToolCallInputs) -> RailAction {
    loop {}
}
::core::compile_error! {
    "`#[rail]` has no argument `priorty`; did you mean `priority`?"
}
#[allow(
    non_camel_case_types,
    missing_copy_implementations,
    missing_debug_implementations
)]
struct guard {}
#[automatically_derived]
impl ::exo_rails::for_macros::Stateless for guard {
    const RAIL: &'static Self = &Self {};
}
#[automatically_derived]
impl ::exo_rails::Rail for guard {
    const WRITE_RAIL_ABOVE_AN_IMPL_BLOCK: ::exo_rails::for_macros::Row = ::exo_rails::for_macros::Row::new(
            ::exo_rails::RailInfo {
                name: "guard",
                priority: ::exo_rails::DEFAULT_PRIORITY,
                declared: ::exo_rails::SourceLocation::here(&::core::module_path!()),
            },
            &[],
            &[],
        )
        .reported(true);
    type Events = ();
}
impl ::exo_rails::for_macros::HasRailAboveItsBlock for guard {}
#[automatically_derived]
impl<__Event: ::exo_rails::Event> ::exo_rails::RailOn<__Event> for guard {
    type Out = ();
    fn call<'__event>(
        &'__event self,
        _: __Event::Payload<'__event>,
        _: &'__event mut ::exo_rails::RailContext,
    ) -> impl ::core::future::Future<Output = ()> + ::core::marker::Send {
        ::core::future::ready(())
    }
}
