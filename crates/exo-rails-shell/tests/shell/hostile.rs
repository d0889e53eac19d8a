//! Texts that are made to overflow a stack or to take long. Each is answered with a question or a denial, or is harmless.

use exo_rails_shell::{ShellDecision, ShellRules};

/// A thread of a runtime has a stack of this size.
const STACK: usize = 2 << 20;

fn on_a_small_stack(check: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(check).unwrap().join().unwrap();
}

#[test]
fn deep_nesting_is_refused_and_does_not_overflow_the_stack() {
    on_a_small_stack(|| {
        let rules = ShellRules::default();
        let pairs = [
            ("(", ")"),
            ("( ", " )"),
            ("{ ", "; }"),
            ("$(", ")"),
            ("\"$(", ")\""),
            ("${x:-", "}"),
            ("\"${x:-", "}\""),
            ("$((", "))"),
            ("((", "))"),
            ("<(", ")"),
            ("if a; then ", "; fi"),
            ("while a; do ", "; done"),
            ("case a in a) ", ";; esac"),
            ("case a in a) ", "\nesac"),
            ("f() { ", "; }"),
            ("function f { ", "; }"),
            ("coproc { ", "; }"),
            ("for x in a; do ", "; done"),
            ("! ", ""),
            ("time ", ""),
            ("eval ", ""),
            ("sudo ", ""),
            ("xargs ", ""),
            ("a=(", ")"),
            ("[[ ", " ]]"),
            ("{a,", "}"),
            ("find . -exec ", " \\;"),
            ("`", "`"),
        ];
        for (open, close) in pairs {
            for depth in [20, 33, 100, 3_000] {
                let whole = format!("{}ls{}", open.repeat(depth), close.repeat(depth));
                let cut = format!("{}ls", open.repeat(depth));
                for text in [whole, cut] {
                    let verdict = rules.judge(&text);
                    if depth > 100 && !matches!(open, "(" | "((" | "! " | "time " | "{a," | "`" | "[[ ") {
                        assert!(!verdict.decision.passes(), "{depth} times {open}: {}", verdict.decision);
                    }
                }
            }
        }
    });
}

/// The deepest nesting that is read.
#[test]
fn nesting_within_the_limits_is_read() {
    on_a_small_stack(|| {
        let rules = ShellRules::default();
        for (open, close, depth) in [
            ("( ", " )", 32),
            ("{ ", "; }", 32),
            ("if a; then ", "; fi", 32),
            ("case a in a) ", "\nesac", 32),
            ("echo $(", ")", 16),
        ] {
            let text = format!("{}rm -rf /{}", open.repeat(depth), close.repeat(depth));
            assert_eq!(rules.judge(&text).decision, ShellDecision::Deny, "{text}");
        }
    });
}

#[test]
fn long_texts_are_refused_before_they_are_read() {
    let rules = ShellRules::default();
    for text in ["a", "$(", "{a,b}", "'", "ls;", "\\\n", "ж", "\0"] {
        let verdict = rules.judge(&text.repeat((1 << 20) / text.len()));
        assert!(!verdict.decision.passes());
        assert!(verdict.commands.is_empty());
    }
}

/// Each of these once took time that grew with the square of its length, or could.
#[test]
fn many_words_commands_and_unknown_parts_are_bounded() {
    let rules = ShellRules::default();
    for text in [
        "{".repeat(60_000),
        format!("echo {}", "{a,".repeat(20_000)),
        "{a,b}".repeat(12_000),
        format!("rm {}", "*".repeat(60_000)),
        "a;".repeat(30_000),
        format!("psql {}", "a\"$x\"dro ".repeat(4_000)),
        format!("git {}", "$x ".repeat(4_000)),
        "$(a)".repeat(4_000),
        "a=b;$a ".repeat(2_000),
        format!("find a b c d {}", "-exec rm {} + ".repeat(1_000)),
        format!("python -c '{}'", "print(1);".repeat(7_000)),
        format!("rm -rf {}", "a/../".repeat(12_000)),
        format!("echo $(({}1{}))", "(".repeat(20_000), ")".repeat(20_000)),
        // A `~` that is no directory once had no end.
        "a=~$x b=c:~\"d\" e=~~".to_owned(),
    ] {
        let verdict = rules.judge(&text);
        assert!(verdict.commands.len() <= 2_048);
    }
    assert_eq!(rules.judge(&"rm a;".repeat(600)).decision, ShellDecision::Allow);
    assert_eq!(rules.judge(&"rm a;".repeat(3_000)).decision, ShellDecision::Ask);
    assert_eq!(rules.judge(&format!("{}rm -rf /", "ls;".repeat(400))).decision, ShellDecision::Deny);
}
