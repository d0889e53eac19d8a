//! Messages are shared: a list of them is as good as a `Vec`, nobody sees what another changes, and a step of a run costs
//! what it adds.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use allocation_counter::AllocationInfo;
use exo_rails::message::{Content, Message, Messages, Role};
use exo_rails::prelude::*;
use exo_rails::{EventBus, NoRails};
use exo_rails_agent::{Agent, KeepNewest, ScriptedModel};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

/// One thing that is done with a list. Places are taken modulo its length, and ranges are put in order.
#[derive(Clone, Debug)]
enum Step {
    Push(Message),
    Insert(usize, Message),
    Remove(usize),
    Pop,
    Truncate(usize),
    Clear,
    Retain(usize),
    Extend(Vec<Message>),
    ExtendFrom(usize, (usize, usize)),
    Drain((usize, usize), usize),
    Put(usize, Message),
    Write(usize, String),
    WriteLast(String),
    WriteSome(usize, bool, String),
    TakeApart(usize),
    ThroughJson,
    ThroughVec,
    /// A clone is kept.
    Hold,
    /// One that is kept goes on, and this one is kept.
    Swap(usize),
    /// One that is kept is dropped.
    Drop(usize),
}

fn steps() -> impl Strategy<Value = Step> {
    let text = || "[a-z]{0,3}";
    let message = || text().prop_map(Message::user);
    let range = || (0..8_usize, 0..8_usize);
    prop_oneof![
        4 => message().prop_map(Step::Push),
        2 => (0..8_usize, message()).prop_map(|(at, message)| Step::Insert(at, message)),
        1 => (0..8_usize).prop_map(Step::Remove),
        1 => Just(Step::Pop),
        1 => (0..12_usize).prop_map(Step::Truncate),
        1 => Just(Step::Clear),
        1 => (1..4_usize).prop_map(Step::Retain),
        1 => vec(message(), 0..4).prop_map(Step::Extend),
        2 => (0..8_usize, range()).prop_map(|(of, range)| Step::ExtendFrom(of, range)),
        1 => (range(), 0..4_usize).prop_map(|(range, taken)| Step::Drain(range, taken)),
        1 => (0..8_usize, message()).prop_map(|(at, message)| Step::Put(at, message)),
        2 => (0..8_usize, text()).prop_map(|(at, text)| Step::Write(at, text)),
        1 => text().prop_map(Step::WriteLast),
        1 => (0..8_usize, any::<bool>(), text()).prop_map(|(some, back, text)| Step::WriteSome(some, back, text)),
        1 => (0..8_usize).prop_map(Step::TakeApart),
        1 => Just(Step::ThroughJson),
        1 => Just(Step::ThroughVec),
        3 => Just(Step::Hold),
        2 => (0..8_usize).prop_map(Step::Swap),
        1 => (0..8_usize).prop_map(Step::Drop),
    ]
}

/// A list, and the `Vec` that it is to be like.
#[derive(Clone, Default)]
struct Pair {
    list: Messages,
    like: Vec<Message>,
}

/// Both yield the same.
fn same<T: PartialEq + Debug>(one: T, other: &T) -> T {
    assert_eq!(one, *other);
    one
}

fn write(message: &mut Message, text: &str) {
    match &mut message.content {
        Some(content) => content.for_each_text(|old| old.push_str(text)),
        none => *none = Some(Content::from(text)),
    }
}

