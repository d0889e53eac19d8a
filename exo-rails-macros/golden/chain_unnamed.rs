fn main() {
    let rails = {
        #[derive(::core::clone::Clone, ::core::marker::Copy)]
        struct UnnamedChain;
        impl ::core::fmt::Debug for UnnamedChain {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str("rail_chain![guards::redact]")
            }
        }
        #[allow(dead_code, unused_imports, unused_parens)]
        const _: () = {
            type __redact_0 = ::exo_rails::__private::NoRail<0>;
            const _: () = {
                use guards::redact as __redact_0;
                #[automatically_derived]
                impl ::exo_rails::__private::Stateless for UnnamedChain {
                    const RAIL: &'static Self = &Self {};
                }
                /// The list of the rails, each at its place.
                enum __Rails {}
                impl ::exo_rails::__private::RailAt<0> for __Rails {
                    type Rail = __redact_0;
                    type Access = ::exo_rails::__private::ByName;
                }
                impl ::exo_rails::__private::RunsEachRailOnce<__redact_0>
                for UnnamedChain {}
                static __ROWS: [::exo_rails::__private::Row; 1] = ::exo_rails::__private::Row::listed([
                    <__redact_0 as ::exo_rails::__private::ListedByName>::ROW,
                ]);
                impl ::exo_rails::__private::Listing<1> for UnnamedChain {
                    const ROWS: &'static [::exo_rails::__private::Row; 1] = &__ROWS;
                }
                /// The facts about the chain at compile time.
                type __Facts = ::exo_rails::__private::ChainFacts<UnnamedChain, 1>;
                impl ::exo_rails::__private::RailList for __Rails {
                    type Chain = UnnamedChain;
                    type Facts = __Facts;
                    type Mode = ::exo_rails::__private::Plain<
                        { __Facts::HAS_ALWAYS },
                        { __Facts::HAS_AROUND },
                    >;
                }
                use ::exo_rails::__private::Steps1 as __Steps1;
                /// `.11.0` is the place of the rail that runs first at event 11, `PreToolCall`.
                static __AT: ::exo_rails::__private::LifecycleOrder = __Facts::lifecycle(
                    0,
                );
                /// The rails on each event, in the order in which they run.
                impl ::exo_rails::__private::LifecycleSteps for __Rails {
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
                #[automatically_derived]
                impl<__Event: ::exo_rails::Event> ::exo_rails::Serves<__Event>
                for UnnamedChain
                where
                    __Rails: ::exo_rails::__private::StepsOn<__Event>,
                {
                    #[inline]
                    fn steps() -> impl ::exo_rails::__private::ChainSteps<
                        __Event,
                        Self,
                    > {
                        ::exo_rails::__private::ListedSteps::<__Rails>::NEW
                    }
                    #[inline]
                    fn run_rails<'__event>(
                        &'__event self,
                        payload: __Event::Payload<'__event>,
                        ctx: &'__event mut ::exo_rails::RailContext,
                    ) -> impl ::core::future::Future<
                        Output = ::exo_rails::Outcome<__Event>,
                    > + ::core::marker::Send {
                        <__Rails as ::exo_rails::__private::StepsOn<
                            __Event,
                        >>::run_rails(self, payload, ctx)
                    }
                }
                #[automatically_derived]
                impl ::exo_rails::__private::OneRailForEachType for UnnamedChain {
                    const INFO: ::exo_rails::RailInfo = ::exo_rails::RailInfo {
                        name: "rail_chain!",
                        priority: ::exo_rails::DEFAULT_PRIORITY,
                        declared: ::exo_rails::SourceLocation::here(
                            &::core::module_path!(),
                        ),
                    };
                    const DECLARATION: ::exo_rails::__private::Row = __Facts::row(
                        <Self as ::exo_rails::__private::OneRailForEachType>::INFO,
                        &__PLAN,
                    );
                    type Events = ::exo_rails::__private::LifecycleEvents;
                }
                static __PLAN: ::exo_rails::Plan = __Facts::plan("rail_chain!");
                #[automatically_derived]
                impl ::exo_rails::Chain for UnnamedChain {
                    const PLAN: ::exo_rails::Plan = __PLAN;
                    type Around = ::exo_rails::__private::HasAround<
                        { __Facts::HAS_AROUND },
                    >;
                }
                const _: () = {
                    __Facts::check_rail(0);
                };
            };
        };
        UnnamedChain {}
    };
}
