//! Rails around an operation: `#[rail(on = [PreToolCall], around)]`.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, Ident, Path, ReturnType, Signature, Type, TypeImplTrait};

use super::args::Options;
use super::model::{Handler, Rail, Surrounded, ends_with, idents, is_mutable, target, ungrouped};
use crate::errors::{Errors, refuse_cfg};
use crate::paths::{EVENTS, Library, PAYLOADS};

const SIGNATURE: &str =
    "`async fn limit(call: &ToolCallInputs, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError>`";

/// Checks a function or a method that surrounds an operation.
pub(super) fn handler(
    sig: &Signature,
    callee: TokenStream,
    events: Vec<Path>,
    options: &Options,
    errors: &mut Errors,
) -> Handler {
    alone(options, errors);
    if let [_, second, ..] = &*events {
        errors.at(
            second,
            "a rail with `around` surrounds one operation: list only the event before it, `on = [PreToolCall], around`",
        );
    }
    let operation = events.first().and_then(|event| begun(event, errors));
    if sig.asyncness.is_none() {
        errors.at(
            sig.fn_token,
            format_args!("a rail with `around` waits for the operation: write an `async fn`, like {SIGNATURE}"),
        );
    }
    if matches!(sig.output, ReturnType::Default) {
        errors.at(
            &sig.ident,
            format_args!("a rail with `around` returns the result of the operation: write {SIGNATURE}"),
        );
    }
    Handler {
        around: Some(params(sig, events.first(), operation.as_ref(), errors)),
        events,
        span: sig.ident.span(),
        callee,
        takes_self: sig.receiver().is_some(),
        params: Vec::new(),
        output: match &sig.output {
            ReturnType::Default => syn::parse_quote!(()),
            ReturnType::Type(_, output) => (**output).clone(),
        },
        is_async: true,
        tool: None,
        provides: Vec::new(),
        needs: Vec::new(),
        always: false,
        timeout: None,
        catches_panics: false,
        on_fault: None,
        concurrent: false,
        window: None,
    }
}

/// Reports other options, which are only for rails that decide.
fn alone(options: &Options, errors: &mut Errors) {
    for key in options.keys.iter().filter(|key| *key != "around") {
        let advice = match key.to_string().as_str() {
            "timeout" => "write `tokio::time::timeout(limit, next.run()).await`",
            "tool" => "compare `call.tool_name`, and write `next.run().await` for the other tools",
            _ => "leave it out, or write two rails",
        };
        errors.at(key, format_args!("a rail with `around` cannot have `{key}`: {advice}"));
    }
}

/// An operation of the library.
struct Begun {
    /// The event before the operation.
    event: &'static str,
    name: &'static str,
    inputs: &'static str,
    /// The events in the operation and after it.
    others: &'static [&'static str],
}

const OPERATIONS: [Begun; 4] = [
    Begun { event: "Start", name: "Run", inputs: "InvokeInputs", others: &["Finished", "Error"] },
    Begun { event: "PreCompaction", name: "Compaction", inputs: "CompactionInputs", others: &["PostCompaction"] },
    Begun {
        event: "PreLlmCall",
        name: "LlmCall",
        inputs: "ModelCallInputs",
        others: &["LlmChunk", "PostLlmCall", "LlmError"],
    },
    Begun { event: "PreToolCall", name: "ToolCall", inputs: "ToolCallInputs", others: &["PostToolCall", "ToolError"] },
];

/// Returns the operation that an event of the library begins. Returns `None` for a custom event, because the macro knows
/// only its name.
fn begun(event: &Path, errors: &mut Errors) -> Option<&'static Begun> {
    let name = event.segments.last()?.ident.to_string();
    let begun = OPERATIONS.iter().find(|operation| operation.event == name);
    if begun.is_none() && EVENTS.contains(&&*name) {
        let other = OPERATIONS.iter().find(|operation| operation.others.contains(&&*name));
        let event_before = other.map_or("PreToolCall", |operation| operation.event);
        errors.at(
            event,
            format_args!(
                "`{name}` does not begin an operation: write the event before the operation, `on = [{event_before}], around`"
            ),
        );
    }
    begun
}

