async fn guard(call: &ToolCallInputs) -> RailAction {
    loop {}
}
::core::compile_error! {
    "`#[rail]` has no argument `priorty`; did you mean `priority`?"
}
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
struct guard {}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::exo_rails::checks::Stateless for guard {
    const RAIL: &'static Self = &Self {};
}
#[automatically_derived]
impl ::exo_rails::Rail for guard {
    const NAME: &'static str = "guard";
    const PRIORITY: i32 = ::exo_rails::DEFAULT_PRIORITY;
    const EVENTS: &'static [::exo_rails::HookPoint] = &[];
    const REWRITES: &'static [::exo_rails::HookPoint] = &[];
    const DECLARED: ::exo_rails::Declared = ::exo_rails::Declared {
        file: "",
        line: 0,
        column: 0,
    };
    fn each_event<__Visitor: ::exo_rails::__private::EventVisitor<Self>>(
        _: &mut __Visitor,
    ) {}
}
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
