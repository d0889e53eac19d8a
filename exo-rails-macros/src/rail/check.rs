//! Makes the model of a rail from the user's code. This module and `options` check all rules that the macro can check.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, FnArg, GenericArgument, GenericParam, Generics, Ident, Lifetime, Path, PathArguments, ReceiverKind,
    ReturnType, Safety, Signature, Type, TypeParamBound, TypeReference, Visibility,
};

use super::args::{self, Args, Options};
use super::around;
use super::model::{Handler, Param, Rail, Subject, ends_with, target, ungrouped};
use super::options;
use super::parse::{Function, ImplBlock, Item, Method};
use super::pick::is_part;
use crate::errors::{Errors, refuse_cfg, shown};
use crate::paths::Library;

/// Checks the arguments and the item, and reports all mistakes in both. A rail with mistakes is still good for a stub.
/// Returns `None` if no stub is possible.
pub(super) fn rail(args: TokenStream, item: Item, errors: &mut Errors) -> Option<Rail> {
    let args = args::parse(args, errors);
    let rail = match item {
        Item::Function(item) => function(args, item, errors),
        Item::Impl(item) => Some(impl_block(args, item, errors)),
    };
    if errors.any() {
        rail.iter().flat_map(Rail::events).for_each(|event| args::mistyped(event, errors));
    }
    rail
}

/// Makes a rail from a function whose signature cannot be read. It is good for a stub.
pub(super) fn half_typed(vis: Visibility, ident: Ident) -> Rail {
    Rail {
        library: Library::default(),
        name: unraw(&ident),
        span: ident.span(),
        subject: Subject::Function { ident, vis, attrs: Vec::new(), apart: None },
        priority: None,
        after: Vec::new(),
        before: Vec::new(),
        tools: None,
        handlers: Vec::new(),
    }
}