/// Returns the message for a parameter that belongs to another operation.
fn of_another(ty: &Type, operation: &Begun) -> Option<String> {
    let Begun { event, name, inputs, .. } = operation;
    match ty {
        Type::Reference(reference) => {
            let given = last_name(&reference.elem)?;
            let wrong = PAYLOADS.contains(&&*given) && given != *inputs;
            wrong.then(|| format!("the operation after `{event}` has the inputs `{inputs}`: write `&{inputs}`"))
        }
        Type::ImplTrait(bounds) => {
            let bounded = |name: &&Begun| bounds.bounds.iter().any(|bound| names(bound.to_token_stream(), name.name));
            let given = OPERATIONS.iter().find(bounded)?;
            (given.name != *name)
                .then(|| format!("the operation after `{event}` is `{name}`: write `impl Next<{name}>`"))
        }
        _ => None,
    }
}

/// Returns the event in `impl Next<PreToolCall>`, and the message for it.
fn of_an_event(ty: &Type, event: &Path) -> Option<(Ident, String)> {
    let Type::ImplTrait(bounds) = ty else { return None };
    let event = event.segments.last()?.ident.to_string();
    let given = idents(bounds.bounds.to_token_stream()).into_iter().find(|ident| *ident == event)?;
    let instead = match operation_at(&event) {
        Some(operation) => format!("write `impl Next<{operation}>`"),
        None => format!("write the operation that begins at `{event}`"),
    };
    let message = format!("`{given}` is an event, and a rail surrounds an operation: {instead}");
    Some((given, message))
}

/// Returns the name of the operation that begins at an event. By default, `StoreDocument` begins at `PreStoreDocument`.
fn operation_at(event: &str) -> Option<&str> {
    let known = OPERATIONS.iter().find(|operation| operation.event == event);
    known.map(|operation| operation.name).or_else(|| event.strip_prefix("Pre"))
}

/// Reports each `next.await` in the body of a function that takes `next: impl Next<…>`, and writes `next.run().await` there.
/// Otherwise, rustc would propose to remove the `.await`. Returns `None` if there is no such mistake.
pub(super) fn awaited(tokens: &TokenStream, errors: &mut Errors) -> Option<TokenStream> {
    let (mut out, mut next, mut is_changed) = (Vec::new(), None, false);
    for token in tokens.clone() {
        let changed = match &token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                next = next_in(group).or(next);
                None
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let body = group.stream();
                let body = match next.take() {
                    Some(name) if keeps_its_meaning(&name, &body) => run_before_await(&body, &name, errors),
                    Some(_) => None,
                    None => awaited(&body, errors),
                };
                body.map(|body| with_content(group, body))
            }
            _ => None,
        };
        is_changed |= changed.is_some();
        out.push(changed.unwrap_or(token));
    }
    is_changed.then(|| out.into_iter().collect())
}

fn with_content(group: &Group, content: TokenStream) -> TokenTree {
    let mut changed = Group::new(group.delimiter(), content);
    changed.set_span(group.span());
    changed.into()
}

/// Returns the name of the parameter `next: impl Next<ToolCall>`.
fn next_in(params: &Group) -> Option<Ident> {
    let tokens: Vec<_> = params.stream().into_iter().collect();
    let params = tokens.split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','));
    params.into_iter().find_map(|param| {
        let [TokenTree::Ident(name), TokenTree::Punct(colon), TokenTree::Ident(word), ty @ ..] = param else {
            return None;
        };
        let is_next = colon.as_char() == ':' && word == "impl" && names(ty.iter().cloned().collect(), "Next");
        is_next.then(|| name.clone())
    })
}

