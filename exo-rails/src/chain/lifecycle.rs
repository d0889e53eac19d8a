//! The parts of a chain that exist once for each event of the library. They are here, so that the expansion of
//! `rail_chain!` does not repeat them for each chain.

use super::RailList;
use super::sorting::{ChainFacts, Listing, Order};
use super::walk::{StepsOn, Walk};
use crate::event::{
    ContextAssembled, ContextOverflow, Dropped, Error, Event, Finished, LlmChunk, LlmError, MemoryRecalled,
    MemoryStored, PostCompaction, PostLlmCall, PostToolCall, PreCompaction, PreLlmCall, PreToolCall, SessionEnd,
    SessionStart, Start, Suspended, ToolError,
};
use crate::point::HookPoint;
use crate::rail::EventPlan;

/// Declares the items for all events. The events are in the order in which a session reaches them, like `EVENTS` in
/// `paths.rs` of the macros.
macro_rules! lifecycle {
    ($($event:ident)*) => {
        /// The number of events of the library.
        pub const LIFECYCLE: usize = POINTS.len();

        const POINTS: &[HookPoint] = &[$($event::POINT),*];

        /// The events of the library as one type, followed by the custom events of a chain.
        pub type LifecycleEvents<Custom = ()> = lifecycle!(@list Custom; $($event)*);

        /// The steps of a chain at each event of the library: the places of its rails, in the order in which they run.
        #[allow(missing_docs)]
        pub trait LifecycleSteps: RailList + Sized {
            $(type $event: Walk<$event, Self>;)*
        }

        $(
            impl<L: LifecycleSteps> StepsOn<$event> for L {
                type Steps = L::$event;
            }
        )*

        /// The order of the rails at each event of the library.
        #[derive(Clone, Copy, Debug)]
        pub struct LifecycleOrder($(pub lifecycle!(@order $event)),*);

        impl<C: Listing<N>, const N: usize, const K: usize> ChainFacts<C, N, K> {
            /// Returns the steps of each event of the library, beginning with step `start`.
            #[must_use]
            pub const fn lifecycle(start: usize) -> LifecycleOrder {
                LifecycleOrder($(Self::order::<$event>(start)),*)
            }

            /// The plans of the events of the library.
            pub(super) const fn lifecycle_plans() -> [EventPlan; LIFECYCLE] {
                [$(Self::at::<$event>()),*]
            }
        }
    };
    (@list $others:ident;) => { $others };
    (@list $others:ident; $event:ident $($more:ident)*) => { ($event, lifecycle!(@list $others; $($more)*)) };
    (@order $event:ident) => { Order };
}

lifecycle! {
    SessionStart Start MemoryRecalled ContextAssembled PreCompaction PostCompaction ContextOverflow PreLlmCall LlmChunk
    PostLlmCall LlmError PreToolCall PostToolCall ToolError Finished MemoryStored Error Suspended SessionEnd Dropped
}

// The expansion of `rail_chain!` finds the order of an event by the event's number: `__AT.3`.
const _: () = {
    let mut number = 0;
    while number < LIFECYCLE {
        assert!(POINTS[number].same(HookPoint::ALL[number]), "the events are in the order of `HookPoint::ALL`");
        number += 1;
    }
};
