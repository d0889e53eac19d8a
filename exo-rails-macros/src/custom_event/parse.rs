//! The options in `#[event(…)]`.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{DeriveInput, Expr, LitBool, Path, Type, TypeParamBound, TypeReference};

use crate::errors::{Errors, shown};
use crate::options::{Options, name, word};
use crate::paths::{EVENTS, Library};

/// The options of an event.
pub(super) struct EventOptions {
    /// The name of the event at run time.
    pub name: String,
    pub parts: Vec<Part>,
    pub allows: Allows,
    /// The type of the substitute that a skip may bring.
    pub substitute: Option<Type>,
    /// Whether the event comes after an operation or another thing has happened.
    pub after: bool,
    /// The operation of the event, if it has one.
    pub operation: Option<String>,
    pub library: Library,
}

/// A part of the payload, such as `&mut Memories`.
pub(super) struct Part {
    pub ty: Type,
    pub mutable: bool,
}

/// The actions that the event allows. Each level includes the levels before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Allows {
    Nothing,
    Abort,
    Skip,
    Retry,
}

const OPTIONS: Options = Options {
    attribute: "event",
    examples: &[
        ("payload", "payload = (&Query, &mut Memories)"),
        ("allows", "allows = \"abort\""),
        ("substitute", "substitute = Memories"),
        ("name", "name = \"memories_recalled\""),
        ("after", "after = true"),
        ("crate", "crate = ::exo_rails"),
    ],
};

const NAME: &str = "the name of an event is a string that is not blank: write `name = \"my_event\"`";

/// The largest number of parts of a payload. The library has a bit for each part.
const MOST_PARTS: usize = 7;

pub(super) fn options(item: &DeriveInput, operation: Option<String>, errors: &mut Errors) -> EventOptions {
    let attrs: Vec<_> = item.attrs.iter().filter(|attr| attr.path().is_ident("event")).cloned().collect();
    let mut options = EventOptions {
        name: snake_case(&item.ident.unraw().to_string()),
        parts: Vec::new(),
        allows: Allows::Nothing,
        substitute: None,
        after: false,
        operation,
        library: Library::default(),
    };
    OPTIONS.read(&attrs, errors, |key, input: ParseStream<'_>, errors| {
        match key {
            "payload" => options.parts = parts(&input.parse()?, errors),
            "allows" => options.allows = allows(&input.parse()?)?,
            "substitute" => options.substitute = Some(input.parse()?),
            "name" => options.name = name(&input.parse()?, NAME)?.value(),
            "after" => options.after = input.parse::<LitBool>()?.value,
            _ => options.library = Library::at(input.call(Path::parse_mod_style)?),
        }
        Ok(())
    });
    if let (Some(substitute), true) = (&options.substitute, options.allows < Allows::Skip) {
        errors.at(
            substitute,
            "only an event that rails can skip has a substitute: write `allows = \"skip\"` or `\"retry\"`",
        );
    }
    if EVENTS.iter().any(|event| item.ident == event) {
        let message = "is the name of an event of the library: choose another name";
        errors.at(&item.ident, format_args!("`{}` {message}", item.ident));
    } else if EVENTS.iter().any(|event| snake_case(event) == options.name) {
        let message = "is the name of an event of the library: choose another, `name = \"my_event\"`";
        errors.at(&item.ident, format_args!("`{}` {message}", options.name));
    }
    options
}

/// Turns `MemoriesRecalled` into `memories_recalled`.
pub(crate) fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for (i, char) in name.char_indices() {
        if char.is_uppercase() && i > 0 && !snake.ends_with('_') {
            snake.push('_');
        }
        snake.extend(char.to_lowercase());
    }
    snake
}

fn allows(expr: &Expr) -> syn::Result<Allows> {
    let words =
        [("nothing", Allows::Nothing), ("abort", Allows::Abort), ("skip", Allows::Skip), ("retry", Allows::Retry)];
    let what = "`allows` takes one of these strings: `\"nothing\"`, `\"abort\"`, `\"skip\"` or `\"retry\"`";
    word(expr, &words, what, "`allows` has no value").map(|(_, allows)| allows)
}

/// Reads one part, or several parts in parentheses.
fn parts(payload: &Type, errors: &mut Errors) -> Vec<Part> {
    let types: Vec<&Type> = match payload {
        Type::Tuple(tuple) => tuple.elems.iter().collect(),
        Type::Paren(paren) => vec![&paren.elem],
        Type::Group(group) => vec![&group.elem],
        one => vec![one],
    };
    if types.len() > MOST_PARTS {
        errors.at(payload, format_args!("a payload has at most {MOST_PARTS} parts: put some of them into one struct"));
    }
    let mut parts: Vec<Part> = Vec::new();
    for ty in types {
        let Some(part) = errors.keep(part(ty)) else { continue };
        if parts.iter().any(|other| other.ty == part.ty) {
            let message =
                "is in the payload twice, and rails select parts by their types: wrap one of them in another type";
            errors.at(ty, format_args!("`{}` {message}", shown(&part.ty)));
            continue;
        }
        parts.push(part);
    }
    parts
}

fn part(ty: &Type) -> syn::Result<Part> {
    let Type::Reference(TypeReference { lifetime, mutability, elem, .. }) = ty else {
        let what = shown(ty);
        let message =
            format!("the parts of a payload are references: write `&{what}`, or `&mut {what}` if rails may change it");
        return Err(syn::Error::new_spanned(ty, message));
    };
    if let Some(lifetime) = lifetime {
        return Err(syn::Error::new_spanned(
            lifetime,
            "the library chooses the lifetime of the payload: leave this out",
        ));
    }
    if borrows(elem.to_token_stream()) {
        let message =
            "a payload cannot borrow, because plain hooks and logs read it too: use a type that owns its data";
        return Err(syn::Error::new_spanned(elem, message));
    }
    if let Some(sized) = sized(elem) {
        let (what, by) = (shown(elem), if mutability.is_some() { "&mut " } else { "&" });
        let message = format!("an event cannot carry `{what}`, because its size is not known: write `{by}{sized}`");
        return Err(syn::Error::new_spanned(elem, message));
    }
    Ok(Part { ty: (**elem).clone(), mutable: mutability.is_some() })
}

/// Returns the type to write instead of a type without a known size.
pub(crate) fn sized(ty: &Type) -> Option<String> {
    match ty {
        Type::Paren(paren) => sized(&paren.elem),
        Type::Group(group) => sized(&group.elem),
        Type::Path(path) if path.path.is_ident("str") => Some("String".to_owned()),
        Type::Slice(slice) => Some(format!("Vec<{}>", shown(&slice.elem))),
        Type::TraitObject(object) => {
            let named = |name: &str| {
                object
                    .bounds
                    .iter()
                    .any(|bound| matches!(bound, TypeParamBound::Trait(bound) if bound.path.is_ident(name)))
            };
            let missing = ["Send", "Sync"].into_iter().filter(|name| !named(name)).map(|name| format!(" + {name}"));
            Some(format!("Box<{}{}>", shown(object), missing.collect::<String>()))
        }
        _ => None,
    }
}

/// Returns `true` if the tokens contain a lifetime.
fn borrows(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => borrows(group.stream()),
        TokenTree::Punct(punct) => punct.as_char() == '\'',
        _ => false,
    })
}
