struct MemoryRails {}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::exo_rails::__private::Stateless for MemoryRails {
    const RAIL: &'static Self = &Self {};
}
#[allow(dead_code, unused_imports, unused_parens)]
const _: () = {
    type __Rail0 = ::exo_rails::__private::NoRail<0>;
    const _: () = {
        use privacy as __Rail0;
        const __SERVED: bool = {
            let _ = <MemoriesRecalled as ::exo_rails::Event>::POINT;
            let _ = <Tick as ::exo_rails::Event>::POINT;
            true
        };
        #[allow(unreachable_pub, missing_debug_implementations)]
        pub enum __Events {}
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<__Rail> ::exo_rails::__private::EventList<__Rail> for __Events
        where
            (
                ::exo_rails::events::SessionStart,
                (
                    ::exo_rails::events::Start,
                    (
                        ::exo_rails::events::PreCompaction,
                        (
                            ::exo_rails::events::PostCompaction,
                            (
                                ::exo_rails::events::PreLlmCall,
                                (
                                    ::exo_rails::events::LlmChunk,
                                    (
                                        ::exo_rails::events::PostLlmCall,
                                        (
                                            ::exo_rails::events::LlmError,
                                            (
                                                ::exo_rails::events::PreToolCall,
                                                (
                                                    ::exo_rails::events::PostToolCall,
                                                    (
                                                        ::exo_rails::events::ToolError,
                                                        (
                                                            ::exo_rails::events::Finished,
                                                            (
                                                                ::exo_rails::events::Error,
                                                                (
                                                                    ::exo_rails::events::SessionEnd,
                                                                    (
                                                                        ::exo_rails::__private::Sound<
                                                                            MemoriesRecalled,
                                                                            __Events,
                                                                            { __SERVED },
                                                                        >,
                                                                        (
                                                                            ::exo_rails::__private::Sound<Tick, __Events, { __SERVED }>,
                                                                            (),
                                                                        ),
                                                                    ),
                                                                ),
                                                            ),
                                                        ),
                                                    ),
                                                ),
                                            ),
                                        ),
                                    ),
                                ),
                            ),
                        ),
                    ),
                ),
            ): ::exo_rails::__private::EventList<__Rail>,
        {
            fn visit<__Visitor: ::exo_rails::__private::EventVisitor<__Rail>>(
                visitor: &mut __Visitor,
            ) {
                <(
                    ::exo_rails::events::SessionStart,
                    (
                        ::exo_rails::events::Start,
                        (
                            ::exo_rails::events::PreCompaction,
                            (
                                ::exo_rails::events::PostCompaction,
                                (
                                    ::exo_rails::events::PreLlmCall,
                                    (
                                        ::exo_rails::events::LlmChunk,
                                        (
                                            ::exo_rails::events::PostLlmCall,
                                            (
                                                ::exo_rails::events::LlmError,
                                                (
                                                    ::exo_rails::events::PreToolCall,
                                                    (
                                                        ::exo_rails::events::PostToolCall,
                                                        (
                                                            ::exo_rails::events::ToolError,
                                                            (
                                                                ::exo_rails::events::Finished,
                                                                (
                                                                    ::exo_rails::events::Error,
                                                                    (
                                                                        ::exo_rails::events::SessionEnd,
                                                                        (
                                                                            ::exo_rails::__private::Sound<
                                                                                MemoriesRecalled,
                                                                                __Events,
                                                                                { __SERVED },
                                                                            >,
                                                                            (
                                                                                ::exo_rails::__private::Sound<Tick, __Events, { __SERVED }>,
                                                                                (),
                                                                            ),
                                                                        ),
                                                                    ),
                                                                ),
                                                            ),
                                                        ),
                                                    ),
                                                ),
                                            ),
                                        ),
                                    ),
                                ),
                            ),
                        ),
                    ),
                ) as ::exo_rails::__private::EventList<__Rail>>::visit(visitor);
            }
        }
        const __ORDER_0_0: ::exo_rails::__private::Order = ::exo_rails::__private::Order::from(
            &__Sorted::<::exo_rails::events::SessionStart>::ORDER,
            0,
        );
        impl ::exo_rails::__private::StepsOn<::exo_rails::events::SessionStart>
        for __Place {
            type Steps = ::exo_rails::__private::Steps1<__Place, { __ORDER_0_0.s0 }>;
        }
        const __ORDER_1_0: ::exo_rails::__private::Order = ::exo_rails::__private::Order::from(
            &__Sorted::<::exo_rails::events::Start>::ORDER,
            0,
        );
        impl ::exo_rails::__private::StepsOn<::exo_rails::events::Start> for __Place {
            type Steps = ::exo_rails::__private::Steps1<__Place, { __ORDER_1_0.s0 }>;
        }
        const __ORDER_2_0: ::exo_rails::__private::Order = ::exo_rails::__private::Order::from(
            &__Sorted::<::exo_rails::events::PreCompaction>::ORDER,
            0,
        );
        impl ::exo_rails::__private::StepsOn<::exo_rails::events::PreCompaction>
        for __Place {
            type Steps = ::exo_rails::__private::Steps1<__Place, { __ORDER_2_0.s0 }>;
        }
        const __ORDER_3_0: ::exo_rails::__private::Order = ::exo_rails::__private::Order::from(
            &__Sorted::<::exo_rails::events::PostCompaction>::ORDER,
            0,
        );
        impl ::exo_rails::__private::StepsOn<::exo_rails::events::PostCompaction>
        for __Place {
            type Steps = ::exo_rails::__private::Steps1<__Place, { __ORDER_3_0.s0 }>;
        }
        const __ORDER_4_0: ::exo_rails::__private::Order = ::exo_rails::__private::Order::from(
            &__Sorted::<::exo_rails::events::PreLlmCall>::ORDER,
            0,
        );
        impl ::exo_rails::__private::StepsOn<::exo_rails::events::PreLlmCall>
        for __Place {
            type Steps = ::exo_rails::__private::Steps1<__Place, { __ORDER_4_0.s0 }>;
        }
        const __ORDER_5_0: ::exo_rails::__private::Order = ::exo_rails::__private::Order::from(
            &__Sorted::<::exo_rails::events::LlmChunk>::ORDER,
            0,
        );
        impl ::exo_rails::__private::StepsOn<::exo_rails::events::LlmChunk> for __Place {
            type Steps = ::exo_rails::__private::Steps1<__Place, { __ORDER_5_0.s0 }>;
        }
        const __ORDER_6_0: ::exo_rails::__private::Order = ::exo_rails::__private::Order::from(
            &__Sorted::<::exo_rails::events::PostLlmCall>::ORDER,
            0,
        );
        impl ::exo_rails::__private::StepsOn<::exo_rails::events::PostLlmCall>
        for __Place {
            type Steps = ::exo_rails::__private::Steps1<__Place, { __ORDER_6_0.s0 }>;
        }
        const __ORDER_7_0: ::exo_rails::__private::Order = ::exo_rails::__private::Order::from(
            &__Sorted::<::exo_rails::events::LlmError>::ORDER,
            0,
        );
        impl ::exo_rails::__private::StepsOn<::exo_rails::events::LlmError> for __Place {
            type Steps = ::exo_rails::__private::Steps1<__Place, { __ORDER_7_0.s0 }>;
        }
        const __ORDER_8_0: ::exo_rails::__private::Order = ::exo_rails::__private::Order::from(
            &__Sorted::<::exo_rails::events::PreToolCall>::ORDER,
            0,
        );
        impl ::exo_rails::__private::StepsOn<::exo_rails::events::PreToolCall>
        for __Place {
            type Steps = ::exo_rails::__private::Steps1<__Place, { __ORDER_8_0.s0 }>;
        }
        const __ORDER_9_0: ::exo_rails::__private::Order = ::exo_rails::__private::Order::from(
            &__Sorted::<::exo_rails::events::PostToolCall>::ORDER,
            0,
        );
        impl ::exo_rails::__private::StepsOn<::exo_rails::events::PostToolCall>
        for __Place {
            type Steps = ::exo_rails::__private::Steps1<__Place, { __ORDER_9_0.s0 }>;
        }
        const __ORDER_10_0: ::exo_rails::__private::Order = ::exo_rails::__private::Order::from(
            &__Sorted::<::exo_rails::events::ToolError>::ORDER,
            0,
        );
        impl ::exo_rails::__private::StepsOn<::exo_rails::events::ToolError>
        for __Place {
            type Steps = ::exo_rails::__private::Steps1<__Place, { __ORDER_10_0.s0 }>;
        }
        const __ORDER_11_0: ::exo_rails::__private::Order = ::exo_rails::__private::Order::from(
            &__Sorted::<::exo_rails::events::Finished>::ORDER,
            0,
        );
        impl ::exo_rails::__private::StepsOn<::exo_rails::events::Finished> for __Place {
            type Steps = ::exo_rails::__private::Steps1<__Place, { __ORDER_11_0.s0 }>;
        }
        const __ORDER_12_0: ::exo_rails::__private::Order = ::exo_rails::__private::Order::from(
            &__Sorted::<::exo_rails::events::Error>::ORDER,
            0,
        );
        impl ::exo_rails::__private::StepsOn<::exo_rails::events::Error> for __Place {
            type Steps = ::exo_rails::__private::Steps1<__Place, { __ORDER_12_0.s0 }>;
        }
        const __ORDER_13_0: ::exo_rails::__private::Order = ::exo_rails::__private::Order::from(
            &__Sorted::<::exo_rails::events::SessionEnd>::ORDER,
            0,
        );
        impl ::exo_rails::__private::StepsOn<::exo_rails::events::SessionEnd>
        for __Place {
            type Steps = ::exo_rails::__private::Steps1<__Place, { __ORDER_13_0.s0 }>;
        }
        const __ORDER_14_0: ::exo_rails::__private::Order = ::exo_rails::__private::Order::from(
            &__Sorted::<
                ::exo_rails::__private::Sound<MemoriesRecalled, __Events, { __SERVED }>,
            >::ORDER,
            0,
        );
        impl ::exo_rails::__private::StepsOn<
            ::exo_rails::__private::Sound<MemoriesRecalled, __Events, { __SERVED }>,
        > for __Place {
            type Steps = ::exo_rails::__private::Steps1<__Place, { __ORDER_14_0.s0 }>;
        }
        const __ORDER_15_0: ::exo_rails::__private::Order = ::exo_rails::__private::Order::from(
            &__Sorted::<
                ::exo_rails::__private::Sound<Tick, __Events, { __SERVED }>,
            >::ORDER,
            0,
        );
        impl ::exo_rails::__private::StepsOn<
            ::exo_rails::__private::Sound<Tick, __Events, { __SERVED }>,
        > for __Place {
            type Steps = ::exo_rails::__private::Steps1<__Place, { __ORDER_15_0.s0 }>;
        }
        type __Course = ::exo_rails::__private::Always<
            { ::exo_rails::__private::Summary::<MemoryRails, 1, 16>::HAS_ALWAYS },
        >;
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<__Event: ::exo_rails::Event> ::exo_rails::Serves<__Event> for MemoryRails
        where
            __Place: ::exo_rails::__private::StepsOn<__Event>,
        {
            #[inline]
            fn has_rails(&self) -> bool {
                __Sorted::<__Event>::GUARDS
            }
            #[inline]
            fn may_rewrite(&self) -> bool {
                __Sorted::<__Event>::REWRITES
            }
            #[inline]
            fn stream_window(&self) -> usize {
                ::exo_rails::__private::Summary::<MemoryRails, 1, 16>::WINDOW
            }
            #[inline]
            fn run_rails<'__event>(
                &'__event self,
                payload: <__Event as ::exo_rails::Payloads>::Payload<'__event>,
                ctx: &'__event mut ::exo_rails::RailContext,
            ) -> impl ::core::future::Future<
                Output = ::exo_rails::Outcome<__Event>,
            > + ::core::marker::Send {
                <__Course as ::exo_rails::__private::Course>::take_steps::<
                    __Event,
                    <__Place as ::exo_rails::__private::StepsOn<__Event>>::Steps,
                >(self, payload, ctx)
            }
            fn run_always_rails<'__event>(
                &'__event self,
                payload: <__Event as ::exo_rails::Payloads>::Payload<'__event>,
                ctx: &'__event mut ::exo_rails::RailContext,
            ) -> impl ::core::future::Future<Output = ()> + ::core::marker::Send {
                <__Course as ::exo_rails::__private::Course>::observe::<
                    __Event,
                    <__Place as ::exo_rails::__private::StepsOn<__Event>>::Steps,
                >(self, payload, ctx)
            }
        }
        /// Which rail is at which place of the list.
        enum __Place {}
        /// Which place is at which step of an event.
        type __Sorted<__Event> = ::exo_rails::__private::Sorted<
            MemoryRails,
            __Event,
            1,
            16,
        >;
        #[automatically_derived]
        impl ::exo_rails::__private::Places for __Place {
            type Chain = MemoryRails;
        }
        impl ::exo_rails::__private::RailAt<0> for __Place {
            type Rail = __Rail0;
            type Access = ::exo_rails::__private::ByName;
        }
        impl ::exo_rails::__private::RunsEachRailOnce<(__Rail0)> for MemoryRails {}
        #[automatically_derived]
        impl ::exo_rails::__private::RailAt<1> for __Place {
            type Rail = ::exo_rails::__private::NoRail;
            type Access = ::exo_rails::__private::ByName;
        }
        static __ROWS: [::exo_rails::__private::Row; 1] = [
            <__Rail0 as ::exo_rails::__private::Stateless>::ROW,
        ];
        #[automatically_derived]
        impl ::exo_rails::__private::Listing<1, 16> for MemoryRails {
            const ROWS: &'static [::exo_rails::__private::Row; 1] = &__ROWS;
            const EVENTS: [::exo_rails::EventPlan; 16] = [
                __Sorted::<::exo_rails::events::SessionStart>::PLAN,
                __Sorted::<::exo_rails::events::Start>::PLAN,
                __Sorted::<::exo_rails::events::PreCompaction>::PLAN,
                __Sorted::<::exo_rails::events::PostCompaction>::PLAN,
                __Sorted::<::exo_rails::events::PreLlmCall>::PLAN,
                __Sorted::<::exo_rails::events::LlmChunk>::PLAN,
                __Sorted::<::exo_rails::events::PostLlmCall>::PLAN,
                __Sorted::<::exo_rails::events::LlmError>::PLAN,
                __Sorted::<::exo_rails::events::PreToolCall>::PLAN,
                __Sorted::<::exo_rails::events::PostToolCall>::PLAN,
                __Sorted::<::exo_rails::events::ToolError>::PLAN,
                __Sorted::<::exo_rails::events::Finished>::PLAN,
                __Sorted::<::exo_rails::events::Error>::PLAN,
                __Sorted::<::exo_rails::events::SessionEnd>::PLAN,
                __Sorted::<
                    ::exo_rails::__private::Sound<
                        MemoriesRecalled,
                        __Events,
                        { __SERVED },
                    >,
                >::PLAN,
                __Sorted::<
                    ::exo_rails::__private::Sound<Tick, __Events, { __SERVED }>,
                >::PLAN,
            ];
            const ONION: bool = true;
        }
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl ::exo_rails::Rail for MemoryRails {
            const INFO: ::exo_rails::RailInfo = ::exo_rails::RailInfo {
                name: "MemoryRails",
                priority: ::exo_rails::DEFAULT_PRIORITY,
                declared: ::exo_rails::SourceLocation::here(&::core::module_path!()),
            };
            const DECLARATION: ::exo_rails::__private::Row = ::exo_rails::__private::Row::new(
                    <Self as ::exo_rails::Rail>::INFO,
                    ::exo_rails::__private::Summary::<Self, 1, 16>::EVENTS,
                    ::exo_rails::__private::Summary::<Self, 1, 16>::REWRITES,
                )
                .with_inner(&__PLAN)
                .always_in(::exo_rails::__private::Summary::<Self, 1, 16>::ALWAYS)
                .window(::exo_rails::__private::Summary::<Self, 1, 16>::WINDOW)
                .told(::exo_rails::__private::Summary::<Self, 1, 16>::TOLD);
            type Events = __Events;
        }
        static __PLAN: ::exo_rails::Plan = ::exo_rails::Plan {
            chain: "MemoryRails",
            events: ::exo_rails::__private::Summary::<MemoryRails, 1, 16>::PLANS,
        };
        #[automatically_derived]
        impl ::exo_rails::Chain for MemoryRails {
            const PLAN: ::exo_rails::Plan = __PLAN;
        }
        type __Checks = ::exo_rails::__private::Checks<MemoryRails, 1, 16>;
        const _: () = {
            __Checks::place(0);
        };
        const _: () = {};
    };
};
