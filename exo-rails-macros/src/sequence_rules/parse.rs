//! Reads the tool set and the rules.

use exo_rails_sequence::grammar::{self, Mistake, Rule, Token as Word};
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, Ident, Lit, LitStr, Meta, Path, Token, Type};

use crate::errors::Errors;

/// The rules of one call of the macro.
pub(super) struct Rules {
    /// The path of the library, such as `::exo_rails_guards`.
    pub library: Option<Path>,
    /// The set of tools.
    pub tools: Type,
    pub all: Vec<Named>,
}

/// A rule with its name and its reason.
pub(super) struct Named {
    pub name: Option<Ident>,
    /// The doc comment of the rule.
    pub because: Option<String>,
    pub rule: Rule<Span>,
    /// The names with dots, such as `order.id`, and the place of each part.
    pub dotted: Vec<Dotted>,
}

/// A name with dots, and the place of each part.
pub(super) type Dotted = (String, Vec<Span>);

const BEGIN: &str = "begin with the set of tools: `sequence_rules! { tools = MyTools; refund only after approve; }`";

/// Reads `tools = MyTools; refund only after approve;`. A mistake in a rule does not hide a mistake in the next.
pub(super) fn rules(input: TokenStream, errors: &mut Errors) -> Option<Rules> {
    let result = (|input: ParseStream<'_>| all(input, errors)).parse2(input);
    errors.keep(result)
}

fn all(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Rules> {
    let library = if input.peek(Token![crate]) && input.peek2(Token![=]) {
        input.parse::<Token![crate]>()?;
        input.parse::<Token![=]>()?;
        let path = input.call(Path::parse_mod_style)?;
        input.parse::<Token![;]>()?;
        Some(path)
    } else {
        None
    };
    let begin = input.call(Ident::parse_any).map_err(|error| syn::Error::new(error.span(), BEGIN))?;
    if begin != "tools" || input.parse::<Token![=]>().is_err() {
        return Err(syn::Error::new(begin.span(), BEGIN));
    }
    let tools = input.parse()?;
    if !input.is_empty() {
        input
            .parse::<Token![;]>()
            .map_err(|error| syn::Error::new(error.span(), "write `;` after the set of tools"))?;
    }
    let mut rules = Vec::new();
    while !input.is_empty() {
        let rule = rule(input)?;
        rules.extend(errors.keep(rule));
    }
    Ok(Rules { library, tools, all: rules })
}

/// Reads a rule and the `;` after it. The outer error is one after which nothing can be read.
fn rule(input: ParseStream<'_>) -> syn::Result<syn::Result<Named>> {
    let because = because(&input.call(Attribute::parse_outer)?)?;
    let name = if input.peek(Ident::peek_any) && input.peek2(Token![:]) {
        let name = input.call(Ident::parse_any)?;
        input.parse::<Token![:]>()?;
        Some(name)
    } else {
        None
    };
    if input.peek(LitStr) && (input.peek2(Token![;]) || input.fork().parse::<TokenStream>()?.into_iter().count() == 1) {
        let text: LitStr = input.parse()?;
        input.parse::<Option<Token![;]>>()?;
        let message = format!("a rule has no quotes here: write `{}`", text.value());
        return Ok(Err(syn::Error::new(text.span(), message)));
    }
    let (mut words, mut dotted) = (Vec::new(), Vec::new());
    let mut end = input.span();
    while !input.is_empty() && !input.peek(Token![;]) {
        words.push(word(&input.parse()?));
        dotted.extend(words.last_mut().map(|word| inner_names(input, word)).transpose()?.flatten());
        end = input.span();
    }
    if input.is_empty() {
        end = words.last().map_or(end, |word| word.at);
    }
    input.parse::<Option<Token![;]>>()?;
    let rule = grammar::parse(&words, end).map_err(|mistake| joined(&words, end).unwrap_or(mistake));
    let rule = rule.map_err(|Mistake { at, message }| syn::Error::new(at, message));
    Ok(rule.map(|rule| Named { name, because, rule, dotted }))
}

/// Returns the mistake if the words are two rules without a `;` between them. A second rule that begins with a name looks like
/// the rest of the first.
fn joined(words: &[Word<Span>], end: Span) -> Option<Mistake<Span>> {
    let begins = |place: &usize| {
        let word = &words[*place];
        !word.is_quoted
            && ["at", "never", "sum"].contains(&&*word.text)
            && grammar::parse(&words[..*place], end).is_ok()
    };
    let second = &words[(1..words.len()).find(begins)?];
    Some(Mistake { at: second.at, message: format!("the rule ends here: write `;` before `{}`", second.text) })
}

/// Reads the names after a name, as in `order.id`, which is one word of the grammar.
fn inner_names(input: ParseStream<'_>, first: &mut Word<Span>) -> syn::Result<Option<Dotted>> {
    let mut spans = vec![first.at];
    while input.peek(Token![.]) && input.peek2(Ident::peek_any) {
        input.parse::<Token![.]>()?;
        let name = input.call(Ident::parse_any)?;
        first.text = format!("{}.{}", first.text, name.unraw());
        spans.push(name.span());
    }
    Ok((spans.len() > 1).then(|| (first.text.clone(), spans)))
}

/// Reads a word. A raw identifier such as `r#after` is a name.
fn word(token: &TokenTree) -> Word<Span> {
    let (text, at) = (token.to_string(), token.span());
    let (text, is_quoted) = match token {
        TokenTree::Ident(_) => text.strip_prefix("r#").map_or((text.clone(), false), |name| (name.to_owned(), true)),
        // A group is one word, such as `(approve)`.
        _ => (text, false),
    };
    Word { text, is_quoted, at }
}

/// Reads the doc comment of a rule.
fn because(attrs: &[Attribute]) -> syn::Result<Option<String>> {
    let mut lines = Vec::new();
    for attr in attrs {
        match &attr.meta {
            Meta::NameValue(meta) if meta.path.is_ident("doc") => {
                if let Expr::Lit(syn::ExprLit { lit: Lit::Str(line), .. }) = &meta.value {
                    lines.push(line.value().trim().to_owned());
                }
            }
            _ => {
                let message = "a rule has no attributes: write its reason as a doc comment, `/// …`";
                return Err(syn::Error::new_spanned(attr, message));
            }
        }
    }
    let text = lines.join(" ").trim().to_owned();
    Ok(Some(text).filter(|text| !text.is_empty()))
}
