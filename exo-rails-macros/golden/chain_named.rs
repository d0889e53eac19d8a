/// What guards the support agent.
pub struct SupportRails {
    pub limit: RateLimit<MemoryStore>,
}
#[allow(dead_code, unused_imports, unused_parens)]
const _: () = {
    const _: () = {
        type block_dangerous_0_ = block_dangerous;
        type RateLimit_1_ = RateLimit<MemoryStore>;
        type audit_2_ = audit;
        /// The list of the rails, each at its place.
        enum ListedRails_ {}
        impl ::exo_rails::for_macros::RailAt<0> for ListedRails_ {
            type Rail = block_dangerous_0_;
            type Access = ::exo_rails::for_macros::ByName;
        }
        impl ::exo_rails::for_macros::RunsEachRailOnce<block_dangerous_0_>
        for SupportRails {}
        impl ::exo_rails::for_macros::RailAt<1> for ListedRails_ {
            type Rail = RateLimit_1_;
            type Access = ::exo_rails::for_macros::InField<1>;
        }
        const _: () = {
            const __IS_SHARED: bool = {
                ::exo_rails::for_macros::shared::<RateLimit_1_>();
                true
            };
            type __Shared = ::exo_rails::for_macros::Sound<
                RateLimit_1_,
                ListedRails_,
                { __IS_SHARED },
            >;
            const __PLACE: ::core::primitive::usize = {
                ::exo_rails::for_macros::sent::<__Shared>();
                1
            };
            impl ::exo_rails::for_macros::SharedField<{ __PLACE }> for ListedRails_ {}
        };
        impl ::exo_rails::for_macros::Access<SupportRails, (RateLimit_1_)>
        for ::exo_rails::for_macros::InField<1> {
            #[inline]
            fn rail(chain: &SupportRails) -> &(RateLimit_1_) {
                &chain.limit
            }
        }
        impl ::exo_rails::for_macros::RailAt<2> for ListedRails_ {
            type Rail = audit_2_;
            type Access = ::exo_rails::for_macros::ByName;
        }
        impl ::exo_rails::for_macros::RunsEachRailOnce<audit_2_> for SupportRails {}
        static __ROWS: [::exo_rails::for_macros::Row; 3] = ::exo_rails::for_macros::Row::listed([
            <block_dangerous_0_ as ::exo_rails::for_macros::ListedByName>::ROW,
            <RateLimit_1_ as ::exo_rails::Rail>::ROW.in_field("limit"),
            <audit_2_ as ::exo_rails::for_macros::ListedByName>::ROW,
        ]);
        impl ::exo_rails::for_macros::Listing<3> for SupportRails {
            const ROWS: &'static [::exo_rails::for_macros::Row; 3] = &__ROWS;
        }
        /// The facts about the chain at compile time.
        type __Facts = ::exo_rails::for_macros::ChainFacts<SupportRails, 3>;
        impl ::exo_rails::for_macros::RailList for ListedRails_ {
            type Chain = SupportRails;
            type Facts = __Facts;
            type Mode = ::exo_rails::for_macros::Plain<
                { __Facts::HAS_ALWAYS },
                { __Facts::HAS_AROUND },
            >;
        }
        use ::exo_rails::for_macros::Steps3 as __Steps3;
        /// `.11.0` is the place of the rail that runs first at event 11, `PreToolCall`.
        static __AT: ::exo_rails::for_macros::LifecycleOrder = __Facts::lifecycle(0);
        /// The rails on each event, in the order in which they run.
        impl ::exo_rails::for_macros::LifecycleSteps for ListedRails_ {
            type SessionStart = __Steps3<{ __AT.0.0 }, { __AT.0.1 }, { __AT.0.2 }>;
            type Start = __Steps3<{ __AT.1.0 }, { __AT.1.1 }, { __AT.1.2 }>;
            type MemoryRecalled = __Steps3<{ __AT.2.0 }, { __AT.2.1 }, { __AT.2.2 }>;
            type ContextAssembled = __Steps3<{ __AT.3.0 }, { __AT.3.1 }, { __AT.3.2 }>;
            type PreCompaction = __Steps3<{ __AT.4.0 }, { __AT.4.1 }, { __AT.4.2 }>;
            type PostCompaction = __Steps3<{ __AT.5.0 }, { __AT.5.1 }, { __AT.5.2 }>;
            type ContextOverflow = __Steps3<{ __AT.6.0 }, { __AT.6.1 }, { __AT.6.2 }>;
            type PreLlmCall = __Steps3<{ __AT.7.0 }, { __AT.7.1 }, { __AT.7.2 }>;
            type LlmChunk = __Steps3<{ __AT.8.0 }, { __AT.8.1 }, { __AT.8.2 }>;
            type PostLlmCall = __Steps3<{ __AT.9.0 }, { __AT.9.1 }, { __AT.9.2 }>;
            type LlmError = __Steps3<{ __AT.10.0 }, { __AT.10.1 }, { __AT.10.2 }>;
            type PreToolCall = __Steps3<{ __AT.11.0 }, { __AT.11.1 }, { __AT.11.2 }>;
            type PostToolCall = __Steps3<{ __AT.12.0 }, { __AT.12.1 }, { __AT.12.2 }>;
            type ToolError = __Steps3<{ __AT.13.0 }, { __AT.13.1 }, { __AT.13.2 }>;
            type Finished = __Steps3<{ __AT.14.0 }, { __AT.14.1 }, { __AT.14.2 }>;
            type MemoryStored = __Steps3<{ __AT.15.0 }, { __AT.15.1 }, { __AT.15.2 }>;
            type Error = __Steps3<{ __AT.16.0 }, { __AT.16.1 }, { __AT.16.2 }>;
            type Suspended = __Steps3<{ __AT.17.0 }, { __AT.17.1 }, { __AT.17.2 }>;
            type SessionEnd = __Steps3<{ __AT.18.0 }, { __AT.18.1 }, { __AT.18.2 }>;
            type Dropped = __Steps3<{ __AT.19.0 }, { __AT.19.1 }, { __AT.19.2 }>;
        }
        #[automatically_derived]
        impl<__Event: ::exo_rails::Event> ::exo_rails::Serves<__Event> for SupportRails
        where
            ListedRails_: ::exo_rails::for_macros::StepsOn<__Event>,
            for<'__event> ListedRails_: ::exo_rails::for_macros::SharedField<1>,
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
        impl ::exo_rails::for_macros::OneRailForEachType for SupportRails {
            const INFO: ::exo_rails::RailInfo = ::exo_rails::RailInfo {
                name: "SupportRails",
                priority: 20,
                declared: ::exo_rails::SourceLocation::here(&::core::module_path!()),
            };
            const DECLARATION: ::exo_rails::for_macros::Row = __Facts::row(
                <Self as ::exo_rails::for_macros::OneRailForEachType>::INFO,
                &__PLAN,
            );
            type Events = ::exo_rails::for_macros::LifecycleEvents;
        }
        static __PLAN: ::exo_rails::Plan = __Facts::plan("SupportRails");
        #[automatically_derived]
        impl ::exo_rails::Chain for SupportRails {
            const PLAN: ::exo_rails::Plan = __PLAN;
            type Around = ::exo_rails::for_macros::HasAround<{ __Facts::HAS_AROUND }>;
        }
        const _: () = {
            __Facts::check_rail(0);
            __Facts::check_rail(1);
            __Facts::check_rail(2);
        };
    };
};
