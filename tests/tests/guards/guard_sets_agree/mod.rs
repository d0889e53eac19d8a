//! Static chains, `RailManager` and `HookManager` agree: on the order of calls, on decisions, on changes to
//! payloads and on faults, with each other and with a plain sequential model.

mod chains;
mod family;
mod model;
mod script;
mod subject;
mod text;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use self::chains::{Listed, chains};
use self::model::Model;
use self::script::Script;
use self::subject::Operation;

/// How often each property is tried, for each chain.
const CASES: u32 = 128;

/// Checks a property of scripts for each chain.
fn for_each_chain(check: impl Fn(&Listed, &Script) -> Result<(), TestCaseError>) {
    for listed in chains() {
        let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
        TestRunner::new(config).run(&script::any(), |script| check(&listed, &script)).unwrap();
    }
}

#[test]
fn all_guard_sets_agree_about_a_single_event() {
    for_each_chain(|listed, script| {
        for point in Operation::ALL.iter().flat_map(|operation| operation.points()) {
            let expected = Model::new(&listed.items, script).event(point);
            for (set, subject) in &listed.subjects {
                prop_assert_eq!(&subject.event(point, script), &expected, "{} of {} at {}", set, listed.name, point);
            }
        }
        Ok(())
    });
}

#[test]
fn all_guard_sets_agree_about_a_guarded_operation() {
    for_each_chain(|listed, script| {
        for operation in Operation::ALL {
            let expected = Model::new(&listed.items, script).guarded(operation);
            for (set, subject) in &listed.subjects {
                let seen = subject.guarded(operation, script);
                prop_assert_eq!(&seen, &expected, "{} of {}: {:?}", set, listed.name, operation);
            }
        }
        Ok(())
    });
}