/// Returns whether the body only calls methods of the name. Otherwise, the name may mean something else at an `.await`.
fn keeps_its_meaning(name: &Ident, body: &TokenStream) -> bool {
    let tokens: Vec<_> = body.clone().into_iter().collect();
    tokens.iter().enumerate().all(|(at, token)| match token {
        TokenTree::Group(group) => keeps_its_meaning(name, &group.stream()),
        TokenTree::Ident(ident) if ident == name => {
            matches!(tokens.get(at + 1), Some(TokenTree::Punct(dot)) if dot.as_char() == '.')
        }
        _ => true,
    })
}

fn run_before_await(body: &TokenStream, name: &Ident, errors: &mut Errors) -> Option<TokenStream> {
    let tokens: Vec<_> = body.clone().into_iter().collect();
    let (mut out, mut is_changed) = (TokenStream::new(), false);
    for (at, token) in tokens.iter().enumerate() {
        let changed = match token {
            TokenTree::Group(group) => {
                run_before_await(&group.stream(), name, errors).map(|body| with_content(group, body).into())
            }
            // The tokens before and after `next` tell a field `self.next` from the parameter.
            TokenTree::Ident(next) if next == name && !is_dot(at.checked_sub(1).and_then(|at| tokens.get(at))) => {
                match tokens.get(at + 2) {
                    Some(TokenTree::Ident(word)) if word == "await" => {
                        let message =
                            format!("`{next}` is the operation, and not a future: write `{next}.run().await`");
                        errors.at(word, message);
                        Some(quote_spanned!(next.span()=> #next.run()))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        is_changed |= changed.is_some();
        out.extend(changed.unwrap_or_else(|| token.clone().into()));
    }
    is_changed.then_some(out)
}

fn is_dot(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(dot)) if dot.as_char() == '.')
}

/// Writes the operation in the place of its event in `impl Next<PreToolCall>`, which is reported. Otherwise, the compiler
/// reports the event again wherever the body uses the operation.
pub(super) fn with_operations(item: TokenStream, rail: &Rail) -> TokenStream {
    let events: Vec<_> =
        rail.handlers.iter().filter(|handler| handler.around.is_some()).flat_map(|handler| &handler.events).collect();
    if events.is_empty() { item } else { in_tokens(item, &events, &rail.library) }
}

fn in_tokens(tokens: TokenStream, events: &[&Path], library: &Library) -> TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let begins = |back: usize, text: &str| {
            out.len().checked_sub(back).and_then(|at| out.get(at)).is_some_and(|token| token.to_string() == text)
        };
        match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), in_tokens(group.stream(), events, library));
                inner.set_span(group.span());
                out.push(inner.into());
            }
            TokenTree::Ident(ident) if begins(2, "Next") && begins(1, "<") => {
                match events.iter().find(|event| event.is_ident(&ident)) {
                    Some(event) => out.extend(quote_spanned!(ident.span()=> <#event as #library::Begins>::Operation)),
                    None => out.push(ident.into()),
                }
            }
            token => out.push(token),
        }
    }
    out.into_iter().collect()
}

/// Writes `impl Next` in the place of `&dyn Next`, which is reported. Otherwise, rustc reports that no `dyn Next` can exist.
/// Returns `None` if there is no such type.
pub(super) fn without_dyn(tokens: &TokenStream) -> Option<TokenStream> {
    let tokens: Vec<_> = tokens.clone().into_iter().collect();
    let (mut out, mut is_changed): (Vec<TokenTree>, _) = (Vec::new(), false);
    for (at, token) in tokens.iter().enumerate() {
        let changed = match token {
            TokenTree::Ident(word) if word == "dyn" && is_next(&tokens[at + 1..]) => {
                while out.last().is_some_and(|token| ["&", "mut"].contains(&&*token.to_string())) {
                    out.pop();
                }
                Some(Ident::new("impl", word.span()).into())
            }
            TokenTree::Group(group) => without_dyn(&group.stream()).map(|content| with_content(group, content)),
            _ => None,
        };
        is_changed |= changed.is_some();
        out.push(changed.unwrap_or_else(|| token.clone()));
    }
    is_changed.then(|| out.into_iter().collect())
}

