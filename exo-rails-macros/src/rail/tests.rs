use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::testing::{assert_begin, golden, mentions, messages, tokens};

fn expand(args: &str, item: &str) -> TokenStream {
    super::rail(tokens(args), tokens(item))
}

/// Checks each row: the arguments, the item, and the beginning of each message. The output must always contain the item.
fn check(table: &[(&str, &str, &[&str])]) {
    for (args, item, expected) in table {
        let expansion = expand(args, item);
        assert_survives(item, &expansion);
        assert_begin(&format!("#[rail({args})] {item}"), &messages(&expansion), expected);
    }
}

/// Asserts that the expansion begins with all tokens of the item, except its `#[on(…)]`.
fn assert_survives(item: &str, expansion: &TokenStream) {
    let text = |tokens: &TokenStream| tokens.to_string().replace(' ', "");
    let kept = text(&without_on(tokens(item)));
    assert!(text(expansion).starts_with(&kept), "{item}\ncame out as\n{expansion}");
}

fn without_on(tokens: TokenStream) -> TokenStream {
    let mut kept = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket && is_on(&group) => drop(kept.pop()),
            TokenTree::Group(group) => {
                kept.push(Group::new(group.delimiter(), without_on(group.stream())).into());
            }
            other => kept.push(other),
        }
    }
    kept.into_iter().collect()
}

/// Returns `true` for `[on(Start)]`, but not for `[rail(on = [Start])]` or `[Start]`.
fn is_on(group: &Group) -> bool {
    group.stream().into_iter().any(|token| token.to_string() == "on")
}

const CALL: &str = "async fn guard(call: &ToolCallInputs) -> RailAction { loop {} }";

#[test]
fn valid_rails_are_accepted() {
    let functions = [
        CALL,
        "fn guard() {}",
        "pub(crate) async fn guard(ctx: &mut RailContext, output: &mut ToolOutput, call: &ToolCallInputs) {}",
        "async fn guard<'a, 'b: 'a>(call: &'a mut ToolCallInputs, ctx: &'b RailContext) -> Option<Verdict> { None }",
        "async fn guard(inputs: Inputs<'_>) -> Result<RailAction<ToolOutput>, Error> { loop {} }",
        "const fn guard(_: &ToolCallInputs) {}",
        "#[doc = \"docs\"] #[deprecated] #[inline] async fn r#type((): &()) where u8: Copy {}",
    ];
    for function in functions {
        check(&[("on = [PreToolCall]", function, &[])]);
    }
    let blocks = [
        "impl Budget { #[on(PreToolCall)] async fn before(&self) {} }",
        "impl Budget { #[exo_rails::on(PreToolCall)] async fn before(&self) {} }",
        "impl Budget { #[on(PreToolCall, Start)] fn before() {} #[on(Finished)] #[on(Error)] fn after(&self) {} }",
        "impl<S: Store, const N: usize> a::Limit<S, N> where S: Send { #[on(a::Start)] fn start(&self) {} }",
        "impl Budget { const A: [u8; 1] = [{ 0 }]; fn other(self) {} #[on(Start)] pub fn start(&self) {} m! {} }",
    ];
    for block in blocks {
        check(&[("", block, &[])]);
    }
    let arguments = [
        "on = [PreToolCall]",
        "on = [PreToolCall, events::Start,], priority = -5,",
        "priority = <other as Rail>::PRIORITY + BASE, on = [Start], name = \"guard-1\"",
        "priority = -2147483648, on = [Start]",
        "priority = 0x7fff_ffff_i32, on = [Start]",
        "crate = some::path, on = [Start]",
    ];
    for args in arguments {
        check(&[(args, "fn guard() {}", &[])]);
    }
}

