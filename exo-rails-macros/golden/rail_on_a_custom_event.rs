pub fn privacy(memories: &mut Memories) -> Verdict {
    Verdict::Continue
}
///
/**# Rail

Name `privacy`, priority 50.

| events | a fault |
| --- | --- |
| `MemoriesRecalled`, `PreToolCall` | ends the run |
*/
#[allow(
    non_camel_case_types,
    missing_copy_implementations,
    missing_debug_implementations
)]
pub struct privacy {}
#[automatically_derived]
impl ::exo_rails::for_macros::Stateless for privacy {
    const RAIL: &'static Self = &Self {};
}
const _: () = {
    const __IS_EVENT: bool = {
        let _ = <MemoriesRecalled as ::exo_rails::Event>::POINT;
        true
    };
    const __CARRIED: bool = {
        let _ = <&mut Memories as ::exo_rails::for_macros::CarriesForeign<
            '_,
            ::exo_rails::for_macros::Sound<MemoriesRecalled, __Events, { __IS_EVENT }>,
            <::exo_rails::for_macros::Sound<
                MemoriesRecalled,
                __Events,
                { __IS_EVENT },
            > as ::exo_rails::Payloads>::Payload<'_>,
        >>::TAKES;
        true
    };
    const __RETURNED: bool = {
        let _ = <Verdict as ::exo_rails::for_macros::ReturnedAtCustom<
            ::exo_rails::for_macros::Sound<MemoriesRecalled, __Events, { __IS_EVENT }>,
            <::exo_rails::for_macros::Sound<
                MemoriesRecalled,
                __Events,
                { __IS_EVENT },
            > as ::exo_rails::Event>::Returns,
        >>::DECIDES;
        true
    };
    #[allow(unreachable_pub, missing_debug_implementations)]
    pub enum __Events {}
    #[automatically_derived]
    impl<__Rail> ::exo_rails::for_macros::EventList<__Rail> for __Events
    where
        (
            ::exo_rails::for_macros::Sound<MemoriesRecalled, __Events, { __IS_EVENT }>,
            (PreToolCall, ()),
        ): ::exo_rails::for_macros::EventList<__Rail>,
    {
        fn visit<__Visitor: ::exo_rails::for_macros::EventVisitor<__Rail>>(
            visitor: &mut __Visitor,
        ) {
            <(
                ::exo_rails::for_macros::Sound<
                    MemoriesRecalled,
                    __Events,
                    { __IS_EVENT },
                >,
                (PreToolCall, ()),
            ) as ::exo_rails::for_macros::EventList<__Rail>>::visit(visitor);
        }
    }
    #[automatically_derived]
    impl ::exo_rails::for_macros::OneRailForEachType for privacy {
        const DECLARATION: ::exo_rails::for_macros::Row = ::exo_rails::for_macros::Row::new(
            ::exo_rails::RailInfo {
                name: "privacy",
                priority: ::exo_rails::DEFAULT_PRIORITY,
                declared: ::exo_rails::SourceLocation::here(&::core::module_path!()),
            },
            &[
                <::exo_rails::for_macros::Sound<
                    MemoriesRecalled,
                    __Events,
                    { __IS_EVENT },
                > as ::exo_rails::Event>::POINT,
                <PreToolCall as ::exo_rails::Event>::POINT,
            ],
            &[
                <::exo_rails::for_macros::Sound<
                    MemoriesRecalled,
                    __Events,
                    { __IS_EVENT },
                > as ::exo_rails::Event>::POINT,
                <PreToolCall as ::exo_rails::Event>::POINT,
            ],
        );
        type Events = __Events;
    }
    #[automatically_derived]
    impl ::exo_rails::RailOn<MemoriesRecalled> for privacy
    where
        for<'__event> MemoriesRecalled: ::exo_rails::Event,
    {
        type Out = ::exo_rails::for_macros::Sound<Verdict, Self, { __RETURNED }>;
        const CHANGES: bool = true;
        #[inline]
        fn call<'__event>(
            &'__event self,
            payload: <::exo_rails::for_macros::Sound<
                MemoriesRecalled,
                __Events,
                { __IS_EVENT },
            > as ::exo_rails::Payloads>::Payload<'__event>,
            ctx: &'__event mut ::exo_rails::RailContext,
        ) -> impl ::core::future::Future<Output = Self::Out> + ::core::marker::Send {
            let mut parts = <::exo_rails::for_macros::Sound<
                MemoriesRecalled,
                __Events,
                { __IS_EVENT },
            > as ::exo_rails::Event>::parts(payload);
            let mut ctx = ::core::option::Option::Some(ctx);
            let p0 = <::exo_rails::for_macros::Sound<
                &mut Memories,
                privacy,
                { __CARRIED },
            > as ::exo_rails::for_macros::CarriesForeign<
                '_,
                ::exo_rails::for_macros::Sound<
                    MemoriesRecalled,
                    __Events,
                    { __IS_EVENT },
                >,
                <::exo_rails::for_macros::Sound<
                    MemoriesRecalled,
                    __Events,
                    { __IS_EVENT },
                > as ::exo_rails::Payloads>::Payload<'_>,
            >>::pick(&mut parts, &mut ctx);
            ::core::future::ready(privacy(p0))
        }
    }
    #[automatically_derived]
    impl ::exo_rails::RailOn<PreToolCall> for privacy {
        type Out = Verdict;
        const CHANGES: bool = true;
        #[inline]
        fn call<'__event>(
            &'__event self,
            payload: <PreToolCall as ::exo_rails::Payloads>::Payload<'__event>,
            ctx: &'__event mut ::exo_rails::RailContext,
        ) -> impl ::core::future::Future<Output = Self::Out> + ::core::marker::Send {
            let mut parts = <PreToolCall as ::exo_rails::Event>::parts(payload);
            let mut ctx = ::core::option::Option::Some(ctx);
            let p0 = <::exo_rails::for_macros::Sound<
                &mut Memories,
                privacy,
                { __CARRIED },
            > as ::exo_rails::for_macros::CarriesForeign<
                '_,
                PreToolCall,
                <PreToolCall as ::exo_rails::Payloads>::Payload<'_>,
            >>::pick(&mut parts, &mut ctx);
            ::core::future::ready(privacy(p0))
        }
    }
};
