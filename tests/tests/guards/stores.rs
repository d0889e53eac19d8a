//! Stores that are used while they are changed: an error, and no wait that never ends.

use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use exo_rails::{HookState, SharedExtensions};

#[derive(Default)]
struct Count(u32);

/// Runs this in a thread of its own: it may end or panic, but not wait for ever.
#[track_caller]
fn panics_with(expected: &str, run: impl FnOnce() + Send + 'static) {
    let (sender, ended) = std::sync::mpsc::channel();
    let thread = thread::spawn(move || {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        sender.send(()).unwrap();
        result
    });
    ended.recv_timeout(Duration::from_secs(20)).expect("it waits for ever");
    let panic = thread.join().unwrap().unwrap_err();
    let text = panic.downcast_ref::<String>().expect("a text");
    assert!(text.contains(expected), "{text}");
}

#[test]
fn a_store_that_is_used_while_it_is_changed_panics() {
    let store = SharedExtensions::default();
    let inside = store.clone();
    panics_with("changes or clones a value of a store", move || {
        inside.update(|_: &mut Count| inside.update(|count: &mut Count| count.0 += 1));
    });
    let state = HookState::default();
    let inside = state.clone();
    panics_with("changes or clones a value of a store", move || inside.update("a", |_| drop(inside.get("b"))));
    // Both are good afterwards.
    assert_eq!(store.update(|count: &mut Count| count.0), 0);
    assert_eq!(state.get("b"), None);
}

#[test]
fn a_value_whose_clone_uses_its_store_panics() {
    struct Curious(SharedExtensions);
    impl Clone for Curious {
        fn clone(&self) -> Self {
            drop(self.0.remove::<Count>());
            Self(self.0.clone())
        }
    }
    let store = SharedExtensions::default();
    store.insert(Curious(store.clone()));
    panics_with("changes or clones a value of a store", move || drop(store.get::<Curious>()));
}

#[test]
fn stores_that_are_changed_crosswise_panic_in_one_of_the_threads() {
    let (run, session, both) = (SharedExtensions::default(), SharedExtensions::default(), Arc::new(Barrier::new(2)));
    let crosswise = |outer: &SharedExtensions, inner: &SharedExtensions| {
        let (outer, inner, both) = (outer.clone(), inner.clone(), Arc::clone(&both));
        thread::spawn(move || {
            outer.update(|_: &mut Count| {
                both.wait();
                inner.update(|count: &mut Count| count.0 += 1);
            });
        })
    };
    let threads = [crosswise(&run, &session), crosswise(&session, &run)];
    let failed = threads.map(thread::JoinHandle::join).into_iter().filter(Result::is_err).count();
    assert_eq!(failed, 1);
    // The other has ended, and nothing is locked.
    let count = |store: &SharedExtensions| store.update(|count: &mut Count| count.0);
    assert_eq!(count(&run) + count(&session), 1);
}

#[test]
fn stores_that_are_changed_in_one_order_never_panic() {
    let (run, session) = (SharedExtensions::default(), SharedExtensions::default());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..2000 {
                    run.update(|_: &mut Count| session.update(|count: &mut Count| count.0 += 1));
                }
            });
        }
    });
    assert_eq!(session.update(|count: &mut Count| count.0), 8000);
}