#[test]
fn mistakes_in_arguments_are_reported() {
    check(&[
        ("priority = 10", CALL, &["the rail `guard` has no events"]),
        ("", CALL, &["the rail `guard` has no events"]),
        ("on = []", CALL, &["this list has no events"]),
        ("on = PreToolCall", CALL, &["`on` takes a list of events: `on = [PreToolCall]`"]),
        ("on", CALL, &["`on` needs a value: `on = [PreToolCall]`"]),
        ("on(PreToolCall)", CALL, &["`on` needs a value: `on = [PreToolCall]`"]),
        ("PreToolCall", CALL, &["write the events of a rail in a list: `on = [PreToolCall]`"]),
        ("on = [\"PreToolCall\"]", CALL, &["events are names of types, without quotes"]),
        ("on = [ToolOutput]", CALL, &["`ToolOutput` is a payload, not an event"]),
        ("on = [HookPoint::Start]", CALL, &["`HookPoint::Start` is a value for run time, not the type of an event"]),
        ("on = [Start, Start]", CALL, &["the event `Start` is listed twice: list it once"]),
        ("on = [Start], on = [Error]", CALL, &["`on` is given twice"]),
        ("on = [Start], prio = 1", CALL, &["`#[rail]` has no argument `prio`; did you mean `priority`?"]),
        ("on = [Start], priorty = 1", CALL, &["`#[rail]` has no argument `priorty`; did you mean `priority`?"]),
        ("on = [Start], priority", CALL, &["`priority` needs a value: `priority = 10`"]),
        ("priority = , on = [Start]", CALL, &["`priority` needs a value: `priority = 10`"]),
        ("priority = 1 on = [Start]", CALL, &["expected `,` between two arguments"]),
        ("on = [Start], priority = \"1\"", CALL, &["`\"1\"` is not an integer: write a priority like `priority = 10`"]),
        ("on = [Start], priority = -1.5", CALL, &["`-1.5` is not an integer"]),
        ("on = [Start], priority = true", CALL, &["`true` is not an integer"]),
        ("on = [Start], priority = 10u8", CALL, &["a priority is an `i32`: write `10`"]),
        ("on = [Start], priority = 2147483648", CALL, &["a priority is an `i32`: `2147483648` is out of its range"]),
        ("on = [Start], priority = 99999999999999999999", CALL, &["a priority is an `i32`: `99999999999999999999` is"]),
        ("on = [Start], priority = -2147483649", CALL, &["a priority is an `i32`: `-2147483649` is out of its range"]),
        ("on = [Start], name = \" \"", CALL, &["the name of a rail is a string that is not blank"]),
        ("on = [Start], name = guard", CALL, &["the name of a rail is a string that is not blank"]),
        (
            "severity = 3, priority = \"1\"",
            CALL,
            &["`#[rail]` has no argument `severity`", "`\"1\"` is not an integer", "the rail `guard` has no events"],
        ),
    ]);
}

#[test]
fn mistakes_in_functions_are_reported() {
    let on = "on = [PreToolCall]";
    check(&[
        (on, "fn guard(call: ToolCallInputs) {}", &["a rail borrows the payload: write `&ToolCallInputs`"]),
        (on, "fn guard(inputs: &mut Inputs<'_>) {}", &["`Inputs<'_>` is already a borrow"]),
        (
            on,
            "fn guard(call: impl Debug) {}",
            &["a rail takes parts of the payload by reference, and no event of the library carries `impl Debug`"],
        ),
        (on, "fn guard(a: &ToolOutput, b: &mut ToolOutput) {}", &["the rail takes `ToolOutput` twice"]),
        (on, "fn guard(a: &RailContext, b: &mut RailContext) {}", &["the rail takes `RailContext` twice"]),
        (on, "fn guard() -> impl Future<Output = ()> {}", &["a rail returns its decision"]),
        (on, "fn guard<T>() {}", &["a rail function cannot have type or const parameters"]),
        (on, "fn guard<const N: usize>() {}", &["a rail function cannot have type or const parameters"]),
        (on, "unsafe fn guard() {}", &["a rail cannot be `unsafe`"]),
        (on, "extern \"C\" fn guard() {}", &["a rail cannot be `extern`"]),
        (on, "#[rail(on = [Start])] fn guard() {}", &["a function is one rail: list all its events in one"]),
        (on, "fn guard(&self) {}", &["a method cannot have `#[rail]`"]),
        (
            on,
            "unsafe fn guard<T>(call: ToolCallInputs) {}",
            &["a rail function cannot have type or const parameters", "a rail cannot be `unsafe`", "a rail borrows"],
        ),
    ]);
}