impl Pair {
    fn take(&mut self, step: Step, held: &mut Vec<Self>) {
        let Self { list, like } = self;
        let len = like.len();
        let ordered = |(one, other): (usize, usize), len: usize| {
            let (one, other) = (one.min(len), other.min(len));
            one.min(other)..one.max(other)
        };
        match step {
            Step::Push(message) => (list.push(message.clone()), like.push(message)).0,
            Step::Insert(at, message) => {
                list.insert(at % (len + 1), message.clone());
                like.insert(at % (len + 1), message);
            }
            Step::Remove(at) if len > 0 => drop(same(list.remove(at % len), &like.remove(at % len))),
            Step::Pop => drop(same(list.pop(), &like.pop())),
            Step::Truncate(len) => (list.truncate(len), like.truncate(len)).0,
            Step::Clear => (list.clear(), like.clear()).0,
            Step::Retain(longest) => {
                list.retain(|message| message.text().len() < longest);
                like.retain(|message| message.text().len() < longest);
            }
            Step::Extend(messages) => (list.extend(messages.clone()), like.extend(messages)).0,
            Step::ExtendFrom(of, range) if !held.is_empty() => {
                let other = &held[of % held.len()];
                let range = ordered(range, other.like.len());
                list.extend_from(&other.list, range.clone());
                like.extend_from_slice(&other.like[range]);
            }
            Step::Drain(range, taken) => {
                let range = ordered(range, len);
                let gone: Vec<_> = list.drain(range.clone()).take(taken).collect();
                same(gone, &like.drain(range).take(taken).collect());
            }
            Step::Put(at, message) if len > 0 => {
                list[at % len] = message.clone();
                like[at % len] = message;
            }
            Step::Write(at, text) => {
                assert_eq!(list.get(at), like.get(at));
                assert_eq!(list.get_mut(at).is_some(), at < len);
                list.get_mut(at).into_iter().chain(like.get_mut(at)).for_each(|message| write(message, &text));
            }
            Step::WriteLast(text) => {
                list.last_mut().into_iter().chain(like.last_mut()).for_each(|message| write(message, &text));
            }
            Step::WriteSome(some, back, text) => {
                assert_eq!(list.iter_mut().len(), len);
                if back {
                    list.iter_mut().rev().take(some).for_each(|message| write(message, &text));
                    like.iter_mut().rev().take(some).for_each(|message| write(message, &text));
                } else {
                    (&mut *list).into_iter().skip(some).for_each(|message| write(message, &text));
                    like.iter_mut().skip(some).for_each(|message| write(message, &text));
                }
            }
            Step::TakeApart(at) => {
                let (mut one, mut other) = (std::mem::take(list).into_iter(), std::mem::take(like).into_iter());
                same(one.size_hint(), &other.size_hint());
                same(one.nth(at), &other.nth(at));
                same(one.next_back(), &other.next_back());
                (*list, *like) = (one.collect(), other.collect());
            }
            Step::ThroughJson => {
                let json = same(serde_json::to_string(list).unwrap(), &serde_json::to_string(like).unwrap());
                *list = serde_json::from_str(&json).unwrap();
            }
            Step::ThroughVec => *list = Messages::from(same(Vec::from(std::mem::take(list)), like)),
            Step::Hold => held.push(self.clone()),
            Step::Swap(with) if !held.is_empty() => {
                let with = with % held.len();
                std::mem::swap(self, &mut held[with]);
            }
            Step::Drop(one) if !held.is_empty() => drop(held.swap_remove(one % held.len())),
            Step::Remove(_) | Step::ExtendFrom(..) | Step::Put(..) | Step::Swap(_) | Step::Drop(_) => {}
        }
    }

