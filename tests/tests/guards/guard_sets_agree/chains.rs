//! The chains: the family of rails listed in different orders, with different seeds for the priorities.

use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails::{Chain, DynGuardSet, Reloadable, WithoutAround};

use super::family::*;
use super::model::{Item, Spec};
use super::subject::Subject;

/// A chain, and all guard sets with its rails.
pub(crate) struct Listed {
    pub name: &'static str,
    pub items: Vec<Item>,
    pub subjects: Vec<(&'static str, Box<dyn Subject>)>,
}

/// The chain itself, registered with a hook manager, and as one rail of a rail manager.
fn subjects<C: Chain<Around: WithoutAround> + GuardSet + 'static>(
    chain: impl Fn() -> C,
) -> Vec<(&'static str, Box<dyn Subject>)> {
    let mut hooks = HookManager::new();
    chain().register(&mut hooks);
    let mut manager = RailManager::new();
    manager.add(chain()).unwrap();
    let boxed = |rails: Box<dyn GuardSet>| Box::new(rails) as Box<dyn Subject>;
    vec![
        ("the chain", Box::new(chain())),
        ("a hook manager", Box::new(hooks)),
        ("a chain in a manager", Box::new(manager)),
        ("a `Reloadable` chain", boxed(Box::new(Reloadable::new(chain())))),
        ("a `DynGuardSet`", Box::new(DynGuardSet::new(chain()))),
        ("a `Box<dyn GuardSet>`", boxed(Box::new(chain()))),
    ]
}

/// A hook manager with the rail manager's hooks.
fn hooks_of(manager: RailManager) -> HookManager {
    let manager = Arc::new(manager);
    let mut hooks = HookManager::new();
    for &point in HookPoint::ALL {
        hooks.add(point, manager.hook_for(point));
    }
    hooks
}

/// The place in the family is the last letter of the name.
fn spec(name: &'static str, seed: u32) -> Item {
    let place = name.chars().last().and_then(|digit| digit.to_digit(10)).unwrap();
    Item::Rail(Spec { name, priority: priority(seed, place) })
}

macro_rules! chains {
    ($($chain:ident: $seed:tt [$($rail:ident),*];)*) => {
        $(rail_chain! {
            #[allow(non_snake_case, reason = "a field has the name of its rail")]
            struct $chain { $($rail: $rail<$seed>),* }
        })*

        /// All chains of the table.
        fn flat() -> Vec<Listed> {
            vec![$({
                #[allow(unused_mut, reason = "a chain may be empty")]
                let mut manager = RailManager::new();
                $(manager.add($rail::<$seed>).unwrap();)*
                let mut subjects = subjects(|| $chain { $($rail: $rail::<$seed>),* });
                subjects.push(("the hooks of a rail manager", Box::new(hooks_of(manager.clone()))));
                subjects.push(("a rail manager", Box::new(manager)));
                Listed { name: stringify!($chain), items: vec![$(spec(stringify!($rail), $seed)),*], subjects }
            }),*]
        }
    };
}

// Few seeds, because the compiler makes the code of each rail again for each seed. Together, their priorities have ties,
// negative numbers and both extremes.
chains! {
    Empty: 0 [];
    Single: 1 [Decider0];
    Readers: 8 [Reader5, Reader4];
    Decisions: 15 [Decider2, Decider0, Decider1];
    Forwards: 8 [Decider0, Decider1, Decider2, Guard3, Reader4, Reader5, Observer6, Partial7];
    Backwards: 15 [Partial7, Observer6, Reader5, Reader4, Guard3, Decider2, Decider1, Decider0];
    BackwardsAgain: 8 [Partial7, Observer6, Reader5, Reader4, Guard3, Decider2, Decider1, Decider0];
    Mixed: 15 [Guard3, Decider1, Observer6, Decider0, Partial7, Reader4];
    Others: 1 [Reader4, Partial7, Decider2, Observer6, Decider1, Guard3];
    Audited: 1 [Observer6, Decider0, Guard3, Partial7];
}

rail_chain! {
    #[chain(priority = 10)]
    struct Inner { one: Decider1<1>, two: Reader5<1>, three: Observer6<1> }
}

rail_chain! {
    struct Outer { last: Decider0<15>, inner: Inner, between: Guard3<15>, first: Partial7<15>, next: Decider2<15> }
}

/// A chain in a chain.
fn nested() -> Listed {
    let inner = || Inner { one: Decider1, two: Reader5, three: Observer6 };
    let outer = move || Outer { last: Decider0, inner: inner(), between: Guard3, first: Partial7, next: Decider2 };
    let items = ["Decider1", "Reader5", "Observer6"].map(|name| spec(name, 1)).to_vec();
    let [last, between, first, next] = ["Decider0", "Guard3", "Partial7", "Decider2"].map(|name| spec(name, 15));
    let items = vec![last, Item::Chain { priority: 10, items }, between, first, next];
    Listed { name: "Outer", items, subjects: subjects(outer) }
}

pub(crate) fn chains() -> Vec<Listed> {
    flat().into_iter().chain([nested()]).collect()
}