#[test]
fn mistakes_in_impl_blocks_are_reported() {
    check(&[
        ("", "impl Budget {}", &["this rail has no events"]),
        ("on = [Start]", "impl Budget {}", &["the `#[rail]` of an `impl` block has no `on`"]),
        ("", "impl Budget { #[on] fn f(&self) {} }", &["`#[on]` needs the events of the method"]),
        ("", "impl Budget { #[on()] fn f(&self) {} }", &["this list has no events"]),
        ("", "impl Budget { #[on(Start)] const F: u8 = 1; }", &["only a method can have `#[on(…)]`"]),
        (
            "",
            "impl Budget { #[cfg(x)] #[on(Start)] fn f(&self) {} }",
            &["a method with `#[on(…)]` cannot have a `#[cfg]`"],
        ),
        (
            "",
            "impl Budget { #[on(Start)] #[cfg(x)] fn f(&self) {} }",
            &["a method with `#[on(…)]` cannot have a `#[cfg]`"],
        ),
        ("", "impl Budget { #[on(Start)] fn f(&mut self) {} }", &["all runs share the rail"]),
        ("", "impl Budget { #[on(Start)] fn f(self) {} }", &["all runs share the rail"]),
        ("", "impl Budget { #[on(Start)] fn f<T>(&self) {} }", &["a method of a rail cannot have type parameters"]),
        (
            "",
            "impl Budget { #[on(Start)] fn f(&self) {} #[on(Start)] fn g(&self) {} }",
            &["a rail has one method for each event, and `f` is already on `Start`"],
        ),
        (
            "",
            "impl Budget { #[on(Start)] #[on(Start)] fn f(&self) {} }",
            &["the event `Start` is listed twice: list it once"],
        ),
        (
            "",
            "impl Guard for Budget { #[on(Start)] fn f(&self) {} }",
            &["`#[rail]` cannot be on the `impl` of a trait"],
        ),
        (
            "",
            "unsafe impl Budget { #[on(Start)] fn f(&self) {} }",
            &["the `impl` block of a rail cannot be `unsafe`: leave this out"],
        ),
    ]);
}

#[test]
fn other_items_cannot_be_rails() {
    for item in ["struct Budget;", "const LIMIT: u8 = 1;", "mod guards {}", "use a::b;", "static A: u8 = 1;"] {
        check(&[("on = [Start]", item, &["this cannot be a rail"])]);
    }
}

/// The editor and the callers of a function see it, even with mistakes in its attribute, its signature or its incomplete
/// body.
#[test]
fn the_expansion_keeps_the_item() {
    let items = [
        ("", CALL),
        ("on = [PreToolCall]", "async fn f(call: &ToolCallInputs) -> RailAction { match call. }"),
        ("on = [Start]", "pub fn f(call) -> { let }"),
        ("on = [Start]", "struct Budget { limit: u8 }"),
        ("nonsense nonsense", "impl Budget { fn f(&self) { self. } }"),
    ];
    for (args, item) in items {
        assert_survives(item, &expand(args, item));
    }
}

/// An incomplete body does not change the rail.
#[test]
fn a_half_typed_body_does_not_change_the_rail() {
    let bodies = [
        "call.",
        "let x =",
        "let x = call.tool_name.",
        "if call.tool_name ==",
        "match call.",
        "match call.tool_name.as_str() { \"shell\" => }",
        "RailAction::",
        "RailAction::abort(call.)",
        "for x in",
        "call.tool_name, => fn",
        "return RailAction",
        "|call|",
        "#[allow]",
    ];
    let function = |body| format!("async fn f(call: &ToolCallInputs) -> RailAction {{ {body} }}");
    let method = |body| format!("impl Budget {{ #[on(Start)] async fn f(&self, call: &A) -> Verdict {{ {body} }} }}");
    for body in bodies {
        for (args, item, finished) in
            [("on = [PreToolCall]", function(body), function("loop {}")), ("", method(body), method("loop {}"))]
        {
            check(&[(args, &item, &[])]);
            assert_eq!(beside(&expand(args, &item)), beside(&expand(args, &finished)), "{item}");
        }
    }
}

