use super::*;

/// Writes a tree in a short form: words as they are expanded without values, and structure as brackets.
fn short(program: &Program) -> String {
    let entries = program.entries.iter().map(|entry| {
        let runs = match entry.runs {
            Runs::Always => "",
            Runs::AfterSuccess => "&& ",
            Runs::AfterFailure => "|| ",
        };
        let commands: Vec<_> = entry.commands.iter().map(short_command).collect();
        format!("{runs}{}{}", commands.join(" | "), if entry.background { " &" } else { "" })
    });
    entries.collect::<Vec<_>>().join("; ")
}

fn short_command(command: &Command) -> String {
    let words = |words: &[Word]| words.iter().map(short_word).collect::<Vec<_>>().join(" ");
    let mut text = match &command.kind {
        Kind::Simple { assignments, words: given } => {
            let set = assignments.iter().map(|assignment| {
                let value = match &assignment.value {
                    Assigned::Word(word) => short_word(word),
                    Assigned::Array(elements) => format!("[{}]", words(elements)),
                };
                format!("{}{}={value}", assignment.name, if assignment.appends { "+" } else { "" })
            });
            set.chain(given.iter().map(short_word)).collect::<Vec<_>>().join(" ")
        }
        Kind::Group(program) => format!("{{ {} }}", short(program)),
        Kind::Subshell(program) => format!("( {} )", short(program)),
        Kind::If { branches, otherwise } => {
            let branches: Vec<_> = branches
                .iter()
                .map(|(condition, body)| format!("if {} then {}", short(condition), short(body)))
                .collect();
            let otherwise = otherwise.as_ref().map_or(String::new(), |program| format!(" else {}", short(program)));
            format!("{}{otherwise} fi", branches.join(" el"))
        }
        Kind::While { condition, body } => format!("while {} do {} done", short(condition), short(body)),
        Kind::For { name, values, body } => {
            format!("for {name} in {} do {} done", values.as_deref().map_or("@".into(), words), short(body))
        }
        Kind::Count { body, .. } => format!("count do {} done", short(body)),
        Kind::Case { subject, arms } => {
            let arms: Vec<_> =
                arms.iter().map(|arm| format!("{}) {}", words(&arm.patterns), short(&arm.body))).collect();
            format!("case {} in {} esac", short_word(subject), arms.join(";; "))
        }
        Kind::Function { name, body } => format!("{name}() {}", short_command(body)),
        Kind::Coprocess(body) => format!("coproc {}", short_command(body)),
        Kind::Test(given) => format!("[[ {} ]]", words(given)),
        Kind::Arithmetic(_) => "((…))".to_owned(),
    };
    let redirects = command.redirects.iter().map(|redirect| {
        let descriptor = match &redirect.descriptor {
            Descriptor::Number(number) => number.to_string(),
            Descriptor::OutputAndErrors => "&".to_owned(),
            Descriptor::Variable(name) => format!("{{{name}}}"),
        };
        format!(" {descriptor}{:?}:{}", redirect.operator, short_word(&redirect.target))
    });
    text.extend(redirects);
    text
}

fn short_word(word: &Word) -> String {
    short_parts(&word.parts)
}

fn short_parts(parts: &[Part]) -> String {
    let words = |words: &[Word], between: &str| words.iter().map(short_word).collect::<Vec<_>>().join(between);
    let short_part = |part: &Part| match part {
        Part::Text { text, .. } => text.clone(),
        Part::Glob(c) => format!("‹{c}›"),
        Part::ExtendedGlob(patterns) => format!("‹{}›", words(patterns, "|")),
        Part::Tilde(user) => format!("‹~{user}›"),
        Part::Parameter { parameter, .. } => {
            format!("${{{}{}{}}}", parameter.name, parameter.operator, words(&parameter.words, ","))
        }
        Part::Output { program, .. } => format!("$({})", short(program)),
        Part::Process { program, reads } => format!("{}({})", if *reads { '>' } else { '<' }, short(program)),
        Part::Arithmetic(_) => "$((…))".to_owned(),
        Part::Braces(lists) => {
            format!("{{{}}}", lists.iter().map(|parts| short_parts(parts)).collect::<Vec<_>>().join(","))
        }
    };
    parts.iter().map(short_part).collect()
}