/// Returns `true` if the tokens begin with the trait `Next`, also with a path.
fn is_next(tokens: &[TokenTree]) -> bool {
    let path = tokens.iter().take_while(|token| match token {
        TokenTree::Ident(_) => true,
        TokenTree::Punct(punct) => punct.as_char() == ':',
        _ => false,
    });
    matches!(path.last(), Some(TokenTree::Ident(name)) if name == "Next")
}

fn last_name(ty: &Type) -> Option<String> {
    let Type::Path(path) = ungrouped(ty) else { return None };
    path.path.segments.last().map(|segment| segment.ident.to_string())
}

/// Returns the correct form for a parameter that no rail around an operation can take.
fn not_taken(ty: &Type, operation: &str) -> Option<String> {
    let ty = ungrouped(ty);
    if matches!(target(ty), Type::Path(_)) && ends_with(target(ty), "RailContext") {
        let instead = "`next.scope()` has the state of the run, and `next.attempt()` counts the retries";
        return Some(format!("a rail with `around` takes no context: {instead}"));
    }
    // If a trait stands in place of a type, rustc reports the correct form.
    let is_next = match ty {
        Type::ImplTrait(bounds) => runs_operation(bounds),
        ty => ends_with(ty, "Next"),
    };
    (!is_next && names(ty.to_token_stream(), "Next"))
        .then(|| format!("a rail takes the operation by value and without a box: write `next: impl Next<{operation}>`"))
}

/// Returns the correct form for a type parameter for the operation, such as `N: Next<ToolCall>`.
pub(super) fn generic_next(param: impl ToTokens) -> Option<&'static str> {
    names(param.to_token_stream(), "Next")
        .then_some("a rail function cannot have type parameters: take the operation as `next: impl Next<ToolCall>`")
}

/// Returns `true` if a parameter is the operation that the rail surrounds, `impl Next<ToolCall>`.
pub(super) fn runs_operation(bounds: &TypeImplTrait) -> bool {
    bounds.bounds.iter().any(|bound| names(bound.to_token_stream(), "Next"))
}

/// Returns `true` if the tokens contain a name.
fn names(tokens: TokenStream, name: &str) -> bool {
    idents(tokens).iter().any(|ident| ident == name)
}

fn params(
    sig: &Signature,
    event: Option<&Path>,
    operation: Option<&&'static Begun>,
    errors: &mut Errors,
) -> Vec<Surrounded> {
    let (mut params, mut wrong) = (Vec::new(), false);
    for input in &sig.inputs {
        let FnArg::Typed(input) = input else { continue };
        refuse_cfg(&input.attrs, "a parameter of a rail cannot have a `#[cfg]`: write two functions", errors);
        if let Some(message) = not_taken(&input.ty, operation.map_or("ToolCall", |operation| operation.name)) {
            errors.at(&input.ty, message);
            wrong = true;
            continue;
        }
        if let Some(message) = operation.and_then(|operation| of_another(ungrouped(&input.ty), operation)) {
            errors.at(&input.ty, message);
        } else if let Some((event, message)) = event.and_then(|event| of_an_event(ungrouped(&input.ty), event)) {
            errors.at(event, message);
        }
        params.push(match ungrouped(&input.ty) {
            Type::Reference(_) if is_mutable(&input.ty) => {
                errors.at(
                    &input.ty,
                    "a rail with `around` cannot change the inputs: take them by `&`, and change them in a rail without `around`",
                );
                wrong = true;
                continue;
            }
            Type::Reference(_) => Surrounded::Inputs(input.ty.clone()),
            _ => Surrounded::Next,
        });
    }
    let nexts = params.iter().filter(|param| matches!(param, Surrounded::Next)).count();
    if !wrong && (nexts != 1 || params.len() > 2) {
        errors.at(
            &sig.ident,
            format_args!("a rail with `around` takes the operation once, and optionally its inputs: write {SIGNATURE}"),
        );
    }
    params
}