/// Returns the tokens after the item.
fn beside(expansion: &TokenStream) -> String {
    let is_body = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    expansion.clone().into_iter().skip_while(|token| !is_body(token)).skip(1).collect::<TokenStream>().to_string()
}

/// The rail stays a rail for chains that list it, and the function stays a function for its callers.
#[test]
fn a_rail_with_half_typed_arguments_is_still_a_rail() {
    let on_no_event = "the rail `guard` has no events";
    let table: &[(&str, &[&str])] = &[
        ("o", &["`#[rail]` has no argument `o`; did you mean `on`?", on_no_event]),
        ("on =", &["`on` needs a value"]),
        ("on = [Pre::]", &["events are names of types, without quotes"]),
        ("on = [events::Pre, ,]", &["events are names of types, without quotes"]),
        ("on = [Start] priority", &["expected `,` between two arguments", "`priority` needs a value"]),
        ("on = [Start], pri", &["`#[rail]` has no argument `pri`; did you mean `priority`?"]),
        ("on = [Start], priority =", &["`priority` needs a value: `priority = 10`"]),
        ("on = [Start], priority = -", &["`priority` cannot be read: write it like `priority = 10`"]),
        ("on = [Start], priority = BASE +", &["`priority` cannot be read: write it like `priority = 10`"]),
        ("on = [Start], name =", &["`name` needs a value: `name = \"my_rail\"`"]),
        ("on = [Start], crate =", &["`crate` needs a value: `crate = ::exo_rails`"]),
        ("on = [Start, events::Start]", &["the event `events::Start` is listed twice: list it once"]),
        ("on = [Start],,", &["there are two `,` between two arguments: leave one out"]),
    ];
    for (args, expected) in table {
        check(&[(args, CALL, expected)]);
        assert!(mentions(&expand(args, CALL), "RailOn"), "#[rail({args})]");
    }
}

/// The macro makes no rail from a signature that it cannot read, but the output contains the user's code.
#[test]
fn a_half_typed_signature_keeps_the_code_of_the_user() {
    let signatures = [
        "fn f(call) {}",
        "fn f(call: ) {}",
        "pub async fn f(call: &) -> RailAction { loop {} }",
        "fn f(call: &mut) {}",
        "fn f(call: &ToolCallInputs, , ctx: &RailContext) {}",
        "fn f(call: &ToolCallInputs ctx: &RailContext) {}",
        "fn f() -> {}",
        "fn f() -> RailAction< {}",
        "fn f<T(call: T) {}",
        "async f() {}",
        "fn () {}",
        "fn f",
        "pub async",
        "",
    ];
    for item in signatures {
        let expansion = expand("on = [PreToolCall]", item);
        assert_survives(item, &expansion);
        assert_eq!(messages(&expansion).len(), 1, "{item}");
    }
    for item in ["fn f()", "fn f() -> RailAction", "fn f(call: &ToolCallInputs) where {}"] {
        check(&[("on = [PreToolCall]", item, &[])]);
    }
}

