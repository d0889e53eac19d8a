//! Locks that panic where threads would deadlock.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

const REENTERED: &str =
    "code that changes or clones a value of a store cannot use the same store: use the store before or after";
const CROSSWISE: &str = "two threads would wait for each other forever, because each uses a store that the other changes: use stores in the same order everywhere";

/// The number of a thread. 0 means no thread.
type ThreadNumber = u64;

static THREADS: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static THREAD: ThreadNumber = THREADS.fetch_add(1, Ordering::Relaxed);
    /// The number of these locks that the thread holds.
    static HELD: Cell<u32> = const { Cell::new(0) };
}

/// The threads that hold one of these locks and wait for another, each with the owner of the lock that it waits for.
/// Every deadlock consists of such threads.
static WAITING: Mutex<Vec<(ThreadNumber, Arc<AtomicU64>)>> = Mutex::new(Vec::new());

/// A lock for values whose access runs user code.
#[derive(Default)]
pub(super) struct Lock<T> {
    value: Mutex<T>,
    owner: Arc<AtomicU64>,
}

impl<T> Lock<T> {
    pub(super) fn new(value: T) -> Self {
        Self { value: Mutex::new(value), owner: Arc::default() }
    }

    /// Waits for the lock.
    ///
    /// # Panics
    /// Panics if the wait would never end, because this thread holds the lock already, or because threads wait for each
    /// other.
    pub(super) fn lock(&self) -> Locked<'_, T> {
        let thread = THREAD.with(|thread| *thread);
        assert!(self.owner.load(Ordering::Acquire) != thread, "{REENTERED}");
        let value = match self.value.try_lock() {
            Ok(value) => value,
            // Other callers can use the values after a panic in one update.
            Err(TryLockError::Poisoned(value)) => value.into_inner(),
            Err(TryLockError::WouldBlock) => self.wait(thread),
        };
        self.owner.store(thread, Ordering::Release);
        HELD.set(HELD.get() + 1);
        Locked { _owned: Owned(&self.owner), value }
    }

    /// Returns the value, or `None` while another caller changes it.
    pub(super) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.value.try_lock() {
            Ok(value) => Some(value),
            Err(TryLockError::Poisoned(value)) => Some(value.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn wait(&self, thread: ThreadNumber) -> MutexGuard<'_, T> {
        // A thread without a lock does not make other threads wait.
        let waiting = (HELD.get() > 0).then(|| Waiting::register(thread, &self.owner));
        let value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        drop(waiting);
        value
    }
}

/// A thread that holds a lock and waits for another.
struct Waiting(ThreadNumber);

impl Waiting {
    fn register(thread: ThreadNumber, wanted: &Arc<AtomicU64>) -> Self {
        let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        // Follows the owners from thread to thread. The number of steps is limited, because a thread that has just
        // received its lock may still be in the list and seem to wait for itself.
        let mut owner = wanted.load(Ordering::Acquire);
        for _ in 0..=waiting.len() {
            assert!(owner != thread, "{CROSSWISE}");
            let Some((_, next)) = waiting.iter().find(|(waits, _)| *waits == owner) else { break };
            owner = next.load(Ordering::Acquire);
        }
        waiting.push((thread, Arc::clone(wanted)));
        Self(thread)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|(thread, _)| *thread != self.0);
    }
}

/// A locked value.
// Rust drops the fields in this order: the lock has no owner before another thread can become its owner.
pub(super) struct Locked<'l, T> {
    _owned: Owned<'l>,
    value: MutexGuard<'l, T>,
}

struct Owned<'l>(&'l AtomicU64);

impl Drop for Owned<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Release);
        HELD.set(HELD.get() - 1);
    }
}

impl<T> Deref for Locked<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Locked<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}
