//! Histories that are loops, and histories that look like loops and are work. They were written together with the guard, so
//! they say what it is meant to do. Those marked as hard show what it cannot do.

/// A call: the tool, its argument, and its result.
pub(crate) type Call = (&'static str, String, String);

pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) is_loop: bool,
    pub(crate) calls: Vec<Call>,
}

/// Makes the calls of 24 rounds.
fn rounds(round: impl Fn(usize) -> Vec<Call>) -> Vec<Call> {
    (0..24).flat_map(round).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "the table is easier to read")]
fn call(tool: &'static str, argument: impl ToString, result: impl ToString) -> Call {
    (tool, argument.to_string(), result.to_string())
}

#[expect(clippy::too_many_lines, reason = "it is a table")]
pub(crate) fn all() -> Vec<Case> {
    let case = |is_loop, name, calls| Case { name, is_loop, calls };
    vec![
        case(true, "searches for the same words, and finds nothing", rounds(|_| vec![call("search", "x", "nothing")])),
        case(true, "reads the same file", rounds(|_| vec![call("read", "a.rs", "fn main() {}")])),
        case(
            true,
            "repeats a failing command with other times in the error",
            rounds(|i| vec![call("run", "make", format!("error: failed at 12:00:{i:02}"))]),
        ),
        case(true, "writes and reverts", rounds(|_| vec![call("write", "a.rs", "done"), call("undo", "a.rs", "done")])),
        case(true, "reads two files in turn", rounds(|_| vec![call("read", "a", "A"), call("read", "b", "B")])),
        case(
            true,
            "lists, reads and searches in turn",
            rounds(|_| vec![call("list", "/", "a b"), call("read", "a", "A"), call("search", "b", "nothing")]),
        ),
        case(true, "eight calls in turn", rounds(|_| (0..8).map(|page| call("read", page, "text")).collect())),
        case(
            true,
            "the same four calls in another order each time",
            rounds(|i| (0..4).map(|k| call("read", (k * (i % 3 + 1) + i) % 5, "text")).collect()),
        ),
        case(true, "a refused call again and again", rounds(|_| vec![call("delete", 7, "error: not allowed")])),
        case(
            true,
            "asks for the balance after each try to pay",
            rounds(|_| vec![call("pay", 100, "error: not enough"), call("balance", "", "3")]),
        ),
        case(true, "12 calls in turn", rounds(|_| (0..12).map(|page| call("read", page, "text")).collect())),
        case(
            true,
            "a search with one more word each time (hard)",
            rounds(|i| vec![call("search", "x ".repeat(i + 1), "nothing")]),
        ),
        case(
            true,
            "a result with the time of day in it (hard)",
            rounds(|i| vec![call("search", "x", format!("nothing found at 12:00:{i:02}"))]),
        ),
        case(
            true,
            "re-reads a file after each new search (hard)",
            rounds(|i| vec![call("read", "a", "A"), call("search", i, "nothing")]),
        ),
        case(false, "reads many files", rounds(|i| vec![call("read", i, format!("file {i}"))])),
        case(false, "reads many pages that are the same", rounds(|i| vec![call("list", i, "no entries")])),
        case(
            false,
            "waits for a build that reports its progress",
            rounds(|i| vec![call("status", 7, format!("{i} of 24"))]),
        ),
        case(
            false,
            "edits, builds and tests",
            rounds(|i| {
                vec![call("edit", i, "done"), call("build", "", "ok"), call("test", "", format!("{} failed", 24 - i))]
            }),
        ),
        case(
            false,
            "edits and checks, and the check is clean",
            rounds(|i| vec![call("edit", i, "done"), call("check", "", "no problems")]),
        ),
        case(
            false,
            "looks up customers and their orders",
            rounds(|i| vec![call("customer", i, "found"), call("orders", i, "one order")]),
        ),
        case(
            false,
            "tries one key after the other",
            rounds(|i| vec![call("open", format!("key {i}"), "error: wrong key")]),
        ),
        case(
            false,
            "asks for the time before each mail",
            rounds(|i| vec![call("time", "", format!("12:{i:02}")), call("mail", i, "sent")]),
        ),
        case(
            false,
            "a failed call is repeated twice and then works",
            vec![
                call("fetch", "x", "error: time-out"),
                call("fetch", "x", "error: time-out"),
                call("fetch", "x", "text"),
                call("read", "y", "text"),
            ],
        ),
        case(
            false,
            "goes through a form, and each page changes",
            rounds(|i| vec![call("next", "", format!("page {i}"))]),
        ),
        case(
            false,
            "adds the same item to the cart, and the cart grows",
            rounds(|i| vec![call("add", "apple", format!("{} apples", i + 1))]),
        ),
        case(
            false,
            "waits for a build whose state does not change (hard)",
            rounds(|i| vec![call("status", 7, if i < 12 { "running" } else { "done" })]),
        ),
    ]
}