/// Makes a rail from a struct or an enum that has the attribute in the place of its `impl` block. It is good for a stub.
pub(super) fn declared(ident: &Ident, generics: Generics) -> Rail {
    let (_, params, _) = generics.split_for_impl();
    let ty = Type::Verbatim(quote!(#ident #params));
    Rail {
        library: Library::default(),
        name: unraw(ident),
        span: ident.span(),
        subject: Subject::Type { ty: Box::new(ty), generics },
        priority: None,
        after: Vec::new(),
        before: Vec::new(),
        tools: None,
        handlers: Vec::new(),
    }
}

fn function(args: Args, item: Function, errors: &mut Errors) -> Option<Rail> {
    if let Some(receiver) = item.sig.receiver() {
        errors.at(
            receiver,
            "a method cannot have `#[rail]`: write `#[rail]` above the `impl` block, and `#[on(PreToolCall)]` above the method",
        );
        return None;
    }
    if let Some(second) = item.attrs.iter().find(|attr| attr.path().is_ident("rail")) {
        errors.at(second, "a function is one rail: list all its events in one `#[rail(on = [PreToolCall, Start])]`");
        return None;
    }
    let ident = item.sig.ident.clone();
    not_itself(&args, &ident.to_token_stream(), errors);
    if args.on.is_none() {
        errors.at(&ident, format_args!("the rail `{ident}` has no events: write `#[rail(on = [PreToolCall])]`"));
    }
    let events = args.on.map(|(_, events)| events).unwrap_or_default();
    for param in type_params(&item.sig.generics) {
        if let Some(message) = around::generic_next(param) {
            errors.at(param, message);
            continue;
        }
        errors.at(
            param,
            format_args!(
                "a rail function cannot have type or const parameters, because a chain could not name them. Make the rail a type: \
             `#[rail] impl<T: Send + Sync + 'static> {}<T> {{ … }}`",
                pascal(&ident)
            ),
        );
    }
    options::of_a_function(&args.options, errors);
    let names_tool = args.options.names_tool();
    let handler = handler(&item.sig, ident.to_token_stream(), events, args.options, errors);
    let names_tool = names_tool || handler.tool.is_some();
    of_no_tool(args.tools.as_ref().filter(|_| !names_tool), "`tool = \"delete_file\"`", errors);
    Some(Rail {
        tools: args.tools,
        library: args.library,
        name: args.name.map_or_else(|| unraw(&ident), |name| name.value()),
        span: ident.span(),
        subject: Subject::Function { ident, vis: item.vis, attrs: carried(item.attrs), apart: None },
        priority: args.priority,
        after: args.after,
        before: args.before,
        handlers: vec![handler],
    })
}

fn impl_block(args: Args, item: ImplBlock, errors: &mut Errors) -> Rail {
    if let Some((key, _)) = &args.on {
        errors.at(key, "the `#[rail]` of an `impl` block has no `on`: write `#[on(PreToolCall)]` above each method");
    }
    if !item.has_on && args.on.is_none() {
        errors.push(syn::Error::new(
            item.span,
            "this rail has no events: write `#[on(PreToolCall)]` above at least one of its methods",
        ));
    }
    not_itself(&args, &item.self_ty.to_token_stream(), errors);
    for key in &args.options.keys {
        errors.at(key, format_args!("`{key}` is an option of one method: write it in its `#[on(PreToolCall, …)]`"));
    }
    let misplaced = !args.options.keys.is_empty();
    let methods = item.methods.iter().map(|item| method(item, misplaced, errors));
    let (handlers, name_tools): (Vec<_>, Vec<_>) = methods.unzip();
    one_method_for_each_event(&item.methods, &handlers, errors);
    let example = "`#[on(PreToolCall, tool = \"delete_file\")]`";
    of_no_tool(args.tools.as_ref().filter(|_| !name_tools.contains(&true)), example, errors);
    Rail {
        tools: args.tools,
        library: args.library,
        name: args.name.map_or_else(|| type_name(&item.self_ty), |name| name.value()),
        span: item.self_ty.span(),
        subject: Subject::Type { ty: Box::new(item.self_ty), generics: item.generics },
        priority: args.priority,
        after: args.after,
        before: args.before,
        handlers,
    }
}

/// Reports a tool set on a rail for no tool. The tool set only checks the tools of a rail.
fn of_no_tool(tools: Option<&Path>, example: &str, errors: &mut Errors) {
    if let Some(tools) = tools {
        errors
            .at(tools, format_args!("`tools` checks the name in `tool`, and this rail has no `tool`: write {example}"));
    }
}

/// Reports a rail that is in its own `after` or `before`. The order is between two rails.
fn not_itself(args: &Args, rail: &TokenStream, errors: &mut Errors) {
    let rail = rail.to_string();
    for other in args.after.iter().chain(&args.before).filter(|other| other.to_token_stream().to_string() == rail) {
        errors.at(other, "a rail cannot run before or after itself: name another rail");
    }
}

/// Checks a method. Also returns whether the method names a tool.
fn method(item: &Method, misplaced: bool, errors: &mut Errors) -> (Handler, bool) {
    let mut options = Options { unclear: misplaced, of_method: true, ..Options::default() };
    let events = item.on.iter().flat_map(|attr| args::on(attr, &mut options, errors)).collect();
    let ident = &item.sig.ident;
    for param in type_params(&item.sig.generics) {
        if let Some(message) = around::generic_next(param) {
            errors.at(param, message);
            continue;
        }
        errors.at(param, "a method of a rail cannot have type parameters: write them on the `impl` block");
    }
    if let Some(FnArg::Receiver(receiver)) = item.sig.inputs.first()
        && !matches!(receiver.kind, ReceiverKind::Reference(_, _, None))
    {
        errors.at(
            receiver,
            "all runs share the rail: take `&self`, and keep state that changes in an atomic, a mutex or `ctx.run`",
        );
    }
    if let ([_, second, ..], Some(key)) = (&*item.on, options.keys.first()) {
        errors
            .at(second, format_args!("a method with `{key}` can have only one `#[on(…)]`: list all its events in one"));
    }
    let names_tool = options.names_tool();
    let handler = handler(&item.sig, quote!(Self::#ident), events, options, errors);
    let names_tool = names_tool || handler.tool.is_some();
    (handler, names_tool)
}

fn one_method_for_each_event(methods: &[Method], handlers: &[Handler], errors: &mut Errors) {
    let mut seen: Vec<(&Path, &Ident)> = Vec::new();
    for (method, handler) in methods.iter().zip(handlers) {
        for event in &handler.events {
            match seen.iter().find(|(path, _)| args::same_event(path, event)) {
                Some((_, first)) if **first != method.sig.ident => errors.at(
                    event,
                    format_args!(
                        "a rail has one method for each event, and `{first}` is already on `{}`: write a second rail",
                        shown(event)
                    ),
                ),
                Some(_) => errors.at(event, format_args!("the event `{}` is listed twice: list it once", shown(event))),
                None => seen.push((event, &method.sig.ident)),
            }
        }
    }
}

/// Checks the common parts of functions and methods.
fn handler(
    sig: &Signature,
    callee: TokenStream,
    events: Vec<Path>,
    mut options: Options,
    errors: &mut Errors,
) -> Handler {
    if let Safety::Unsafe(keyword) = &sig.safety {
        errors.at(keyword, "a rail cannot be `unsafe`, because chains call it from safe code");
    }
    if let Some(abi) = &sig.abi {
        errors.at(abi, "a rail cannot be `extern`: leave this out");
    }
    if let (Some(keyword), Some(_)) =
        (&sig.asyncness, events.iter().find(|event| event.segments.last().is_some_and(|last| last.ident == "Dropped")))
    {
        errors.at(
            keyword,
            "a rail on `Dropped` cannot be `async`, because nothing waits while a run is dropped: write a plain `fn`, and start a task \
             for work that waits, `tokio::spawn(…)`",
        );
    }
    if options.around.is_some() {
        return around::handler(sig, callee, events, &options, errors);
    }
    let params = params(sig, &options, errors);
    if !options.names_tool() {
        options.tool = options::tool_of_args(&params);
    }
    options::check(&options, sig, &params, errors);
    options::window(&options, &events, errors);
    Handler {
        events,
        span: sig.ident.span(),
        callee,
        takes_self: sig.receiver().is_some(),
        params,
        output: output(&sig.output, errors),
        is_async: sig.asyncness.is_some(),
        tool: options.tool,
        provides: options.provides.map(|(_, values)| values).unwrap_or_default(),
        needs: options.needs.map(|(_, values)| values).unwrap_or_default(),
        always: options.always.is_some(),
        timeout: options.timeout.map(|(_, limit)| limit),
        catches_panics: options.on_panic.is_some(),
        on_fault: options.on_fault,
        concurrent: options.concurrent.is_some(),
        window: options.window.map(|(_, characters)| characters),
        around: None,
    }
}

fn params(sig: &Signature, options: &Options, errors: &mut Errors) -> Vec<Param> {
    let mut params: Vec<Param> = Vec::new();
    for input in &sig.inputs {
        let FnArg::Typed(input) = input else { continue };
        refuse_cfg(&input.attrs, "a parameter of a rail cannot have a `#[cfg]`: write two functions", errors);
        let mut ty = ungrouped(&input.ty).clone();
        InferLifetimes.visit_type_mut(&mut ty);
        // Another check has reported a type parameter of a function.
        if !sig.generics.type_params().any(|param| matches!(&ty, Type::Path(path) if path.path.is_ident(&param.ident)))
        {
            borrowed(&ty, options, errors);
        }
        if let Some(first) = params.iter().find(|first| target(&first.ty) == target(&ty)) {
            let what = shown(target(&first.ty));
            errors.at(&input.ty, format_args!("the rail takes `{what}` twice: leave one out"));
        }
        let source = options::source(&ty, options);
        params.push(Param { ty, source });
    }
    params
}

/// Reports a parameter by value. A rail borrows the payload. Only `Inputs`, the union of the payloads, comes by value,
/// because it is a borrow itself.
fn borrowed(ty: &Type, options: &Options, errors: &mut Errors) {
    if options::reported(ty, options, errors) {
        return;
    }
    match ty {
        Type::Reference(reference) if reference.mutability.is_some() && ends_with(&reference.elem, "Inputs") => {
            let union = shown(&reference.elem);
            errors.at(ty, format_args!("`{union}` is already a borrow: take it by value"));
        }
        Type::Reference(reference)
            if let Some(lifetime) = reference.lifetime.as_ref().filter(|name| name.ident == "static") =>
        {
            let mut borrow = reference.clone();
            borrow.lifetime = None;
            let message = "a rail borrows the payload only during its call";
            errors.at(lifetime, format_args!("{message}: write `{}`", shown(borrow)));
        }
        Type::Reference(_) if !ends_with(target(ty), "RunContext") => {}
        Type::Path(_) if ends_with(ty, "Inputs") => {}
        Type::Path(_) if ends_with(ty, "Option") => {
            errors.at(ty, "an event always has its payload: take it without the `Option`, like `&ToolCallInputs`");
        }
        Type::Path(_) | Type::Reference(_) if ends_with(target(ty), "RunContext") => {
            errors.at(ty, "a rail takes a `RailContext`: write `&mut RailContext`, or `&RailContext` to read it");
        }
        _ if is_part(ty) || ends_with(ty, "Args") => {
            let part = shown(ty);
            errors.at(ty, format_args!("a rail borrows the payload: write `&{part}`, or `&mut {part}` to change it"));
        }
        Type::ImplTrait(bounds) if around::runs_operation(bounds) => {
            let attribute =
                if options.of_method { "on(PreToolCall, around)" } else { "rail(on = [PreToolCall], around)" };
            let message = format_args!("only a rail with `around` takes the operation: write `#[{attribute}]`");
            // If an option is at the wrong place, it may be `around`.
            if !options.unclear {
                errors.at(ty, message);
            }
        }
        _ => errors.at(ty, foreign(ty)),
    }
}

/// Returns the correct form for a type by value that no event of the library carries. The compiler compares references
/// with the event.
fn foreign(ty: &Type) -> String {
    let what = shown(ty);
    format!(
        "a rail takes parts of the payload by reference, and no event of the library carries `{what}`\n\
         for state, write a type with a field: `#[rail] impl MyRail {{ #[on(PreToolCall)] fn check(&self) {{}} }}`\n\
         for a value of another rail, write `needs = [RateLimitLeft]` and take `&RateLimitLeft`\n\
         for a part of a custom event, take a reference, like `&Memories`\n\
         to run the next rail and then the operation, return `RailAction::Continue`\n\
         to surround the operation, add `around` and take `next: impl Next<ToolCall>`"
    )
}

fn output(output: &ReturnType, errors: &mut Errors) -> Type {
    match output {
        ReturnType::Default => syn::parse_quote!(()),
        ReturnType::Type(_, ty) => {
            if let Type::ImplTrait(_) = ungrouped(ty) {
                errors.at(ty, "a rail returns its decision: write `async fn …() -> RailAction`");
            }
            failure(ty, errors);
            (**ty).clone()
        }
    }
}

/// Reports an error in a `Result` that borrows, or that threads cannot share.
fn failure(output: &Type, errors: &mut Errors) {
    let Type::Path(path) = ungrouped(output) else { return };
    let result = path.path.segments.last().filter(|last| last.ident == "Result");
    let Some(PathArguments::AngleBracketed(args)) = result.map(|last| &last.arguments) else { return };
    let Some(GenericArgument::Type(error)) = args.args.get(1) else { return };
    match ungrouped(error) {
        Type::Reference(error) if error.lifetime.as_ref().is_none_or(|name| name.ident != "static") => {
            let borrow = TypeReference { lifetime: Some(syn::parse_quote!('static)), ..error.clone() };
            let owned = if matches!(&*error.elem, Type::Path(path) if path.path.is_ident("str")) {
                "String".to_owned()
            } else {
                shown(&error.elem)
            };
            let message = format_args!("an error outlives the call: write `{}` or `{owned}`", shown(borrow));
            errors.push(syn::Error::new(error.and_token.span, message));
        }
        Type::Path(boxed) if ends_with(error, "Box") => {
            let Some(PathArguments::AngleBracketed(args)) = boxed.path.segments.last().map(|last| &last.arguments)
            else {
                return;
            };
            let Some(GenericArgument::Type(Type::TraitObject(object))) = args.args.first() else { return };
            let names = |name: &str| object.bounds.iter().any(|bound| is_trait(bound, name));
            if names("Error") && !(names("Send") && names("Sync")) {
                let first = object.bounds.first();
                let message = "another thread may report an error: write";
                errors.at(error, format_args!("{message} `Box<dyn {} + Send + Sync>`", shown(first)));
            }
        }
        _ => {}
    }
}

/// Returns `true` for a bound such as `std::error::Error`, if `name` is `Error`.
fn is_trait(bound: &TypeParamBound, name: &str) -> bool {
    matches!(bound, TypeParamBound::Trait(bound) if bound.path.segments.last().is_some_and(|last| last.ident == name))
}

fn type_params(generics: &Generics) -> impl Iterator<Item = &GenericParam> {
    generics.params.iter().filter(|param| !matches!(param, GenericParam::Lifetime(_)))
}

/// Replaces the function's own lifetimes with `'_`. The expansion has no names for them, and the compiler infers them.
struct InferLifetimes;

impl VisitMut for InferLifetimes {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident != "static" {
            *lifetime = Lifetime::new("'_", lifetime.span());
        }
        visit_mut::visit_lifetime_mut(self, lifetime);
    }
}

/// Returns the attributes that a function shares with its type: docs and `#[cfg]`.
fn carried(attrs: Vec<Attribute>) -> Vec<Attribute> {
    let shared = ["doc", "cfg", "deprecated"];
    attrs.into_iter().filter(|attr| shared.iter().any(|name| attr.path().is_ident(name))).collect()
}

/// Returns the name of a rail that is a type: the last name in its path.
fn type_name(ty: &Type) -> String {
    match ungrouped(ty) {
        Type::Path(path) => path.path.segments.last().map(|segment| unraw(&segment.ident)),
        _ => None,
    }
    .unwrap_or_else(|| shown(ty))
}

fn unraw(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map_or(name.clone(), ToOwned::to_owned)
}

fn pascal(ident: &Ident) -> String {
    let capitalized = |word: &str| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>())
    };
    unraw(ident).split('_').filter_map(capitalized).collect()
}
