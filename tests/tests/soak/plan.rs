//! What is drawn of a run before it begins.

use std::num::NonZeroUsize;

use crate::random::Random;

/// What guards the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    Chain,
    Nested,
    Manager,
    HooksOfChain,
    HooksOfManager,
}

/// How the run is ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It is not.
    Left,
    /// Its token is cancelled by the task that polls it, between two polls.
    CancelledBetweenPolls(usize),
    /// Its token is cancelled by another task, whatever it is doing.
    CancelledMeanwhile(u64),
    /// Its future is dropped after so many polls.
    Dropped(usize),
    /// Its task is aborted after so many microseconds.
    Aborted(u64),
    /// The reader of its stream drops it after so many events.
    Unread(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) set: Set,
    pub(crate) streamed: bool,
    /// How many turns its session has, when it has one.
    pub(crate) turns: Option<u32>,
    pub(crate) compaction: bool,
    /// How many steps the model wants.
    pub(crate) steps: u32,
    pub(crate) max_steps: u32,
    /// How many tool calls an answer asks for at most.
    pub(crate) tools: u32,
    pub(crate) bound: NonZeroUsize,
    /// How many of a thousand draws are not "continue".
    pub(crate) temper: u32,
    pub(crate) ending: Ending,
}

impl Plan {
    pub(crate) fn draw(random: &mut Random) -> Self {
        let sets = [Set::Chain, Set::Nested, Set::Manager, Set::HooksOfChain, Set::HooksOfManager];
        let steps = 1 + random.below(4);
        let streamed = random.permille(500);
        Self {
            set: sets[random.below(5) as usize],
            streamed,
            turns: random.permille(300).then(|| 1 + random.below(3)),
            compaction: random.permille(400),
            steps,
            max_steps: if random.permille(60) { steps.max(2) - 1 } else { 8 },
            tools: 1 + random.below(6),
            bound: NonZeroUsize::new(1 + random.below(6) as usize).unwrap(),
            temper: [4, 25, 100][random.below(3) as usize],
            ending: Self::ending(random, streamed),
        }
    }

    fn ending(random: &mut Random, streamed: bool) -> Ending {
        match random.below(20) {
            0 | 1 => Ending::CancelledBetweenPolls(1 + random.below(30) as usize),
            2 | 3 => Ending::CancelledMeanwhile(random.below(30_000).into()),
            4 | 5 => Ending::Dropped(random.below(30) as usize),
            6 | 7 => Ending::Aborted(random.below(30_000).into()),
            8 if streamed => Ending::Unread(random.below(20) as usize),
            _ => Ending::Left,
        }
    }
}