/// The other methods stay methods of the type, and rails on their events.
#[test]
fn a_half_typed_method_keeps_the_others() {
    let others = "#[on(PreToolCall)] fn g(&self, call: &ToolCallInputs) -> Verdict { loop {} } fn h(&self) {}";
    for body in ["self.", "let x =", "if self.limit =="] {
        let block = format!("impl Budget {{ #[on(Start)] fn f(&self) {{ {body} }} {others} }}");
        check(&[("", &block, &[])]);
        let expansion = beside(&expand("", &block));
        assert!(["Start", "PreToolCall"].iter().all(|event| expansion.contains(event)), "{expansion}");
    }
    let half_typed = [
        "#[on(Start)] fn f(&self, call) {}",
        "#[on(Start)] fn f(&self, call: &) {}",
        "#[on(Start)] fn f(&self) -> {}",
        "#[on(Start)] fn (&self) {}",
        "#[on(Start::)] fn f(&self) {}",
        "#[on(Start,, Error)] fn f(&self) {}",
        "#[on()] fn f(&self) {}",
        "#[on] fn f(&self) {}",
    ];
    for method in half_typed {
        for block in [format!("impl Budget {{ {method} {others} }}"), format!("impl Budget {{ {others} {method} }}")] {
            let expansion = expand("", &block);
            assert_survives(&block, &expansion);
            assert_eq!(messages(&expansion).len(), 1, "{block}");
            assert!(mentions(&expansion, "RailOn"), "{block}");
        }
    }
    for end in ["#[on(Start)]", "#[on(Start)] fn", "#[on(Start)] pub async fn f"] {
        let block = format!("impl Budget {{ {others} {end} }}");
        let expansion = expand("", &block);
        assert_survives(&block, &expansion);
        assert_eq!(messages(&expansion).len(), 1, "{block}");
    }
    // An item that cannot be read keeps its other attributes, and `#[on]` does not report a second error.
    for block in
        ["impl Budget { #[on(Start)] #[inline] fn f(&self) {} # }", "impl Budget< { #[a::on(Start)] fn f(&self) {} }"]
    {
        let expansion = expand("", block);
        assert_eq!(messages(&expansion).len(), 1, "{block}");
        assert!(!mentions(&expansion, "on"), "{block}: {expansion}");
        assert_eq!(mentions(&expansion, "inline"), block.contains("inline"), "{block}");
    }
    for end in ["pub", "fn", "fn f", "fn f(&self)", "let"] {
        check(&[("", &format!("impl Budget {{ {others} {end} }}"), &[])]);
    }
}

/// The macro removes `#[on]` from a block, even from one with mistakes. Everything else stays.
#[test]
fn the_macro_removes_the_attribute_on_from_methods() {
    let block =
        |on: &str| format!("#[allow(x)] impl Budget {{ {on} #[inline] async fn f(&self) {{}} const A: u8 = 1; }}");
    for args in ["", "priorty = 1"] {
        let expansion = expand(args, &block("#[on(Start)]")).to_string();
        assert!(expansion.starts_with(&tokens(&block("")).to_string()), "{expansion}");
    }
}

/// Braces in the type do not begin the body.
#[test]
fn the_macro_keeps_the_header_of_a_block_unchanged() {
    for block in [
        "impl Budget<{ 1 + 2 }> { fn f(&self) {} }",
        "impl Budget where Limit<{ 1 + 2 }>: Copy { #![allow(x)] fn f(&self) {} }",
    ] {
        let text = |tokens: &TokenStream| tokens.to_string().replace(' ', "");
        let expansion = text(&expand("", &block.replace("fn", "#[on(Start)] fn")));
        assert!(expansion.starts_with(&text(&tokens(block))), "{expansion}");
    }
}

/// An item with mistakes is still a rail for the chains that list it, and an error always stands beside it.
#[test]
fn a_rail_with_mistakes_expands_to_a_stub() {
    for (args, item) in [("priority = true", CALL), ("", "impl<T> Budget<T> where T: Copy {}")] {
        let expansion = expand(args, item);
        assert!(!messages(&expansion).is_empty());
        assert!(mentions(&expansion, "RailOn"), "{expansion}");
        let parsed = syn::parse2::<syn::File>(expansion);
        assert!(parsed.is_ok(), "{parsed:?}: #[rail({args})] {item}");
    }
}

#[test]
fn the_expansion_uses_the_given_path_of_the_library() {
    let items = [
        ("crate = my::rails, on = [PreToolCall, Start]", CALL),
        ("crate = my::rails", "impl Budget { #[on(Start)] async fn f(&self, a: &A, b: &B) -> Verdict {} }"),
        ("crate = my::rails, priorty = 1, on = [Start]", CALL),
    ];
    for (args, item) in items {
        let expansion = expand(args, item);
        assert!(!mentions(&expansion, "exo_rails"), "{expansion}");
    }
    assert!(mentions(&expand("on = [Start]", CALL), "exo_rails"));
}

