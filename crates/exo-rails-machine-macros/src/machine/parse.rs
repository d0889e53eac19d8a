//! Reads the tokens of `machine!`.

use exo_rails_text::names::nearest;
use proc_macro2::{Span, TokenTree};
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, ExprLit, Ident, Lit, LitStr, Path, Result, Token, braced, parenthesized, token};

use super::tree::{Annotation, Argument, Context, Edge, Grant, Input, Kind, Machine, Node};

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let library = input.call(Path::parse_mod_style)?;
        input.parse::<Token![;]>()?;
        let machine = input.parse()?;
        if !input.is_empty() {
            return Err(input.error("write one machine for each call of `machine!`"));
        }
        Ok(Self { library, machine })
    }
}

impl Parse for Machine {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let word: Ident = input.call(Ident::parse_any)?;
        if word != "machine" {
            return Err(Error::new(word.span(), "write `machine` and a name, such as `machine Orders { … }`"));
        }
        let name = input.parse()?;
        if input.peek(Token![<]) {
            return Err(input.error("a machine has no type parameters: remove them"));
        }
        let title = input.parse()?;
        let annotations = annotations(input)?;
        let body;
        braced!(body in input);
        let mut machine =
            Self { attrs, vis, name, title, annotations, tools: None, contexts: Vec::new(), nodes: Vec::new() };
        while !body.is_empty() {
            machine.item(&body)?;
        }
        Ok(machine)
    }
}

impl Machine {
    fn item(&mut self, input: ParseStream<'_>) -> Result<()> {
        let docs = input.call(Attribute::parse_outer)?;
        if input.peek(Token![->]) || input.peek2(Token![->]) {
            return Err(input.error("an edge is a part of its source: write it into the braces of that node"));
        }
        if input.peek(Token![@]) {
            return Err(before_its_node(input));
        }
        let message = "write `context`, `tools`, or a node: `task`, `state`, `init`, `join` or `end`";
        let word = word(input, message)?;
        match &*word.to_string() {
            "context" => {
                let name = input.parse()?;
                input.parse::<Token![:]>()?;
                let ty = input.parse()?;
                input.parse::<Token![;]>()?;
                self.contexts.push(Context { name, ty });
            }
            "tools" => {
                input.parse::<Token![:]>()?;
                let ty = input.parse()?;
                input.parse::<Token![;]>()?;
                if self.tools.replace(ty).is_some() {
                    return Err(Error::new(
                        word.span(),
                        "a machine has one set of tools: write all tools into one `tools!`",
                    ));
                }
            }
            name => {
                let kind = kind(name).ok_or_else(|| unknown(&word, &["context", "tools"], message))?;
                self.nodes.push(node(input, docs, kind)?);
            }
        }
        Ok(())
    }
}

/// Reads the word that begins an item or a part of a node. `message` lists the words.
fn word(input: ParseStream<'_>, message: &str) -> Result<Ident> {
    input.call(Ident::parse_any).map_err(|error| Error::new(error.span(), message))
}

/// Returns the error of an annotation before its node, such as `@retry(2) task Check`.
fn before_its_node(input: ParseStream<'_>) -> Error {
    let ahead = input.fork();
    let shown = |ahead: ParseStream<'_>| {
        ahead.parse::<Token![@]>()?;
        let annotation = ahead.call(Ident::parse_any)?;
        let value = if ahead.peek(token::Paren) { ahead.parse::<TokenTree>()?.to_string() } else { String::new() };
        let (kind, name) = (ahead.call(Ident::parse_any)?, ahead.call(Ident::parse_any)?);
        Ok::<_, Error>(format!("{kind} {name} @{annotation}{value}"))
    };
    let example = shown(&ahead).unwrap_or_else(|_| "task Check @retry(2)".to_owned());
    input.error(format!("an annotation is behind the name of its node: write `{example}`"))
}

fn kind(word: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|(name, _)| *name == word).map(|(_, kind)| kind)
}

/// Returns the error of a word that is none of these, and no kind of a node.
fn unknown(word: &Ident, words: &[&str], message: &str) -> Error {
    let known: Vec<&str> = words.iter().copied().chain(Kind::ALL.into_iter().map(|(name, _)| name)).collect();
    let message = match nearest(&word.to_string(), &known) {
        Some(similar) => format!("there is no `{word}` here: did you mean `{similar}`?"),
        None => message.to_owned(),
    };
    Error::new(word.span(), message)
}

/// Reads a node behind the word of its kind.
fn node(input: ParseStream<'_>, docs: Vec<Attribute>, kind: Kind) -> Result<Node> {
    let mut node = Node {
        docs,
        kind,
        name: input.parse()?,
        title: input.parse()?,
        annotations: annotations(input)?,
        prompt: None,
        agent: None,
        meta: None,
        grants: Vec::new(),
        uses: Vec::new(),
        edges: Vec::new(),
        nodes: Vec::new(),
    };
    if input.parse::<Option<Token![;]>>()?.is_some() {
        return Ok(node);
    }
    if !input.peek(token::Brace) {
        return Err(input.error("write `;`, or the parts of the node in braces"));
    }
    let body;
    braced!(body in input);
    while !body.is_empty() {
        part(&body, &mut node)?;
    }
    Ok(node)
}

