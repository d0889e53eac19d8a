fn main() {
    let rails = {
        struct UnnamedChain {}
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl ::exo_rails::checks::Stateless for UnnamedChain {
            const RAIL: &'static Self = &Self {};
        }
        const _: () = {
            /// Which rail is at which place of the list.
            enum __Place {}
            #[automatically_derived]
            impl ::exo_rails::__private::RailAt<0usize> for __Place {
                type Chain = UnnamedChain;
                type Rail = guards::redact;
                const ROW: ::exo_rails::__private::Row = <guards::redact as ::exo_rails::checks::Stateless>::ROW;
                #[inline]
                fn rail(chain: &UnnamedChain) -> &Self::Rail {
                    <guards::redact as ::exo_rails::checks::Stateless>::RAIL
                }
            }
            #[automatically_derived]
            #[allow(unused_parens)]
            impl ::exo_rails::checks::RunsEachRailOnce<(guards::redact)>
            for UnnamedChain {}
            #[automatically_derived]
            impl ::exo_rails::__private::RailAt<1usize> for __Place {
                type Chain = UnnamedChain;
                type Rail = ::exo_rails::__private::NoRail;
                const ROW: ::exo_rails::__private::Row = ::exo_rails::__private::NoRail::ROW;
                #[inline]
                fn rail(_: &UnnamedChain) -> &Self::Rail {
                    &::exo_rails::__private::NoRail
                }
            }
            #[automatically_derived]
            impl ::exo_rails::__private::Listing<1usize, 9usize> for UnnamedChain {
                const ROWS: [::exo_rails::__private::Row; 1usize] = [
                    <__Place as ::exo_rails::__private::RailAt<0usize>>::ROW,
                ];
                const EVENTS: [::exo_rails::EventPlan; 9usize] = [
                    ::exo_rails::__private::Sorted::<
                        Self,
                        ::exo_rails::events::Start,
                        1usize,
                        9usize,
                    >::PLAN,
                    ::exo_rails::__private::Sorted::<
                        Self,
                        ::exo_rails::events::PreLlmCall,
                        1usize,
                        9usize,
                    >::PLAN,
                    ::exo_rails::__private::Sorted::<
                        Self,
                        ::exo_rails::events::PostLlmCall,
                        1usize,
                        9usize,
                    >::PLAN,
                    ::exo_rails::__private::Sorted::<
                        Self,
                        ::exo_rails::events::LlmError,
                        1usize,
                        9usize,
                    >::PLAN,
                    ::exo_rails::__private::Sorted::<
                        Self,
                        ::exo_rails::events::PreToolCall,
                        1usize,
                        9usize,
                    >::PLAN,
                    ::exo_rails::__private::Sorted::<
                        Self,
                        ::exo_rails::events::PostToolCall,
                        1usize,
                        9usize,
                    >::PLAN,
                    ::exo_rails::__private::Sorted::<
                        Self,
                        ::exo_rails::events::ToolError,
                        1usize,
                        9usize,
                    >::PLAN,
                    ::exo_rails::__private::Sorted::<
                        Self,
                        ::exo_rails::events::Finished,
                        1usize,
                        9usize,
                    >::PLAN,
                    ::exo_rails::__private::Sorted::<
                        Self,
                        ::exo_rails::events::Error,
                        1usize,
                        9usize,
                    >::PLAN,
                ];
            }
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl ::exo_rails::Rail for UnnamedChain {
                const NAME: &'static str = "rail_chain!";
                const PRIORITY: i32 = ::exo_rails::DEFAULT_PRIORITY;
                const EVENTS: &'static [::exo_rails::HookPoint] = ::exo_rails::__private::Summary::<
                    Self,
                    1usize,
                    9usize,
                >::EVENTS;
                const REWRITES: &'static [::exo_rails::HookPoint] = ::exo_rails::__private::Summary::<
                    Self,
                    1usize,
                    9usize,
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
            impl ::exo_rails::Chain for UnnamedChain {
                const PLAN: ::exo_rails::Plan = ::exo_rails::Plan {
                    chain: "rail_chain!",
                    events: ::exo_rails::__private::Summary::<
                        Self,
                        1usize,
                        9usize,
                    >::PLANS,
                };
            }
            #[automatically_derived]
            impl ::exo_rails::RunOn<::exo_rails::events::Start> for UnnamedChain {
                #[inline]
                fn rewrites(&self) -> bool {
                    ::exo_rails::__private::Sorted::<
                        UnnamedChain,
                        ::exo_rails::events::Start,
                        1usize,
                        9usize,
                    >::REWRITES
                }
                #[inline]
                fn dispatch<'a>(
                    &'a self,
                    payload: <::exo_rails::events::Start as ::exo_rails::Payloads>::Payload<
                        'a,
                    >,
                    ctx: &'a mut ::exo_rails::RailContext,
                ) -> impl ::core::future::Future<
                    Output = ::exo_rails::Outcome<::exo_rails::events::Start>,
                > + ::core::marker::Send {
                    async move {
                        let mut payload = payload;
                        {
                            type Step = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::Start,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::Rail;
                            let rail = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::Start,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::rail(self);
                            let payload = <::exo_rails::events::Start as ::exo_rails::Payloads>::reborrow(
                                &mut payload,
                            );
                            let output = <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::Start,
                            >>::call(rail, payload, &mut *ctx)
                                .await;
                            match <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::Start,
                            >>::flow(output) {
                                ::core::ops::ControlFlow::Break(stop) => {
                                    return ::core::ops::ControlFlow::Break(stop);
                                }
                                ::core::ops::ControlFlow::Continue(()) => {}
                            }
                        }
                        ::core::ops::ControlFlow::Continue(())
                    }
                }
            }
            #[automatically_derived]
            impl ::exo_rails::RunOn<::exo_rails::events::PreLlmCall> for UnnamedChain {
                #[inline]
                fn rewrites(&self) -> bool {
                    ::exo_rails::__private::Sorted::<
                        UnnamedChain,
                        ::exo_rails::events::PreLlmCall,
                        1usize,
                        9usize,
                    >::REWRITES
                }
                #[inline]
                fn dispatch<'a>(
                    &'a self,
                    payload: <::exo_rails::events::PreLlmCall as ::exo_rails::Payloads>::Payload<
                        'a,
                    >,
                    ctx: &'a mut ::exo_rails::RailContext,
                ) -> impl ::core::future::Future<
                    Output = ::exo_rails::Outcome<::exo_rails::events::PreLlmCall>,
                > + ::core::marker::Send {
                    async move {
                        let mut payload = payload;
                        {
                            type Step = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::PreLlmCall,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::Rail;
                            let rail = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::PreLlmCall,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::rail(self);
                            let payload = <::exo_rails::events::PreLlmCall as ::exo_rails::Payloads>::reborrow(
                                &mut payload,
                            );
                            let output = <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::PreLlmCall,
                            >>::call(rail, payload, &mut *ctx)
                                .await;
                            match <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::PreLlmCall,
                            >>::flow(output) {
                                ::core::ops::ControlFlow::Break(stop) => {
                                    return ::core::ops::ControlFlow::Break(stop);
                                }
                                ::core::ops::ControlFlow::Continue(()) => {}
                            }
                        }
                        ::core::ops::ControlFlow::Continue(())
                    }
                }
            }
            #[automatically_derived]
            impl ::exo_rails::RunOn<::exo_rails::events::PostLlmCall> for UnnamedChain {
                #[inline]
                fn rewrites(&self) -> bool {
                    ::exo_rails::__private::Sorted::<
                        UnnamedChain,
                        ::exo_rails::events::PostLlmCall,
                        1usize,
                        9usize,
                    >::REWRITES
                }
                #[inline]
                fn dispatch<'a>(
                    &'a self,
                    payload: <::exo_rails::events::PostLlmCall as ::exo_rails::Payloads>::Payload<
                        'a,
                    >,
                    ctx: &'a mut ::exo_rails::RailContext,
                ) -> impl ::core::future::Future<
                    Output = ::exo_rails::Outcome<::exo_rails::events::PostLlmCall>,
                > + ::core::marker::Send {
                    async move {
                        let mut payload = payload;
                        {
                            type Step = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::PostLlmCall,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::Rail;
                            let rail = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::PostLlmCall,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::rail(self);
                            let payload = <::exo_rails::events::PostLlmCall as ::exo_rails::Payloads>::reborrow(
                                &mut payload,
                            );
                            let output = <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::PostLlmCall,
                            >>::call(rail, payload, &mut *ctx)
                                .await;
                            match <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::PostLlmCall,
                            >>::flow(output) {
                                ::core::ops::ControlFlow::Break(stop) => {
                                    return ::core::ops::ControlFlow::Break(stop);
                                }
                                ::core::ops::ControlFlow::Continue(()) => {}
                            }
                        }
                        ::core::ops::ControlFlow::Continue(())
                    }
                }
            }
            #[automatically_derived]
            impl ::exo_rails::RunOn<::exo_rails::events::LlmError> for UnnamedChain {
                #[inline]
                fn rewrites(&self) -> bool {
                    ::exo_rails::__private::Sorted::<
                        UnnamedChain,
                        ::exo_rails::events::LlmError,
                        1usize,
                        9usize,
                    >::REWRITES
                }
                #[inline]
                fn dispatch<'a>(
                    &'a self,
                    payload: <::exo_rails::events::LlmError as ::exo_rails::Payloads>::Payload<
                        'a,
                    >,
                    ctx: &'a mut ::exo_rails::RailContext,
                ) -> impl ::core::future::Future<
                    Output = ::exo_rails::Outcome<::exo_rails::events::LlmError>,
                > + ::core::marker::Send {
                    async move {
                        let mut payload = payload;
                        {
                            type Step = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::LlmError,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::Rail;
                            let rail = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::LlmError,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::rail(self);
                            let payload = <::exo_rails::events::LlmError as ::exo_rails::Payloads>::reborrow(
                                &mut payload,
                            );
                            let output = <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::LlmError,
                            >>::call(rail, payload, &mut *ctx)
                                .await;
                            match <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::LlmError,
                            >>::flow(output) {
                                ::core::ops::ControlFlow::Break(stop) => {
                                    return ::core::ops::ControlFlow::Break(stop);
                                }
                                ::core::ops::ControlFlow::Continue(()) => {}
                            }
                        }
                        ::core::ops::ControlFlow::Continue(())
                    }
                }
            }
            #[automatically_derived]
            impl ::exo_rails::RunOn<::exo_rails::events::PreToolCall> for UnnamedChain {
                #[inline]
                fn rewrites(&self) -> bool {
                    ::exo_rails::__private::Sorted::<
                        UnnamedChain,
                        ::exo_rails::events::PreToolCall,
                        1usize,
                        9usize,
                    >::REWRITES
                }
                #[inline]
                fn dispatch<'a>(
                    &'a self,
                    payload: <::exo_rails::events::PreToolCall as ::exo_rails::Payloads>::Payload<
                        'a,
                    >,
                    ctx: &'a mut ::exo_rails::RailContext,
                ) -> impl ::core::future::Future<
                    Output = ::exo_rails::Outcome<::exo_rails::events::PreToolCall>,
                > + ::core::marker::Send {
                    async move {
                        let mut payload = payload;
                        {
                            type Step = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::PreToolCall,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::Rail;
                            let rail = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::PreToolCall,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::rail(self);
                            let payload = <::exo_rails::events::PreToolCall as ::exo_rails::Payloads>::reborrow(
                                &mut payload,
                            );
                            let output = <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::PreToolCall,
                            >>::call(rail, payload, &mut *ctx)
                                .await;
                            match <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::PreToolCall,
                            >>::flow(output) {
                                ::core::ops::ControlFlow::Break(stop) => {
                                    return ::core::ops::ControlFlow::Break(stop);
                                }
                                ::core::ops::ControlFlow::Continue(()) => {}
                            }
                        }
                        ::core::ops::ControlFlow::Continue(())
                    }
                }
            }
            #[automatically_derived]
            impl ::exo_rails::RunOn<::exo_rails::events::PostToolCall> for UnnamedChain {
                #[inline]
                fn rewrites(&self) -> bool {
                    ::exo_rails::__private::Sorted::<
                        UnnamedChain,
                        ::exo_rails::events::PostToolCall,
                        1usize,
                        9usize,
                    >::REWRITES
                }
                #[inline]
                fn dispatch<'a>(
                    &'a self,
                    payload: <::exo_rails::events::PostToolCall as ::exo_rails::Payloads>::Payload<
                        'a,
                    >,
                    ctx: &'a mut ::exo_rails::RailContext,
                ) -> impl ::core::future::Future<
                    Output = ::exo_rails::Outcome<::exo_rails::events::PostToolCall>,
                > + ::core::marker::Send {
                    async move {
                        let mut payload = payload;
                        {
                            type Step = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::PostToolCall,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::Rail;
                            let rail = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::PostToolCall,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::rail(self);
                            let payload = <::exo_rails::events::PostToolCall as ::exo_rails::Payloads>::reborrow(
                                &mut payload,
                            );
                            let output = <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::PostToolCall,
                            >>::call(rail, payload, &mut *ctx)
                                .await;
                            match <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::PostToolCall,
                            >>::flow(output) {
                                ::core::ops::ControlFlow::Break(stop) => {
                                    return ::core::ops::ControlFlow::Break(stop);
                                }
                                ::core::ops::ControlFlow::Continue(()) => {}
                            }
                        }
                        ::core::ops::ControlFlow::Continue(())
                    }
                }
            }
            #[automatically_derived]
            impl ::exo_rails::RunOn<::exo_rails::events::ToolError> for UnnamedChain {
                #[inline]
                fn rewrites(&self) -> bool {
                    ::exo_rails::__private::Sorted::<
                        UnnamedChain,
                        ::exo_rails::events::ToolError,
                        1usize,
                        9usize,
                    >::REWRITES
                }
                #[inline]
                fn dispatch<'a>(
                    &'a self,
                    payload: <::exo_rails::events::ToolError as ::exo_rails::Payloads>::Payload<
                        'a,
                    >,
                    ctx: &'a mut ::exo_rails::RailContext,
                ) -> impl ::core::future::Future<
                    Output = ::exo_rails::Outcome<::exo_rails::events::ToolError>,
                > + ::core::marker::Send {
                    async move {
                        let mut payload = payload;
                        {
                            type Step = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::ToolError,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::Rail;
                            let rail = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::ToolError,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::rail(self);
                            let payload = <::exo_rails::events::ToolError as ::exo_rails::Payloads>::reborrow(
                                &mut payload,
                            );
                            let output = <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::ToolError,
                            >>::call(rail, payload, &mut *ctx)
                                .await;
                            match <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::ToolError,
                            >>::flow(output) {
                                ::core::ops::ControlFlow::Break(stop) => {
                                    return ::core::ops::ControlFlow::Break(stop);
                                }
                                ::core::ops::ControlFlow::Continue(()) => {}
                            }
                        }
                        ::core::ops::ControlFlow::Continue(())
                    }
                }
            }
            #[automatically_derived]
            impl ::exo_rails::RunOn<::exo_rails::events::Finished> for UnnamedChain {
                #[inline]
                fn rewrites(&self) -> bool {
                    ::exo_rails::__private::Sorted::<
                        UnnamedChain,
                        ::exo_rails::events::Finished,
                        1usize,
                        9usize,
                    >::REWRITES
                }
                #[inline]
                fn dispatch<'a>(
                    &'a self,
                    payload: <::exo_rails::events::Finished as ::exo_rails::Payloads>::Payload<
                        'a,
                    >,
                    ctx: &'a mut ::exo_rails::RailContext,
                ) -> impl ::core::future::Future<
                    Output = ::exo_rails::Outcome<::exo_rails::events::Finished>,
                > + ::core::marker::Send {
                    async move {
                        let mut payload = payload;
                        {
                            type Step = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::Finished,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::Rail;
                            let rail = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::Finished,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::rail(self);
                            let payload = <::exo_rails::events::Finished as ::exo_rails::Payloads>::reborrow(
                                &mut payload,
                            );
                            let output = <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::Finished,
                            >>::call(rail, payload, &mut *ctx)
                                .await;
                            match <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::Finished,
                            >>::flow(output) {
                                ::core::ops::ControlFlow::Break(stop) => {
                                    return ::core::ops::ControlFlow::Break(stop);
                                }
                                ::core::ops::ControlFlow::Continue(()) => {}
                            }
                        }
                        ::core::ops::ControlFlow::Continue(())
                    }
                }
            }
            #[automatically_derived]
            impl ::exo_rails::RunOn<::exo_rails::events::Error> for UnnamedChain {
                #[inline]
                fn rewrites(&self) -> bool {
                    ::exo_rails::__private::Sorted::<
                        UnnamedChain,
                        ::exo_rails::events::Error,
                        1usize,
                        9usize,
                    >::REWRITES
                }
                #[inline]
                fn dispatch<'a>(
                    &'a self,
                    payload: <::exo_rails::events::Error as ::exo_rails::Payloads>::Payload<
                        'a,
                    >,
                    ctx: &'a mut ::exo_rails::RailContext,
                ) -> impl ::core::future::Future<
                    Output = ::exo_rails::Outcome<::exo_rails::events::Error>,
                > + ::core::marker::Send {
                    async move {
                        let mut payload = payload;
                        {
                            type Step = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::Error,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::Rail;
                            let rail = <__Place as ::exo_rails::__private::RailAt<
                                {
                                    ::exo_rails::__private::Sorted::<
                                        UnnamedChain,
                                        ::exo_rails::events::Error,
                                        1usize,
                                        9usize,
                                    >::ORDER[0usize]
                                },
                            >>::rail(self);
                            let payload = <::exo_rails::events::Error as ::exo_rails::Payloads>::reborrow(
                                &mut payload,
                            );
                            let output = <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::Error,
                            >>::call(rail, payload, &mut *ctx)
                                .await;
                            match <Step as ::exo_rails::RailOn<
                                ::exo_rails::events::Error,
                            >>::flow(output) {
                                ::core::ops::ControlFlow::Break(stop) => {
                                    return ::core::ops::ControlFlow::Break(stop);
                                }
                                ::core::ops::ControlFlow::Continue(()) => {}
                            }
                        }
                        ::core::ops::ControlFlow::Continue(())
                    }
                }
            }
        };
        UnnamedChain {}
    };
}
