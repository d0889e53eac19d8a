//! Reads the tokens of `machine!`.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, Ident, Lit, LitStr, Path, Result, Token, braced, parenthesized, token};

use super::tree::{Annotation, Context, Edge, Grant, Input, Kind, Machine, Node};

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
        let word: Ident = input.call(Ident::parse_any)?;
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
                let message = "write `context`, `tools`, or a node: `task`, `state`, `init`, `join` or `end`";
                let kind = kind(name).ok_or_else(|| Error::new(word.span(), message))?;
                self.nodes.push(node(input, docs, kind)?);
            }
        }
        Ok(())
    }
}

fn kind(word: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|(name, _)| *name == word).map(|(_, kind)| kind)
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
    if input.peek(Token![->]) {
        node.edges.push(edge(input)?);
        return Ok(());
    }
    let docs = input.call(Attribute::parse_outer)?;
    let word: Ident = input.call(Ident::parse_any)?;
    match &*word.to_string() {
        "prompt" => text(input, &word, &mut node.prompt),
        "agent" => text(input, &word, &mut node.agent),
        "meta" => {
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
            let message =
                "write an edge `-> Target;`, a node, or `prompt`, `reads`, `writes`, `uses`, `agent` or `meta`";
            let kind = kind(name).ok_or_else(|| Error::new(word.span(), message))?;
            node.nodes.push(self::node(input, docs, kind)?);
            Ok(())
        }
    }
}

/// Reads `: "text";`.
fn text(input: ParseStream<'_>, word: &Ident, place: &mut Option<LitStr>) -> Result<()> {
    input.parse::<Token![:]>()?;
    let text = input.parse()?;
    input.parse::<Token![;]>()?;
    if place.replace(text).is_some() {
        return Err(Error::new(word.span(), format!("`{word}` is there twice: remove one of the two")));
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
    if input.peek(Ident::peek_any) {
        let word = input.call(Ident::parse_any)?;
        if word != "when" {
            return Err(Error::new(word.span(), "write `when` and a condition, or `;`"));
        }
        edge.condition = Some(condition(input, word.span())?);
    }
    input.parse::<Token![;]>()?;
    Ok(edge)
}

fn condition(input: ParseStream<'_>, word: Span) -> Result<Expr> {
    if input.peek(Token![;]) || input.is_empty() {
        return Err(Error::new(word, "write a condition after `when`, such as `order.total < 100.0`"));
    }
    input.parse()
}

fn annotations(input: ParseStream<'_>) -> Result<Vec<Annotation>> {
    let mut all = Vec::new();
    while input.parse::<Option<Token![@]>>()?.is_some() {
        let name = input.call(Ident::parse_any)?;
        let value = if input.peek(token::Paren) {
            let value;
            parenthesized!(value in input);
            let literal = literal(&value)?;
            if !value.is_empty() {
                return Err(value.error("an annotation has one value"));
            }
            Some(literal)
        } else {
            None
        };
        all.push(Annotation { name, value });
    }
    Ok(all)
}

/// Reads a literal, perhaps with a minus.
fn literal(input: ParseStream<'_>) -> Result<Lit> {
    let ahead = input.fork();
    match ahead.parse::<Lit>() {
        Ok(literal) => {
            input.advance_to(&ahead);
            Ok(literal)
        }
        Err(error) => Err(Error::new(error.span(), "write a text, a number or a boolean")),
    }
}
