//! The edges of windows, and calls that are in flight there.

use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_guards::Kit;
use proptest::prelude::*;
use serde_json::json;
use tokio::time::{Instant, sleep, sleep_until};

/// A call that begins at this time, and works so long. All times are in milliseconds.
#[derive(Clone, Copy, Debug)]
struct Planned {
    at: u64,
    works: u64,
}

/// Makes the calls, and returns when the tools began and ended.
async fn make(kit: &str, calls: &[Planned]) -> Vec<(u64, u64)> {
    let (kit, ctx) = (Kit::from_toml(kit).unwrap(), RunContext::new("desk"));
    let started = Instant::now();
    let since = || u64::try_from(started.elapsed().as_millis()).unwrap();
    let calls = calls.iter().enumerate().map(|(number, planned)| {
        let (kit, planned) = (&kit, *planned);
        let mut ctx = ctx.child().with_call_number(u32::try_from(number).unwrap());
        async move {
            sleep_until(started + Duration::from_millis(planned.at)).await;
            let times = std::sync::Mutex::new(None);
            let tool = |_| async {
                let began = since();
                sleep(Duration::from_millis(planned.works)).await;
                *times.lock().unwrap() = Some((began, since()));
                Ok::<_, OperationError>(ToolOutput::text("done"))
            };
            let call = ToolCallInputs::new("send").with_arguments(json!({ "n": number }));
            kit.guard_tool_call(call, &mut ctx, tool).await.unwrap();
            times.into_inner().unwrap()
        }
    });
    let mut made: Vec<_> = futures_util::future::join_all(calls).await.into_iter().flatten().collect();
    made.sort_unstable();
    made
}

fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(test)
}

fn planned() -> impl Strategy<Value = Vec<Planned>> {
    let at = prop_oneof![Just(0), Just(999), Just(1_000), Just(1_001), Just(2_000), 0..4_000_u64];
    let works = prop_oneof![Just(0), Just(1), Just(999), Just(1_000), 0..2_500_u64];
    prop::collection::vec((at, works).prop_map(|(at, works)| Planned { at, works }), 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// In each span of time, no more calls begin than the rate and the burst allow.
    #[test]
    fn no_more_calls_begin_than_a_rate_allows(calls in planned(), burst in 1..5_u64, wait in prop::sample::select(vec![0, 300, 5_000])) {
        let limit = format!("name = 'r', of = 'tool_calls', calls = 4, every = 'second', burst = {burst}, max_wait_ms = {wait}");
        let began: Vec<u64> = run(make(&format!("[[rate_limits]]\nlimits = [{{ {limit} }}]"), &calls)).into_iter().map(|(began, _)| began).collect();
        for (first, start) in began.iter().enumerate() {
            for (last, end) in began.iter().enumerate().skip(first) {
                let count = (last - first + 1) as u64;
                prop_assert!(count <= burst + (end - start) / 250, "{count} in {start}..={end}: {began:?}");
            }
        }
    }

    /// In each second, no more calls end or run than the rule allows.
    #[test]
    fn no_more_calls_are_in_a_window_than_a_rule_allows(calls in planned(), most in 1..4_usize) {
        let made = run(make(&format!("[sequence]\nrules = ['at most {most} send within 1s']"), &calls));
        for (began, _) in &made {
            // A call counts from its beginning until a second after its end.
            let counted = made.iter().filter(|(start, end)| start <= began && end + 1_000 > *began).count();
            // Calls that begin at the same moment are in some order, and one that ends then may have ended before.
            prop_assert!(counted <= most, "{counted} at {began}: {made:?}");
        }
    }

    /// A budget with a window of an hour is used up at most once in each of its windows.
    #[test]
    fn a_budget_is_used_up_once_in_its_window(calls in planned(), most in 1..4_usize) {
        let calls: Vec<_> = calls.iter().map(|call| Planned { at: call.at * 3_600, works: call.works * 3_600 }).collect();
        let made = run(make(
            &format!("[[budgets]]\nlimits = [{{ name = 'b', of = 'tool_calls', most = {most}, window = 'hour' }}]\nhold_for_ms = 100_000_000"),
            &calls,
        ));
        // The first call that ends opens a window, and the next one after its end opens the next.
        let mut ends: Vec<u64> = made.iter().map(|(_, end)| *end).collect();
        ends.sort_unstable();
        let mut open: Option<(u64, usize)> = None;
        for end in ends {
            open = match open {
                Some((start, count)) if end < start + 3_600_000 => Some((start, count + 1)),
                _ => Some((end, 1)),
            };
            prop_assert!(open.is_some_and(|(_, count)| count <= most), "{made:?}");
        }
    }
}