#[test]
fn a_function_expands_to_the_recorded_code() {
    let args = "priority = BASE + 1, on = [PreToolCall, PostToolCall]";
    let item = "/// Refuses tools that destroy data.
        pub async fn block_dangerous(call: &ToolCallInputs, ctx: &mut RailContext) -> RailAction {
            RailAction::Continue
        }";
    golden("rail_function.rs", expand(args, item));
}

#[test]
fn an_impl_block_expands_to_the_recorded_code() {
    let item = "impl<S: Store> RateLimit<S> {
            #[on(PreLlmCall)]
            async fn spend(&self, call: &mut ModelCallInputs) -> Result<Verdict, S::Error> {
                self.store.take(1).await
            }
            #[on(Finished)]
            fn report(&self) {}
        }";
    golden("rail_impl_block.rs", expand("name = \"rate limit\"", item));
}

#[test]
fn a_rail_on_a_custom_event_expands_to_the_recorded_code() {
    let item = "pub fn privacy(memories: &mut Memories) -> Verdict { Verdict::Continue }";
    golden("rail_on_a_custom_event.rs", expand("on = [MemoriesRecalled, PreToolCall]", item));
}

#[test]
fn a_rail_with_a_mistake_expands_to_the_recorded_code() {
    golden("rail_with_a_mistake.rs", expand("priorty = 10, on = [PreToolCall]", CALL));
}

#[test]
fn a_rail_with_an_unreadable_signature_keeps_its_name() {
    for item in ["pub async fn guard(call) -> Verdict { loop {} }", "async fn guard(call: &) {}"] {
        let expansion = expand("on = [PreToolCall]", item);
        assert!(!messages(&expansion).is_empty(), "{item}");
        let expansion = expansion.to_string();
        assert!(expansion.contains("struct guard { }") && expansion.contains(&tokens(item).to_string()), "{expansion}");
    }
}

/// The docs describe the effect of a fault. They must agree with `RailOn::ON_FAULT`, as far as the return type shows it.
#[test]
fn the_docs_of_a_public_rail_describe_its_faults() {
    for (args, function, row) in [
        ("on = [Start]", "fn f() {}", "| events | a fault | | --- | --- | | `Start` | is reported |"),
        ("on = [Start]", "fn f() -> Result<(), String> { Ok(()) }", "| `Start` | is reported |"),
        ("on = [Start]", "fn f() -> Option<Verdict> { None }", "| `Start` | ends the run |"),
        ("on = [Start]", "fn f(run: &mut InvokeInputs) {}", "| `Start` | ends the run |"),
        ("on = [Start]", "fn f() -> Mine { Mine }", "| `Start` | ends the run if the rail decides |"),
        ("on = [Start], on_fault = \"continue\"", "fn f() -> Verdict { loop {} }", "| `Start` | is reported |"),
        ("on = [Start], on_fault = \"skip\"", "fn f() -> Verdict { loop {} }", "| `Start` | skips |"),
        ("on = [Start], always", "fn f() {}", "| `Start`, also after a rail has stopped them | is reported |"),
        (
            "on = [PreToolCall], tool = \"rm\", needs = [User], after = [audit]",
            "fn f(user: &User) -> Verdict { loop {} }",
            "Name `f`, priority 50, runs after `audit`. | events | tool | needs | a fault | | --- | --- | --- | --- | \
             | `PreToolCall` | `rm` | `User` | ends the run |",
        ),
        ("on = [Start], provides = [User]", "fn f() -> User { User }", "| `Start` | `User` | ends the run |"),
    ] {
        let expansion = expand(args, &format!("pub {function}")).to_string().replace("\\n", " ");
        let expansion = expansion.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(expansion.contains(row), "{args} {function}: {expansion}");
        assert!(!expand(args, function).to_string().contains("a fault"), "what is private has no page");
    }
}
