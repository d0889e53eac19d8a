//! The call of a rail that asks for more than parts of its events.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, Type};

use super::check::{Handler, Param, Rail, Source, is_mutable, target};
use super::expand::pick;
use crate::errors::shown;
use crate::paths::Library;

/// What the rail returns to a chain: what the function returns, without the values that it hands on, or that it was
/// not called.
pub(super) fn output(library: &Library, handler: &Handler) -> TokenStream {
    let output = &handler.output;
    let decision = match values(handler) {
        Some(values) => quote!(<#output as #library::Provision<#values>>::Decision),
        None => output.to_token_stream(),
    };
    quote!(#library::__private::Handled<#decision>)
}

/// The values that it hands on: one type, or several in a tuple.
fn values(handler: &Handler) -> Option<TokenStream> {
    match &*handler.provides {
        [] => None,
        [value] => Some(value.to_token_stream()),
        values => Some(quote!((#(#values),*))),
    }
}

/// What has to hold of its types, each said at the user's token.
pub(super) fn predicates(library: &Library, handler: &Handler, event: &Path) -> Vec<TokenStream> {
    let at = |tokens: &dyn ToTokens, bound: TokenStream| {
        let span = tokens.span().resolved_at(Span::mixed_site());
        let library = library.located(span);
        quote_spanned!(span=> #tokens: #library::#bound)
    };
    let output = &handler.output;
    let mut predicates = Vec::new();
    if handler.tool.is_some() {
        predicates.push(at(event, quote!(__private::ToolEvent)));
    }
    for param in &handler.params {
        match &param.source {
            Source::Args(args) => predicates.push(at(args, quote!(ToolArgs))),
            // That a value is one, the list of them says.
            Source::Event | Source::Whole | Source::Value => {}
        }
    }
    let returned = quote!(checks::ReturnedAt<#event, <#event as #library::Event>::Returns>);
    match values(handler) {
        Some(values) => {
            predicates.push(at(output, quote!(Provision<#values>)));
            let decision = quote_spanned!(output.span()=> <#output as #library::Provision<#values>>::Decision);
            predicates.push(at(&decision, returned));
        }
        None if handler.is_plain() => {}
        None => predicates.push(at(output, returned)),
    }
    if handler.always {
        predicates.push(at(output, quote!(checks::Observes)));
    }
    predicates
}

/// What stands beside the rail: that the tool and its arguments belong together, and that there is such a tool.
pub(super) fn checks(rail: &Rail, handler: &Handler) -> TokenStream {
    let Some(tool) = &handler.tool else { return TokenStream::new() };
    let span = tool.span().resolved_at(Span::mixed_site());
    let library = rail.library.located(span);
    let args = handler.params.iter().find_map(|param| match &param.source {
        Source::Args(args) => Some(args),
        _ => None,
    });
    let of_tool = args.map(|args| {
        let shown = shown(args);
        quote_spanned!(span=> const _: () = #library::checks::tools::of_tool::<#args>(#tool, #shown);)
    });
    let known = rail
        .tools
        .as_ref()
        .map(|set| quote_spanned!(span=> const _: () = #library::checks::tools::known::<#set>(#tool);));
    quote!(#of_tool #known)
}

/// The body of `RailOn::call`.
pub(super) fn call(rail: &Rail, handler: &Handler, event: &Path) -> TokenStream {
    let library = &rail.library;
    let Call { before, inside, arguments, after } = Call::of(library, handler, event);
    let only_for = handler.tool.as_ref().map(|tool| {
        quote_spanned! {Span::mixed_site()=>
            if <#event as #library::__private::ToolEvent>::call(&payload).tool_name != #tool {
                return #library::__private::Handled::NotAsked;
            }
        }
    });
    let hand_on = values(handler).map(|values| {
        let output = &handler.output;
        let name = |i| format_ident!("value{i}", span = Span::mixed_site());
        let each: Vec<_> = (0..handler.provides.len()).map(name).collect();
        let names = if let [only] = &*each { only.to_token_stream() } else { quote!((#(#each),*)) };
        quote_spanned! {Span::mixed_site()=>
            let (values, output) = <#output as #library::Provision<#values>>::split(output);
            if let ::core::option::Option::Some(#names) = values {
                #(#library::__private::hand_on(ctx, #each);)*
            }
        }
    });
    let receiver = handler.takes_self.then(|| quote_spanned!(Span::mixed_site()=> self,));
    let callee = &handler.callee;
    let wait = handler.is_async.then(|| quote_spanned!(callee.span()=> .await));
    let result = quote_spanned!(callee.span()=> #callee(#receiver #(#arguments),*) #wait);
    quote_spanned! {Span::mixed_site()=>
        async move {
            let mut payload = payload;
            #only_for
            #(#before)*
            let output = {
                #inside
                #result
            };
            #(#after)*
            #hand_on
            #library::__private::Handled::Decided(output)
        }
    }
}

/// What a call is made of.
#[derive(Default)]
struct Call {
    /// What is done before it, as long as it may not come to it.
    before: Vec<TokenStream>,
    /// What is done for it, with the event's payload lent.
    inside: TokenStream,
    arguments: Vec<TokenStream>,
    /// What is done after it.
    after: Vec<TokenStream>,
}

impl Call {
    fn of(library: &Library, handler: &Handler, event: &Path) -> Self {
        let mut call = Self { inside: lent(library, handler, event), ..Self::default() };
        for (i, param) in handler.params.iter().enumerate() {
            let name = format_ident!("p{i}", span = Span::mixed_site());
            call.take(library, event, param, &name);
        }
        call
    }

    fn take(&mut self, library: &Library, event: &Path, param: &Param, name: &Ident) {
        match &param.source {
            Source::Event => {
                self.inside.extend(pick(library, event, &param.ty, name));
                self.arguments.push(name.to_token_stream());
            }
            Source::Whole => {
                self.inside.extend(pick(library, event, target(&param.ty), name));
                self.arguments.push(quote_spanned!(Span::mixed_site()=> &#name));
            }
            Source::Value => {
                let ty = target(&param.ty);
                let shown = shown(ty);
                let needed = quote_spanned!(Span::mixed_site()=> #library::__private::needed::<#ty>(ctx, #shown));
                self.before.push(or_unable(library, name, &needed));
                self.arguments.push(quote_spanned!(Span::mixed_site()=> &*#name));
            }
            Source::Args(args) => self.args(library, event, args, is_mutable(&param.ty).then_some(&param.ty), name),
        }
    }

    /// The arguments of the tool; written back where the rail may have changed them.
    fn args(&mut self, library: &Library, event: &Path, args: &Type, changes: Option<&Type>, name: &Ident) {
        let call = quote_spanned!(Span::mixed_site()=> <#event as #library::__private::ToolEvent>::call(&payload));
        let Some(changes) = changes else {
            let open = quote!(#library::__private::open_args::<#args>(#call));
            self.before.push(or_unable(library, name, &open));
            self.arguments.push(quote_spanned!(Span::mixed_site()=> &#name));
            return;
        };
        let open = quote!(#library::__private::OpenArgs::<#args>::open(#call));
        self.before.push(or_unable(library, &quote_spanned!(Span::mixed_site()=> mut #name), &open));
        self.arguments.push(quote_spanned!(Span::mixed_site()=> &mut #name.args));
        let span = changes.span().resolved_at(Span::mixed_site());
        let there = library.located(span);
        let call = quote_spanned!(span=> <#event as #there::__private::BeforeTool>::call_mut(&mut payload));
        let write_back = quote_spanned!(Span::mixed_site()=> #name.write_back(#call));
        self.after.push(or_unable(library, &quote!(()), &write_back));
    }
}

/// Binds what a result has in it, or ends the call.
fn or_unable(library: &Library, binding: &impl ToTokens, result: &TokenStream) -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        let #binding = match #result {
            ::core::result::Result::Ok(value) => value,
            ::core::result::Result::Err(error) => {
                return #library::__private::Handled::Unable(::core::convert::Into::into(error));
            }
        };
    }
}

/// Lends the payload and the context, for the parameters that are picked out of them.
fn lent(library: &Library, handler: &Handler, event: &Path) -> TokenStream {
    let picks = handler.params.iter().any(|param| matches!(param.source, Source::Event | Source::Whole));
    if !picks {
        return TokenStream::new();
    }
    quote_spanned! {Span::mixed_site()=>
        let mut parts = <#event as #library::Event>::parts(<#event as #library::Payloads>::reborrow(&mut payload));
        let mut ctx = ::core::option::Option::Some(&mut *ctx);
    }
}