/// Writes the events that begin the operations which the rail surrounds, if there are any.
pub(super) fn declared(rail: &Rail) -> Option<TokenStream> {
    let library = &rail.library;
    let around: Vec<_> = rail.handlers.iter().filter(|handler| handler.around.is_some()).collect();
    let events = around.iter().flat_map(|handler| &handler.events);
    let points = quote!(&[#(<#events as #library::Event>::POINT),*]);
    (!around.is_empty()).then(|| quote_spanned!(Span::mixed_site()=> .around(#points)))
}

/// Checks, at the return type, that the rail returns the result of the operation.
pub(super) fn returned(rail: &Rail, handler: &Handler, event: &Path) -> TokenStream {
    let (output, span) = (&handler.output, handler.output.span().resolved_at(Span::mixed_site()));
    let (library, there) = (rail.library.located(span), rail.library.located(event.span()));
    let operation = quote_spanned!(event.span()=> <#event as #there::Begins>::Operation);
    let result = quote_spanned!(span=> #library::OperationResult<#operation>);
    quote_spanned!(span=> let _ = <#output as #library::for_macros::ReturnedAround<#operation, #result>>::IT;)
}

/// Writes the methods of the rail at its event. The call of the rail decides nothing, and `surround` surrounds the
/// operation.
pub(super) fn calls(rail: &Rail, handler: &Handler, event: &Path) -> TokenStream {
    let library = &rail.library;
    let there = library.located(event.span());
    // If the event begins no operation, the error is at the name of the event.
    let operation = quote_spanned!(event.span()=> <#event as #there::Begins>::Operation);
    let inputs = Ident::new("inputs", Span::mixed_site());
    let next = Ident::new("next", Span::mixed_site());
    let mut bindings = Vec::new();
    let args = handler.around.iter().flatten().enumerate().map(|(i, param)| match param {
        Surrounded::Next => next.clone(),
        Surrounded::Inputs(ty) => {
            let name = format_ident!("p{i}", span = Span::mixed_site());
            // The inputs have their own binding, so that rustc reports inputs of another operation at their type.
            bindings.push(quote_spanned!(ty.span()=> let #name: #ty = #inputs;));
            name
        }
    });
    let (receiver, callee) = (handler.takes_self.then(|| quote_spanned!(Span::mixed_site()=> self,)), &handler.callee);
    let call = quote_spanned!(callee.span()=> #callee(#receiver #(#args),*));
    let result = quote_spanned!(Span::mixed_site()=> #library::OperationResult<#operation>);
    let result = if rail.can_check(handler) {
        quote_spanned!(Span::mixed_site()=> #library::for_macros::Sound<#result, Self, { __RETURNED }>)
    } else {
        result
    };
    let future = quote_spanned! {handler.span.resolved_at(Span::mixed_site())=>
        impl ::core::future::Future<Output = #result> + ::core::marker::Send
    };
    quote_spanned! {Span::mixed_site()=>
        #[inline]
        fn call<'__event>(
            &'__event self,
            _: <#event as #library::Payloads>::Payload<'__event>,
            _: &'__event mut #library::RailContext,
        ) -> impl ::core::future::Future<Output = Self::Out> + ::core::marker::Send {
            ::core::future::ready(#library::for_macros::Surrounds)
        }

        #[inline]
        fn surround<'__event, __Next: #library::Next<#operation>>(
            &'__event self,
            #inputs: &'__event <#operation as #library::Operation>::Inputs,
            #next: __Next,
        ) -> #future {
            #(#bindings)*
            #call
        }
    }
}
