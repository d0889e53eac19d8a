/// What guards the support agent.
pub struct SupportRails {
    pub limit: RateLimit<MemoryStore>,
}
const _: () = {
    #[allow(dead_code)]
    type __Rail0 = ::exo_rails::__private::NoRail<0>;
    const _: () = {
        #[allow(unused_imports)]
        use block_dangerous as __Rail0;
        /// Which rail is at which place of the list.
        enum __Place {}
        /// Which place is at which step of an event.
        type __Sorted<__Event> = ::exo_rails::__private::Sorted<
            SupportRails,
            __Event,
            2,
            9,
        >;
        #[automatically_derived]
        impl ::exo_rails::__private::RailAt<0> for __Place {
            type Chain = SupportRails;
            type Rail = __Rail0;
            const ROW: ::exo_rails::__private::Row = <__Rail0 as ::exo_rails::checks::Stateless>::ROW;
            #[inline]
            fn rail(chain: &SupportRails) -> &Self::Rail {
                <__Rail0 as ::exo_rails::checks::Stateless>::RAIL
            }
        }
        #[automatically_derived]
        #[allow(unused_parens)]
        impl ::exo_rails::checks::RunsEachRailOnce<(__Rail0)> for SupportRails {}
        #[automatically_derived]
        impl ::exo_rails::__private::RailAt<1> for __Place {
            type Chain = SupportRails;
            type Rail = RateLimit<MemoryStore>;
            const ROW: ::exo_rails::__private::Row = <RateLimit<
                MemoryStore,
            > as ::exo_rails::Rail>::ROW;
            #[inline]
            fn rail(chain: &SupportRails) -> &Self::Rail {
                &chain.limit
            }
        }
        #[automatically_derived]
        #[allow(unused_parens)]
        impl ::exo_rails::checks::RunsEachRailOnce<(RateLimit<MemoryStore>)>
        for SupportRails {}
        #[automatically_derived]
        impl ::exo_rails::__private::RailAt<2> for __Place {
            type Chain = SupportRails;
            type Rail = ::exo_rails::__private::NoRail;
            const ROW: ::exo_rails::__private::Row = ::exo_rails::__private::NoRail::ROW;
            #[inline]
            fn rail(_: &SupportRails) -> &Self::Rail {
                &::exo_rails::__private::NoRail
            }
        }
        #[automatically_derived]
        impl ::exo_rails::__private::Listing<2, 9> for SupportRails {
            const ROWS: [::exo_rails::__private::Row; 2] = [
                <__Place as ::exo_rails::__private::RailAt<0>>::ROW,
                <__Place as ::exo_rails::__private::RailAt<1>>::ROW,
            ];
            const EVENTS: [::exo_rails::EventPlan; 9] = [
                __Sorted::<::exo_rails::events::Start>::PLAN,
                __Sorted::<::exo_rails::events::PreLlmCall>::PLAN,
                __Sorted::<::exo_rails::events::PostLlmCall>::PLAN,
                __Sorted::<::exo_rails::events::LlmError>::PLAN,
                __Sorted::<::exo_rails::events::PreToolCall>::PLAN,
                __Sorted::<::exo_rails::events::PostToolCall>::PLAN,
                __Sorted::<::exo_rails::events::ToolError>::PLAN,
                __Sorted::<::exo_rails::events::Finished>::PLAN,
                __Sorted::<::exo_rails::events::Error>::PLAN,
            ];
        }
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl ::exo_rails::Rail for SupportRails {
            const NAME: &'static str = "SupportRails";
            const PRIORITY: i32 = 20;
            const EVENTS: &'static [::exo_rails::HookPoint] = ::exo_rails::__private::Summary::<
                Self,
                2,
                9,
            >::EVENTS;
            const REWRITES: &'static [::exo_rails::HookPoint] = ::exo_rails::__private::Summary::<
                Self,
                2,
                9,
            >::REWRITES;
            const DECLARED: ::exo_rails::Declared = ::exo_rails::Declared {
                file: ::core::file!(),
                line: ::core::line!(),
                column: ::core::column!(),
            };
            const INNER: ::core::option::Option<&'static ::exo_rails::Plan> = ::core::option::Option::Some(
                &<Self as ::exo_rails::Chain>::PLAN,
            );
            fn each_event<__Visitor: ::exo_rails::__private::EventVisitor<Self>>(
                visitor: &mut __Visitor,
            ) {
                visitor.visit::<::exo_rails::events::Start>();
                visitor.visit::<::exo_rails::events::PreLlmCall>();
                visitor.visit::<::exo_rails::events::PostLlmCall>();
                visitor.visit::<::exo_rails::events::LlmError>();
                visitor.visit::<::exo_rails::events::PreToolCall>();
                visitor.visit::<::exo_rails::events::PostToolCall>();
                visitor.visit::<::exo_rails::events::ToolError>();
                visitor.visit::<::exo_rails::events::Finished>();
                visitor.visit::<::exo_rails::events::Error>();
            }
        }
        #[automatically_derived]
        impl ::exo_rails::Chain for SupportRails {
            const PLAN: ::exo_rails::Plan = ::exo_rails::Plan {
                chain: "SupportRails",
                events: ::exo_rails::__private::Summary::<Self, 2, 9>::PLANS,
            };
        }
        use ::exo_rails::__private::Step as _;
        /// What is called at an event, one after the other.
        trait __Steps<__Event: ::exo_rails::Event> {
            type Step0: ::exo_rails::__private::Step<__Event, Chain = SupportRails>;
            type Step1: ::exo_rails::__private::Step<__Event, Chain = SupportRails>;
        }
        impl __Steps<::exo_rails::events::Start> for __Place {
            type Step0 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::Start>::ORDER[0] },
            >;
            type Step1 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::Start>::ORDER[1] },
            >;
        }
        impl __Steps<::exo_rails::events::PreLlmCall> for __Place {
            type Step0 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::PreLlmCall>::ORDER[0] },
            >;
            type Step1 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::PreLlmCall>::ORDER[1] },
            >;
        }
        impl __Steps<::exo_rails::events::PostLlmCall> for __Place {
            type Step0 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::PostLlmCall>::ORDER[0] },
            >;
            type Step1 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::PostLlmCall>::ORDER[1] },
            >;
        }
        impl __Steps<::exo_rails::events::LlmError> for __Place {
            type Step0 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::LlmError>::ORDER[0] },
            >;
            type Step1 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::LlmError>::ORDER[1] },
            >;
        }
        impl __Steps<::exo_rails::events::PreToolCall> for __Place {
            type Step0 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::PreToolCall>::ORDER[0] },
            >;
            type Step1 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::PreToolCall>::ORDER[1] },
            >;
        }
        impl __Steps<::exo_rails::events::PostToolCall> for __Place {
            type Step0 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::PostToolCall>::ORDER[0] },
            >;
            type Step1 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::PostToolCall>::ORDER[1] },
            >;
        }
        impl __Steps<::exo_rails::events::ToolError> for __Place {
            type Step0 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::ToolError>::ORDER[0] },
            >;
            type Step1 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::ToolError>::ORDER[1] },
            >;
        }
        impl __Steps<::exo_rails::events::Finished> for __Place {
            type Step0 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::Finished>::ORDER[0] },
            >;
            type Step1 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::Finished>::ORDER[1] },
            >;
        }
        impl __Steps<::exo_rails::events::Error> for __Place {
            type Step0 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::Error>::ORDER[0] },
            >;
            type Step1 = ::exo_rails::__private::At<
                __Place,
                { __Sorted::<::exo_rails::events::Error>::ORDER[1] },
            >;
        }
        #[automatically_derived]
        impl<__Event: ::exo_rails::Event> ::exo_rails::RunOn<__Event> for SupportRails
        where
            __Place: __Steps<__Event>,
        {
            #[inline]
            fn rewrites(&self) -> bool {
                __Sorted::<__Event>::REWRITES
            }
            #[inline]
            fn dispatch<'__event>(
                &'__event self,
                payload: <__Event as ::exo_rails::Payloads>::Payload<'__event>,
                ctx: &'__event mut ::exo_rails::RailContext,
            ) -> impl ::core::future::Future<
                Output = ::exo_rails::Outcome<__Event>,
            > + ::core::marker::Send {
                async move {
                    let mut payload = payload;
                    let lent = <__Event as ::exo_rails::Payloads>::reborrow(
                        &mut payload,
                    );
                    let output = <__Place as __Steps<
                        __Event,
                    >>::Step0::call(self, lent, &mut *ctx)
                        .await;
                    match <__Place as __Steps<__Event>>::Step0::flow(output) {
                        ::core::ops::ControlFlow::Break(outcome) => return outcome,
                        ::core::ops::ControlFlow::Continue(()) => {}
                    }
                    let lent = <__Event as ::exo_rails::Payloads>::reborrow(
                        &mut payload,
                    );
                    let output = <__Place as __Steps<
                        __Event,
                    >>::Step1::call(self, lent, &mut *ctx)
                        .await;
                    match <__Place as __Steps<__Event>>::Step1::flow(output) {
                        ::core::ops::ControlFlow::Break(outcome) => return outcome,
                        ::core::ops::ControlFlow::Continue(()) => {}
                    }
                    ::core::result::Result::Ok(::exo_rails::Decision::Continue)
                }
            }
        }
        type __Checks = ::exo_rails::__private::Checks<SupportRails, 2, 9>;
        const _: () = {
            __Checks::place(0);
            __Checks::place(1);
        };
    };
};