#[test]
fn texts_become_trees() {
    for (text, expected) in [
        ("a b;c", "a b; c"),
        ("a && b || c &", "a; && b; || c &"),
        ("! a | b |& c", "a | b 2Duplicate:1 | c"),
        ("x=1 y+='2 3' a", "x=1 y+=2 3 a"),
        ("x=(a 'b c' $d)", "x=[a b c ${d}]"),
        ("declare -a x=(a b)", "x=[a b] declare -a x="),
        (r#"r\m "a b"'c'"#, "rm a bc"),
        ("a 2>&1 >out <<<'x y'", "a 2Duplicate:1 1Write:out 0String:x y"),
        ("a &>log; b >&log", "a &Write:log; b &Write:log"),
        ("exec {fd}<> f", "exec {fd}ReadWrite:f"),
        ("cat <<A <<-'B' | wc\nx $y\nA\n\t$z\n\tB\nls", "cat 0Document:x ${y}\n 0Document:$z\n | wc; ls"),
        ("(a; b)|c", "( a; b ) | c"),
        ("{ a; }>f", "{ a } 1Write:f"),
        ("if a; then b; elif c; then d; else e; fi", "if a then b elif c then d else e fi"),
        ("while read -r l; do echo $l; done < f", "while read -r l do echo ${l} done 0Read:f"),
        ("for x in a b; do c; done", "for x in a b do c done"),
        ("for x do c; done", "for x in @ do c done"),
        ("for ((i=0;i<3;i++)); do c; done", "count do c done"),
        ("case $x in a|b) c;; (*) d ;; esac", "case ${x} in a b) c;; ‹*›) d esac"),
        ("f() { a; }; function g { b; }", "f() { a }; g() { b }"),
        ("[[ -f a && b =~ ^(c|d)$ ]] && e", "[[ -f a b =~ ^ c d $ ]]; && e"),
        ("((x++)); ((a) ; b)", "((…)); ( ( a ); b )"),
        ("coproc N { a; }", "coproc { a }"),
        ("echo $(a \"$(b)\") `c`", "echo $(a $(b)) $(c)"),
        ("diff <(a) >(b)", "diff <(a) >(b)"),
        ("echo ${x:-a b} ${x//b/c} ${#x} ${x[1]}", "echo ${x:-a b} ${x//b,c} ${x} ${x}"),
        ("echo {a,b{1..3}} {} a{b c", "echo {a,b{1,2,3}} {} a{b c"),
        ("ls ~/x ~root *.[ch]", "ls ‹~›/x ‹~root› ‹*›.‹[›ch]"),
        ("a # b\n# c\nd", "a; d"),
        ("a \\\n  b", "a b"),
        (r"echo $'\x72\155 \u00e9'", "echo rm é"),
        ("echo $((1 + $(a)))", "echo $((…))"),
        ("echo @(a|b) !(c)", "echo ‹a|b› ‹c›"),
        ("time -p a", "a"),
        ("find . -exec rm {} \\;", "find . -exec rm {} ;"),
        ("echo a>b", "echo a 1Write:b"),
        ("$(a) b", "$(a) b"),
        ("a;\n\nb\n", "a; b"),
        ("echo }", "echo }"),
        ("", ""),
    ] {
        let read = read(text, Limits::DEFAULT).map(|program| short(&program));
        assert_eq!(read.as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn texts_that_bash_refuses_are_refused() {
    for text in [
        "a |",
        "a &&",
        "| a",
        "a ;; b",
        "if a; then b",
        "for x in a; b; done",
        "(a",
        "a)",
        "{ a",
        "case x in a) b",
        "f() a",
        "'a",
        "\"a",
        "$(a",
        "${a",
        "`a",
        "[[ a",
        "a; }",
        "done",
        "a & & b",
        "x=(a",
        "((a",
        "$((a",
        "a <",
        "echo a(b)",
        "while a; do b; done c",
    ] {
        assert!(read(text, Limits::DEFAULT).is_err(), "{text}");
    }
}

/// Deep and long texts are refused. If a text took more than linear time, this test would not end.
#[test]
fn hostile_texts_end() {
    for unit in [
        "{", "(", "$(", "`", "{a,", "((", "$((", "${x:-", "if ", "f() {", "[[ ", "\"$(", "a<<b\n", "case ", "x[", "@(",
        "<(",
    ] {
        let text = unit.repeat(20_000);
        assert!(read(&text, Limits::DEFAULT).is_err() || matches!(unit, "{a," | "`" | "a<<b\n" | "x["), "{unit}");
    }
}

/// Every command of the two sets of 300 commands is a program.
#[test]
fn the_sets_are_read() {
    for set in
        [include_str!("../../tests/shell/sets/ordinary.jsonl"), include_str!("../../tests/shell/sets/harmful.jsonl")]
    {
        for line in set.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
            let command = line["command"].as_str().unwrap_or_default();
            assert_eq!(read(command, Limits::DEFAULT).err(), None, "{command}");
        }
    }
}
