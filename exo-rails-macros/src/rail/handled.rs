//! Writes the call of a rail that needs more than parts of its events.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, Type};

use super::model::{Handler, OnFault, Param, Rail, Source, Timeout, ToolName, is_mutable, target};
use super::pick::pick;
use crate::errors::shown;
use crate::paths::Library;

/// Writes the type that the rail returns to a chain: the function's decision, or the fact that the function was not
/// called.
pub(super) fn output(library: &Library, event: &Path) -> TokenStream {
    quote!(#library::for_macros::Handled<#event>)
}

/// Writes whether the function decides, which depends on its type. An error points at the type that the user wrote.
pub(super) fn decides(library: &Library, handler: &Handler, event: &Path) -> Option<TokenStream> {
    // A rail that is always called only observes.
    (!handler.always).then(|| asked(library, &handler.output, &returned_at(library, event), "DECIDES"))
}

/// Writes the trait that the output of a function must implement.
fn returned_at(library: &Library, event: &Path) -> TokenStream {
    quote!(for_macros::ReturnedAt<#event, <#event as #library::Event>::Returns>)
}

/// Writes a constant or a function of a library trait for the user's tokens. An error marks all of these tokens.
fn asked(library: &Library, tokens: &impl ToTokens, of: &TokenStream, what: &str) -> TokenStream {
    let span = tokens.span().resolved_at(Span::mixed_site());
    let (library, what) = (library.located(span), Ident::new(what, span));
    quote_spanned!(span=> <#tokens as #library::#of>::#what)
}

/// Writes the name of a tool set and the names of its tools.
pub(crate) fn of_set(library: &Library, set: &Path) -> TokenStream {
    let span = set.span().resolved_at(Span::mixed_site());
    let library = library.located(span);
    quote_spanned!(span=> #library::for_macros::of_set::<#set>())
}

/// Writes the values that the rail provides: one type, or a tuple of several.
fn values(handler: &Handler) -> Option<TokenStream> {
    match &*handler.provides {
        [] => None,
        [value] => Some(value.to_token_stream()),
        values => Some(quote!((#(#values),*))),
    }
}

/// Writes the name of a tool as a constant.
pub(super) fn tool_name(library: &Library, tool: &ToolName) -> TokenStream {
    match tool {
        ToolName::OfArgs(args) => asked(library, args, &quote!(ToolArgs), "NAME"),
        _ => tool.mentioned(),
    }
}

/// Writes the same name from the row of the rail. The row reports a constant that is not a text, so no other item reports
/// it again.
fn declared_tool(rail: &Rail, handler: &Handler, tool: &ToolName, self_ty: &TokenStream) -> TokenStream {
    let library = &rail.library;
    if !matches!(tool, ToolName::Constant(_)) {
        return tool_name(library, tool);
    }
    let mut with_tool = rail.handlers.iter().filter(|handler| handler.tool.is_some());
    let place = with_tool.position(|other| std::ptr::eq(other, handler)).unwrap_or_default();
    let place = Literal::usize_unsuffixed(place);
    quote_spanned!(Span::mixed_site()=> const { <#self_ty as #library::Rail>::DECLARATION.tool(#place) })
}

/// Writes the checks of the tool beside the rail.
pub(super) fn checks(rail: &Rail, handler: &Handler) -> TokenStream {
    let checks = tool_checks(rail, handler, false);
    quote_spanned!(Span::mixed_site()=> #(const _: () = #checks;)*)
}

/// Writes the checks that the tool has a name, that the arguments are its arguments, and that the tool set has the tool.
/// A check that depends on parameters of the `impl` block needs the concrete rail, and the other checks do not. `generic`
/// chooses one of these two kinds.
fn tool_checks(rail: &Rail, handler: &Handler, generic: bool) -> Vec<TokenStream> {
    let Some(tool) = &handler.tool else { return Vec::new() };
    let span = tool.mentioned().span().resolved_at(Span::mixed_site());
    let self_ty = if generic { quote!(Self) } else { rail.self_ty() };
    let name = declared_tool(rail, handler, tool, &self_ty);
    let (library, mut checks) = (rail.library.located(span), Vec::new());
    let in_tool = rail.is_generic_in(&tool.mentioned());
    let mut check = |is_generic: bool, tokens: TokenStream| {
        if is_generic == generic {
            checks.push(tokens);
        }
    };
    if let ToolName::Constant(_) = tool {
        check(in_tool, quote_spanned!(span=> #library::for_macros::named(#name)));
    }
    if let (Some(args), false) = (args(handler), matches!(tool, ToolName::OfArgs(_))) {
        let (shown, of_args) = (shown(args), asked(&rail.library, args, &quote!(ToolArgs), "NAME"));
        let of_tool = quote_spanned!(span=> #library::for_macros::of_tool(#of_args, #name, #shown));
        check(in_tool || rail.is_generic_in(args), of_tool);
    }
    if let Some(set) = &rail.tools {
        let set = of_set(&rail.library, set);
        check(in_tool, quote_spanned!(span=> #library::for_macros::known(#name, #set)));
    }
    checks
}

/// Returns the type of the tool's arguments.
fn args(handler: &Handler) -> Option<&Type> {
    handler.params.iter().find_map(|param| match &param.source {
        Source::Args(args) => Some(&**args),
        _ => None,
    })
}

/// Writes the body of `RailOn::call`.
pub(super) fn call(rail: &Rail, handler: &Handler, event: &Path) -> TokenStream {
    let library = &rail.library;
    let Call { before, inside, arguments, after } = Call::of(rail, handler, event);
    let only_for = handler.tool.as_ref().map(|tool| {
        let call = asked(library, event, &quote!(for_macros::ToolEvent), "call");
        let (checks, tool) = (tool_checks(rail, handler, true), declared_tool(rail, handler, tool, &quote!(Self)));
        quote_spanned! {Span::mixed_site()=>
            #(const { #checks })*
            if #call(&payload).tool_name != #tool {
                return #library::for_macros::Handled::NOT_ASKED;
            }
        }
    });
    let receiver = handler.takes_self.then(|| quote_spanned!(Span::mixed_site()=> self,));
    let callee = &handler.callee;
    let invocation = quote_spanned!(callee.span()=> #callee(#receiver #(#arguments),*));
    let result = result(library, handler, event, &after, invocation);
    let returned = returned(library, handler, event);
    // A concurrent rail shares the payload, so it does not need to reborrow it.
    let owned = (!handler.concurrent).then(|| quote_spanned!(Span::mixed_site()=> let mut payload = payload;));
    // The limit is read before the `async` block. With `&self` in the future, the future would be `Send` only for rails
    // that are `Sync`.
    let limit = matches!(handler.timeout, Some(Timeout::Expr(_))).then(
        || quote_spanned!(Span::mixed_site()=> let limit = <Self as #library::RailOn<#event>>::time_limit(self);),
    );
    quote_spanned! {Span::mixed_site()=>
        #limit
        async move {
            #owned
            #only_for
            #(#before)*
            let output = {
                #inside
                #result
            };
            let returned = #returned;
            #(#after)*
            #library::for_macros::Handled::returned(returned)
        }
    }
}

/// Writes the result of the function in a common form. Takes the provided values out of it.
fn returned(library: &Library, handler: &Handler, event: &Path) -> TokenStream {
    let method = |of: &TokenStream, method| {
        let method = asked(library, &handler.output, of, method);
        quote_spanned!(Span::mixed_site()=> #method(output))
    };
    let Some(values) = values(handler) else {
        let observes = handler.always.then(|| quote!(for_macros::Observes<#event>));
        return method(&observes.unwrap_or_else(|| returned_at(library, event)), "returned");
    };
    let split = method(&quote!(for_macros::Provides<#event, #values>), "split");
    let name = |i| format_ident!("value{i}", span = Span::mixed_site());
    let each: Vec<_> = (0..handler.provides.len()).map(name).collect();
    let names = if let [only] = &*each { only.to_token_stream() } else { quote!((#(#each),*)) };
    quote_spanned! {Span::mixed_site()=>
        {
            let (values, returned) = #split;
            if let ::core::option::Option::Some(#names) = values {
                #(#library::for_macros::hand_on(ctx, #each);)*
            }
            returned
        }
    }
}

/// Writes the call of the function. If the function does not return, the call ends.
fn result(
    library: &Library,
    handler: &Handler,
    event: &Path,
    after: &[TokenStream],
    called: TokenStream,
) -> TokenStream {
    let span = handler.callee.span();
    let or_fault = |result| or_fault(library, event, after, &result);
    let limit = handler.timeout.as_ref().map(|limit| match limit {
        Timeout::Literal(limit) => {
            let millis = Literal::u64_suffixed(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
            quote_spanned!(Span::mixed_site()=> ::core::time::Duration::from_millis(#millis))
        }
        Timeout::Expr(_) => quote_spanned!(Span::mixed_site()=> limit),
    });
    match (handler.is_async, limit, handler.catches_panics) {
        (false, _, false) => called,
        (false, _, true) => {
            // The braces prevent a lint: Clippy would report the closure of a rail without arguments as redundant.
            let rail = quote_spanned!(Span::mixed_site()=> || { #called });
            or_fault(quote_spanned!(span=> #library::for_macros::caught_at_once(#rail)))
        }
        (true, None, false) => quote_spanned!(span=> #called.await),
        (true, None, true) => or_fault(quote_spanned!(span=> #library::for_macros::caught(#called).await)),
        (true, Some(limit), false) => {
            or_fault(quote_spanned!(span=> #library::for_macros::within(#limit, #called).await))
        }
        (true, Some(limit), true) => {
            let caught = quote_spanned!(span=> #library::for_macros::caught(#called));
            or_fault(or_fault(quote_spanned!(span=> #library::for_macros::within(#limit, #caught).await)))
        }
    }
}

/// Writes the value of a result, or the end of the call with a fault. The changes that the rail has made are kept.
fn or_fault(library: &Library, event: &Path, after: &[TokenStream], result: &TokenStream) -> TokenStream {
    let kept = (!after.is_empty()).then(|| {
        quote_spanned! {Span::mixed_site()=>
            let returned = #library::for_macros::Returned::<#event>::Fault(cause);
            #(#after)*
            return #library::for_macros::Handled::returned(returned);
        }
    });
    let end = kept.unwrap_or_else(
        || quote_spanned!(Span::mixed_site()=> return #library::for_macros::Handled::<#event>::faulted(cause);),
    );
    quote_spanned! {Span::mixed_site()=>
        match #result {
            ::core::result::Result::Ok(value) => value,
            ::core::result::Result::Err(cause) => { #end }
        }
    }
}

/// Writes the effect of the rail's faults, if the attribute sets it. A skip is possible only if the event allows it.
pub(super) fn on_fault(library: &Library, handler: &Handler, event: &Path) -> Option<TokenStream> {
    let (text, on_fault) = handler.on_fault.as_ref()?;
    let value = match on_fault {
        OnFault::Abort => quote!(#library::OnFault::Abort),
        OnFault::Continue => quote!(#library::OnFault::Continue),
        OnFault::Skip => {
            let span = text.span().resolved_at(Span::mixed_site());
            let library = library.located(span);
            quote_spanned!(span=> <#event as #library::for_macros::CanSkip>::ON_FAULT)
        }
    };
    Some(quote_spanned!(Span::mixed_site()=> const ON_FAULT: #library::OnFault = #value;))
}

/// The parts of a call.
#[derive(Default)]
struct Call {
    /// Runs before the call, and may end it.
    before: Vec<TokenStream>,
    /// Runs for the call, while the payload is borrowed.
    inside: TokenStream,
    arguments: Vec<TokenStream>,
    /// Runs after the call.
    after: Vec<TokenStream>,
}

impl Call {
    fn of(rail: &Rail, handler: &Handler, event: &Path) -> Self {
        let mut call = Self { inside: lent(&rail.library, handler, event), ..Self::default() };
        for (i, param) in handler.params.iter().enumerate() {
            let name = format_ident!("p{i}", span = Span::mixed_site());
            call.take(rail, handler, event, param, &name);
        }
        call
    }

    fn take(&mut self, rail: &Rail, handler: &Handler, event: &Path, param: &Param, name: &Ident) {
        let library = &rail.library;
        match &param.source {
            Source::Event => {
                self.inside.extend(pick(rail, handler, event, &param.ty, name));
                self.arguments.push(name.to_token_stream());
            }
            Source::Whole => {
                self.inside.extend(pick(rail, handler, event, target(&param.ty), name));
                self.arguments.push(quote_spanned!(Span::mixed_site()=> &#name));
            }
            Source::Value(value) => {
                // The value as the user listed it. If the type is another type of the same name, the compiler reports the
                // difference.
                let shown = shown(value);
                let needed = quote_spanned!(Span::mixed_site()=> #library::for_macros::needed::<#value>(ctx, #shown));
                self.before.push(or_unable(library, event, name, &needed));
                let (span, mut name) = (param.ty.span().resolved_at(Span::mixed_site()), name.clone());
                name.set_span(span);
                self.arguments.push(quote_spanned!(span=> &*#name));
            }
            Source::Args(args) => self.args(library, event, args, is_mutable(&param.ty), name),
        }
    }

    /// Adds the arguments of the tool. If the rail may change them, writes them back after the call.
    fn args(&mut self, library: &Library, event: &Path, args: &Type, changes: bool, name: &Ident) {
        let call = asked(library, event, &quote!(for_macros::ToolEvent), "call");
        let open = asked(library, args, &quote!(ToolArgs), if changes { "open_args_mut" } else { "open_args" });
        let open = quote_spanned!(Span::mixed_site()=> #open(#call(&payload)));
        if !changes {
            self.before.push(or_unable(library, event, name, &open));
            self.arguments.push(quote_spanned!(Span::mixed_site()=> &#name));
            return;
        }
        self.before.push(or_unable(library, event, &quote_spanned!(Span::mixed_site()=> mut #name), &open));
        self.arguments.push(quote_spanned!(Span::mixed_site()=> &mut #name.args));
        let call_mut = asked(library, event, &quote!(for_macros::BeforeTool), "call_mut");
        let write_back = quote_spanned!(Span::mixed_site()=> #name.write_back(#call_mut(&mut payload)));
        self.after.push(quote_spanned!(Span::mixed_site()=> let returned = returned.and_keep(|| #write_back);));
    }
}

/// Writes a binding of the value in a result. An error ends the call.
fn or_unable(library: &Library, event: &Path, binding: &impl ToTokens, result: &TokenStream) -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        let #binding = match #result {
            ::core::result::Result::Ok(value) => value,
            ::core::result::Result::Err(error) => {
                return #library::for_macros::Handled::<#event>::unable(error);
            }
        };
    }
}

/// Borrows the payload and the context for the parameters that are picked out of them.
fn lent(library: &Library, handler: &Handler, event: &Path) -> TokenStream {
    let picks = handler.params.iter().any(|param| matches!(param.source, Source::Event | Source::Whole));
    if !picks || handler.concurrent {
        return TokenStream::new();
    }
    quote_spanned! {Span::mixed_site()=>
        let mut parts = <#event as #library::Event>::parts(<#event as #library::Payloads>::reborrow(&mut payload));
        let mut ctx = ::core::option::Option::Some(&mut *ctx);
    }
}