    fn check(&self) {
        let Self { list, like } = self;
        assert_eq!(list, like);
        assert_eq!(like, list);
        assert_eq!(*list, like[..]);
        assert_eq!(list.to_vec(), *like);
        assert_eq!(format!("{list:?}"), format!("{like:?}"));
        assert_eq!((list.len(), list.is_empty()), (like.len(), like.is_empty()));
        assert_eq!((list.first(), list.last()), (like.first(), like.last()));
        assert_eq!((list.get(3), list.get(like.len())), (like.get(3), None));
        assert!(list.iter().eq(like) && list.iter().rev().eq(like.iter().rev()));
        assert_eq!(list.iter().size_hint(), like.iter().size_hint());
        let (mut one, mut other) = (list.iter(), like.iter());
        assert_eq!((one.nth(1), one.nth_back(1)), (other.nth(1), other.nth_back(1)));
        assert!(one.clone().eq(other.clone()));
        assert_eq!((one.clone().count(), one.last()), (other.clone().count(), other.last()));
        like.iter().enumerate().for_each(|(at, message)| assert_eq!(&list[at], message));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_list_is_like_a_vec_and_its_clones_see_no_changes(steps in vec(steps(), 0..40)) {
        let (mut pair, mut held) = (Pair::default(), Vec::new());
        for step in steps {
            pair.take(step, &mut held);
            held.iter().chain([&pair]).for_each(Pair::check);
        }
    }

    #[test]
    fn lists_are_equal_when_their_messages_are(one in vec("[ab]?", 0..3), other in vec("[ab]?", 0..3)) {
        let list = |texts: &[String]| texts.iter().map(|text| Message::user(text.as_str())).collect::<Messages>();
        prop_assert_eq!(list(&one) == list(&other), one == other);
    }
}

#[test]
fn an_index_out_of_range_panics_and_changes_nothing() {
    let list = Messages::from([Message::user("a"), Message::user("b")]);
    let panics = |change: Change| {
        let mut changed = list.clone();
        let panics = catch_unwind(AssertUnwindSafe(|| change(&mut changed))).is_err();
        panics && changed == list
    };
    assert!(panics(|list| list.insert(3, Message::user("c"))));
    assert!(panics(|list| drop(list.remove(2))));
    assert!(panics(|list| list[2] = Message::user("c")));
    assert!(panics(|list| drop(list[2].text())));
    assert!(panics(|list| drop(list.drain(1..3))));
    assert!(panics(|list| list.extend_from(&list.clone(), 3..)));
    assert!(panics(|list| drop(Messages::new().remove(list.len()))));
}

#[test]
fn a_list_of_messages_is_read_only_from_a_json_list() {
    let read = |json: Value| serde_json::from_value::<Messages>(json).map_err(|error| error.to_string());
    assert_eq!(read(json!([])), Ok(Messages::new()));
    assert_eq!(read(json!([{ "role": "user", "content": "a" }])).unwrap(), [Message::user("a")]);
    assert_eq!(read(json!(null)).unwrap_err(), "invalid type: null, expected a sequence");
    assert_eq!(read(json!([{ "content": "a" }])).unwrap_err(), "missing field `role`");
}

/// So many messages, each of 10 kB.
fn long_history(messages: usize) -> Vec<Message> {
    (0..messages).map(|_| Message::user("a word and ".repeat(910))).collect()
}

const LENGTH: u64 = 1_000;
const KILOBYTES: u64 = 1_000;
/// A pointer for each message.
const POINTERS: u64 = 8 * LENGTH;

type Change = fn(&mut Messages);

fn shared() -> (Messages, Messages) {
    let messages = Messages::from(long_history(1_000));
    (messages.clone(), messages)
}

/// What is allocated, also what is given back at once.
fn allocated(work: impl FnOnce()) -> (u64, u64) {
    let info = allocation_counter::measure(work);
    (info.count_total, info.bytes_total)
}

#[test]
fn cloning_and_reading_a_list_allocates_nothing() {
    let (messages, _other) = shared();
    let work = || {
        let clone = messages.clone();
        assert_eq!(clone.iter().filter(|message| message.is_instructions()).count(), 0);
        assert_eq!(clone, messages);
        assert!(clone.last() == clone.get(999));
        let mut all = Messages::new();
        all.extend_from(&clone, ..);
        assert_eq!(all.len(), 1_000);
    };
    assert_eq!(allocated(work), (0, 0));
    let empty = || {
        let mut messages = Messages::default();
        messages.clear();
        messages.extend([]);
        messages.extend_from(&Messages::new(), ..);
        messages.retain(|_| false);
        assert!(messages.iter_mut().chain(&mut Messages::from(Vec::new())).next().is_none());
        assert!(messages.last_mut().is_none() && messages.pop().is_none());
    };
    assert_eq!(allocated(empty), (0, 0));
}

#[test]
fn a_change_of_a_shared_list_copies_the_pointers_and_the_message() {
    let only_pointers = POINTERS + KILOBYTES;
    let with_a_message = only_pointers + 11 * KILOBYTES;
    let changes: [(&str, Change, u64); 10] = [
        ("one message", |list| list[500] = Message::user("short"), with_a_message),
        ("the role of one", |list| list.get_mut(500).unwrap().role = Role::System, with_a_message),
        ("the last", |list| list.last_mut().unwrap().content = None, with_a_message),
        ("one that is not there", |list| assert!(list.get_mut(1_000).is_none()), 0),
        ("push", |list| list.push(Message::user("short")), only_pointers),
        ("insert", |list| list.insert(0, Message::system("short")), only_pointers),
        ("truncate", |list| list.truncate(10), only_pointers),
        ("retain", |list| list.retain(|message| message.text().is_empty()), only_pointers),
        ("drain", |list| drop(list.drain(1..990)), only_pointers),
        (
            "the first two of many",
            |list| list.iter_mut().take(2).for_each(|message| message.content = None),
            only_pointers + 22 * KILOBYTES,
        ),
    ];
    for (what, change, most) in changes {
        let (mut messages, other) = shared();
        let (count, bytes) = allocated(|| change(&mut messages));
        assert!(bytes <= most, "{what}: {bytes} bytes in {count} allocations");
        assert!(other.iter().all(|message| message.text().len() == 10_010), "{what}");
    }
}

#[test]
fn changes_of_an_unshared_list_copy_nothing() {
    let mut messages = Messages::from(long_history(1_000));
    messages.push(Message::user("room"));
    let (one, another) = (Message::user("one"), Message::user("another"));
    // A place for each message, and no more.
    let counts = allocated(|| {
        messages.push(one);
        messages.insert(0, another);
    });
    assert_eq!(counts.0, 2);
    let counts = allocated(|| {
        messages[3].role = Role::System;
        messages.iter_mut().for_each(|message| message.tool_call_id = None);
        drop(messages.remove(4));
        drop(messages.pop());
        drop(messages.drain(10..20));
        messages.retain(|message| !message.is_instructions());
        messages.truncate(900);
        assert_eq!(messages.into_iter().map(|message| message.text().len()).max(), Some(10_010));
    });
    assert_eq!(counts, (0, 0));
}

#[test]
fn kept_messages_share_memory_with_the_history() {
    let (messages, _other) = shared();
    let mut kept = Messages::new();
    let (_, bytes) = allocated(|| kept = KeepNewest::counting(|part| part.len() as u64).of(&messages, 900));
    assert_eq!(kept.len(), 900);
    assert!(bytes < 200 * KILOBYTES, "{bytes} bytes");
}

#[rail(priority = 10, on = [PreLlmCall])]
fn rewrites(call: &mut ModelCallInputs) {
    if let Some(last) = call.messages.last_mut() {
        last.extra.insert("seen".to_owned(), json!(true));
    }
    call.messages.push(Message::system("Be brief."));
}

/// What a run of 11 steps allocates after a history of 10 MB, and how much of it at once.
fn run<R: GuardSet>(rails: R) -> AllocationInfo {
    let call = json!({ "call": [{ "tool": "search", "arguments": { "query": "orders" } }] });
    let script = Value::from([vec![call; 10], vec![json!({ "say": "There are three." })]].concat());
    let model: ScriptedModel = script.to_string().parse().unwrap();
    let search = Tool::new("search", "Finds orders.", json!({ "type": "object" }), |_: Value| async {
        Ok::<_, OperationError>("three orders")
    });
    let agent = Agent::builder("long", model).instructions("You help customers.").tool(search).rails(rails).build();
    let inputs = InvokeInputs { messages: long_history(1_000).into(), ..InvokeInputs::new("Any orders?") };
    let mut output = None;
    let info = allocation_counter::measure(|| {
        if let Poll::Ready(result) = pin!(agent.run(inputs)).poll(&mut Context::from_waker(Waker::noop())) {
            output = Some(result.unwrap());
        }
    });
    let output = output.unwrap();
    assert_eq!((output.steps, output.messages.len()), (11, 1_000 + 2 + 21));
    info
}

#[test]
fn the_cost_of_a_run_does_not_depend_on_its_history() {
    let bus = EventBus::new(64);
    let records = bus.subscribe();
    let runs = [
        ("no rails", run(NoRails)),
        ("a rail that changes requests", run(rail_chain![rewrites])),
        ("a bus of 64 without a subscriber", run(EventBus::new(64).wrap(NoRails))),
        ("a bus of 64 with a subscriber", run(bus.wrap(NoRails))),
    ];
    println!("| 11 steps after 10 MB | bytes allocated | at once |\n|---|---|---|");
    for (rails, info) in &runs {
        println!("| {rails} | {} | {} |", info.bytes_total, info.bytes_max);
        assert!(info.bytes_total < 2_000 * KILOBYTES, "{rails}: {} bytes", info.bytes_total);
    }
    // Nobody else has the list when a step is added: not even the pointers are copied.
    assert!(runs[0].1.bytes_total < 20 * POINTERS);
    drop(records);
}
