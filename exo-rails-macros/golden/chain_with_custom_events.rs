struct MemoryRails;
#[allow(dead_code, unused_imports, unused_parens)]
const _: () = {
    const _: () = {
        type privacy_0_ = privacy;
        #[automatically_derived]
        impl ::exo_rails::for_macros::Stateless for MemoryRails {
            const RAIL: &'static Self = &Self {};
        }
        const __SERVED: bool = {
            let _ = <MemoriesRecalled as ::exo_rails::Event>::POINT;
            let _ = <Tick as ::exo_rails::Event>::POINT;
            true
        };
        #[allow(unreachable_pub, missing_debug_implementations)]
        pub enum __Events {}
        #[automatically_derived]
        impl<__Rail> ::exo_rails::for_macros::EventList<__Rail> for __Events
        where
            ::exo_rails::for_macros::LifecycleEvents<
                (
                    ::exo_rails::for_macros::Sound<
                        MemoriesRecalled,
                        __Events,
                        { __SERVED },
                    >,
                    (::exo_rails::for_macros::Sound<Tick, __Events, { __SERVED }>, ()),
                ),
            >: ::exo_rails::for_macros::EventList<__Rail>,
        {
            fn visit<__Visitor: ::exo_rails::for_macros::EventVisitor<__Rail>>(
                visitor: &mut __Visitor,
            ) {
                <::exo_rails::for_macros::LifecycleEvents<
                    (
                        ::exo_rails::for_macros::Sound<
                            MemoriesRecalled,
                            __Events,
                            { __SERVED },
                        >,
                        (
                            ::exo_rails::for_macros::Sound<Tick, __Events, { __SERVED }>,
                            (),
                        ),
                    ),
                > as ::exo_rails::for_macros::EventList<__Rail>>::visit(visitor);
            }
        }
        /// The list of the rails, each at its place.
        enum ListedRails_ {}
        impl ::exo_rails::for_macros::RailAt<0> for ListedRails_ {
            type Rail = privacy_0_;
            type Access = ::exo_rails::for_macros::ByName;
        }
        impl ::exo_rails::for_macros::RunsEachRailOnce<privacy_0_> for MemoryRails {}
        static __ROWS: [::exo_rails::for_macros::Row; 1] = ::exo_rails::for_macros::Row::listed([
            <privacy_0_ as ::exo_rails::for_macros::ListedByName>::ROW,
        ]);
        impl ::exo_rails::for_macros::Listing<1> for MemoryRails {
            const ROWS: &'static [::exo_rails::for_macros::Row; 1] = &__ROWS;
            const CUSTOM_EVENTS: &'static [::exo_rails::EventPlan] = &[
                __Facts::at::<
                    ::exo_rails::for_macros::Sound<
                        MemoriesRecalled,
                        __Events,
                        { __SERVED },
                    >,
                >(),
                __Facts::at::<
                    ::exo_rails::for_macros::Sound<Tick, __Events, { __SERVED }>,
                >(),
            ];
            const ONION: bool = true;
        }
        /// The facts about the chain at compile time.
        type __Facts = ::exo_rails::for_macros::ChainFacts<MemoryRails, 1, 22>;
        impl ::exo_rails::for_macros::RailList for ListedRails_ {
            type Chain = MemoryRails;
            type Facts = __Facts;
            type Mode = ::exo_rails::for_macros::Plain<
                { __Facts::HAS_ALWAYS },
                { __Facts::HAS_AROUND },
            >;
        }
        use ::exo_rails::for_macros::Steps1 as __Steps1;
        /// `.11.0` is the place of the rail that runs first at event 11, `PreToolCall`.
        static __AT: ::exo_rails::for_macros::LifecycleOrder = __Facts::lifecycle(0);
        /// The rails on each event, in the order in which they run.
        impl ::exo_rails::for_macros::LifecycleSteps for ListedRails_ {
            type SessionStart = __Steps1<{ __AT.0.0 }>;
            type Start = __Steps1<{ __AT.1.0 }>;
            type MemoryRecalled = __Steps1<{ __AT.2.0 }>;
            type ContextAssembled = __Steps1<{ __AT.3.0 }>;
            type PreCompaction = __Steps1<{ __AT.4.0 }>;
            type PostCompaction = __Steps1<{ __AT.5.0 }>;
            type ContextOverflow = __Steps1<{ __AT.6.0 }>;
            type PreLlmCall = __Steps1<{ __AT.7.0 }>;
            type LlmChunk = __Steps1<{ __AT.8.0 }>;
            type PostLlmCall = __Steps1<{ __AT.9.0 }>;
            type LlmError = __Steps1<{ __AT.10.0 }>;
            type PreToolCall = __Steps1<{ __AT.11.0 }>;
            type PostToolCall = __Steps1<{ __AT.12.0 }>;
            type ToolError = __Steps1<{ __AT.13.0 }>;
            type Finished = __Steps1<{ __AT.14.0 }>;
            type MemoryStored = __Steps1<{ __AT.15.0 }>;
            type Error = __Steps1<{ __AT.16.0 }>;
            type Suspended = __Steps1<{ __AT.17.0 }>;
            type SessionEnd = __Steps1<{ __AT.18.0 }>;
            type Dropped = __Steps1<{ __AT.19.0 }>;
        }
        static __AT0_0: ::exo_rails::for_macros::Order = __Facts::order::<
            ::exo_rails::for_macros::Sound<MemoriesRecalled, __Events, { __SERVED }>,
        >(0);
        impl ::exo_rails::for_macros::StepsOn<
            ::exo_rails::for_macros::Sound<MemoriesRecalled, __Events, { __SERVED }>,
        > for ListedRails_ {
            type Steps = __Steps1<{ __AT0_0.0 }>;
        }
        static __AT1_0: ::exo_rails::for_macros::Order = __Facts::order::<
            ::exo_rails::for_macros::Sound<Tick, __Events, { __SERVED }>,
        >(0);
        impl ::exo_rails::for_macros::StepsOn<
            ::exo_rails::for_macros::Sound<Tick, __Events, { __SERVED }>,
        > for ListedRails_ {
            type Steps = __Steps1<{ __AT1_0.0 }>;
        }
        #[automatically_derived]
        impl<__Event: ::exo_rails::Event> ::exo_rails::Serves<__Event> for MemoryRails
        where
            ListedRails_: ::exo_rails::for_macros::StepsOn<__Event>,
        {
            #[inline]
            fn steps() -> impl ::exo_rails::for_macros::ChainSteps<__Event, Self> {
                ::exo_rails::for_macros::ListedSteps::<ListedRails_>::NEW
            }
            #[inline]
            fn run_rails<'__event>(
                &'__event self,
                payload: __Event::Payload<'__event>,
                ctx: &'__event mut ::exo_rails::RailContext,
            ) -> impl ::core::future::Future<
                Output = ::exo_rails::Outcome<__Event>,
            > + ::core::marker::Send {
                <ListedRails_ as ::exo_rails::for_macros::StepsOn<
                    __Event,
                >>::run_rails(self, payload, ctx)
            }
        }
        #[automatically_derived]
        impl ::exo_rails::for_macros::OneRailForEachType for MemoryRails {
            const INFO: ::exo_rails::RailInfo = ::exo_rails::RailInfo {
                name: "MemoryRails",
                priority: ::exo_rails::DEFAULT_PRIORITY,
                declared: ::exo_rails::SourceLocation::here(&::core::module_path!()),
            };
            const DECLARATION: ::exo_rails::for_macros::Row = __Facts::row(
                <Self as ::exo_rails::for_macros::OneRailForEachType>::INFO,
                &__PLAN,
            );
            type Events = __Events;
        }
        static __PLAN: ::exo_rails::Plan = __Facts::plan("MemoryRails");
        #[automatically_derived]
        impl ::exo_rails::Chain for MemoryRails {
            const PLAN: ::exo_rails::Plan = __PLAN;
            type Around = ::exo_rails::for_macros::HasAround<{ __Facts::HAS_AROUND }>;
        }
        const _: () = {
            __Facts::check_rail(0);
        };
    };
};