/// Reads a part of the body of a node.
fn part(input: ParseStream<'_>, node: &mut Node) -> Result<()> {
    let docs = input.call(Attribute::parse_outer)?;
    let is_node = input.fork().call(Ident::parse_any).is_ok_and(|word| kind(&word.to_string()).is_some());
    if let Some(first) = docs.first().filter(|_| !is_node) {
        return Err(Error::new(first.span(), "only nodes have docs and attributes: write a comment with `//`"));
    }
    if input.peek(Token![->]) {
        node.edges.push(edge(input)?);
        return Ok(());
    }
    if input.peek(Token![@]) {
        return Err(before_its_node(input));
    }
    if let Ok(arrow) = input.parse::<Token![=>]>() {
        let target = input.parse::<Ident>().map_or_else(|_| "Target".to_owned(), |target| target.to_string());
        return Err(Error::new(arrow.span(), format!("an edge has a thin arrow: write `-> {target};`")));
    }
    let message = "write an edge `-> Target;`, a node, or `prompt`, `reads`, `writes`, `uses`, `agent` or `meta`";
    let word = word(input, message)?;
    match &*word.to_string() {
        "prompt" => text(input, &word, &mut node.prompt),
        "agent" => text(input, &word, &mut node.agent),
        "meta" => {
            if input.peek(Token![:]) {
                return Err(input.error("the word is enough: write `meta;`"));
            }
            node.meta = Some(word.span());
            input.parse::<Token![;]>().map(drop)
        }
        "reads" | "writes" => {
            let writes = word == "writes";
            let context = input.parse()?;
            let fields = if input.peek(token::Brace) { Some(names_in_braces(input)?) } else { None };
            input.parse::<Token![;]>()?;
            node.grants.push(Grant { writes, context, fields });
            Ok(())
        }
        "uses" => {
            node.uses.extend(Punctuated::<Ident, Token![,]>::parse_separated_nonempty(input)?);
            input.parse::<Token![;]>().map(drop)
        }
        name => {
            let words = ["prompt", "reads", "writes", "uses", "agent", "meta"];
            let kind = kind(name).ok_or_else(|| unknown(&word, &words, message))?;
            node.nodes.push(self::node(input, docs, kind)?);
            Ok(())
        }
    }
}

/// Reads `: "text";`.
fn text(input: ParseStream<'_>, word: &Ident, place: &mut Option<LitStr>) -> Result<()> {
    input.parse::<Token![:]>()?;
    if !input.peek(LitStr) {
        return Err(input.error(format!("write the {word} as a text in quotes")));
    }
    let text = input.parse()?;
    input.parse::<Token![;]>()?;
    if place.replace(text).is_some() {
        return Err(Error::new(word.span(), format!("`{word}` is declared twice: remove one of the two")));
    }
    Ok(())
}

fn names_in_braces(input: ParseStream<'_>) -> Result<Vec<Ident>> {
    let names;
    braced!(names in input);
    Ok(names.parse_terminated(Ident::parse, Token![,])?.into_iter().collect())
}

fn edge(input: ParseStream<'_>) -> Result<Edge> {
    let arrow = input.parse::<Token![->]>()?.span();
    let target = Punctuated::<Ident, Token![.]>::parse_separated_nonempty(input)?.into_iter().collect();
    let mut edge = Edge { arrow, target, annotations: annotations(input)?, label: input.parse()?, condition: None };
    edge.annotations.extend(annotations(input)?);
    if input.peek(Token![,]) {
        return Err(input.error("an edge has one target: write `;` and another edge"));
    }
    if input.peek(Token![::]) {
        return Err(input.error("write `.` between the names of a node and of the node in it"));
    }
    if input.peek(Ident::peek_any) {
        let word = input.call(Ident::parse_any)?;
        if word != "when" {
            return Err(Error::new(word.span(), "write `when` and a condition, or `;`"));
        }
        edge.condition = Some(condition(input, word.span())?);
        if input.peek(Token![@]) {
            return Err(input.error("write annotations before `when`"));
        }
    }
    input.parse::<Token![;]>()?;
    Ok(edge)
}

fn condition(input: ParseStream<'_>, word: Span) -> Result<Expr> {
    if input.peek(Token![;]) || input.is_empty() {
        return Err(Error::new(word, "write a condition after `when`, such as `order.total < 100.0`"));
    }
    if input.peek(Token![:]) {
        return Err(input.error("write the condition without a colon: `when order.total < 100.0`"));
    }
    let condition = input.parse()?;
    if let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &condition {
        let message = format!("a condition has no quotes: write `when {}`", text.value());
        return Err(Error::new_spanned(text, message));
    }
    Ok(condition)
}

fn annotations(input: ParseStream<'_>) -> Result<Vec<Annotation>> {
    let mut all = Vec::new();
    while input.parse::<Option<Token![@]>>()?.is_some() {
        let name = input.call(Ident::parse_any)?;
        let value = if input.peek(token::Paren) {
            let value;
            parenthesized!(value in input);
            let argument = argument(&value)?;
            if !value.is_empty() {
                return Err(value.error("an annotation has one value"));
            }
            Some(argument)
        } else {
            None
        };
        all.push(Annotation { name, value });
    }
    Ok(all)
}

/// Reads a literal, perhaps with a minus, or names with dots.
fn argument(input: ParseStream<'_>) -> Result<Argument> {
    let ahead = input.fork();
    if let Ok(literal) = ahead.parse::<Lit>() {
        input.advance_to(&ahead);
        return Ok(Argument::Literal(literal));
    }
    let names = input.call(Punctuated::<Ident, Token![.]>::parse_separated_nonempty);
    names
        .map(|names| Argument::Names(names.into_iter().collect()))
        .map_err(|error| Error::new(error.span(), "write a text, a number, a boolean, or a list such as `order.items`"))
}
