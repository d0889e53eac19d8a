//! The steps of a chain at each event.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::Ident;

use super::expand::{Names, Served};

impl Names<'_> {
    /// The steps of each event, as types, in the order that the constants know.
    pub(super) fn order(&self) -> TokenStream {
        let (library, walks, all) = (&self.chain.library, self.walks(), self.all());
        let orders = starts(self.chain.rails.len()).map(|start| {
            let (order, start) = (order(start), Literal::usize_unsuffixed(start));
            quote_spanned! {Span::mixed_site()=>
                /// `.11.0` is the place in the list of the rail that runs first at event 11, `PreToolCall`.
                static #order: #library::__private::LifecycleOrder = __Facts::lifecycle(#start);
            }
        });
        let lifecycle = self.lifecycle().iter().filter_map(|event| {
            let (number, name) = event.known?;
            let name = Ident::new(name, Span::mixed_site());
            let steps = self.steps(event, |start, step| {
                let (order, place) = (order(start), fields(number, step));
                quote_spanned!(Span::mixed_site()=> #order.#place)
            });
            let steps = self.fitting(event, number, steps);
            Some(quote_spanned!(Span::mixed_site()=> type #name = #steps;))
        });
        let custom = self.custom().iter().enumerate().map(|(number, event)| self.custom_steps(number, event));
        quote_spanned! {Span::mixed_site()=>
            #walks

            #(#orders)*

            #all

            /// The rails on each event, in the order in which they run.
            impl #library::__private::LifecycleSteps for __Rails {
                #(#lifecycle)*
            }

            #(#custom)*
        }
    }

    /// The steps of an event, or where it has more rails than steps, those that look each of them up.
    fn fitting(&self, event: &Served, number: usize, steps: TokenStream) -> TokenStream {
        let (library, len) = (&self.chain.library, self.chain.rails.len());
        if event.steps == len {
            return steps;
        }
        // The place of the first rail for which there is no step, when there is one.
        let (order, place, len) = (order(0), fields(number, event.steps), Literal::usize_unsuffixed(len));
        quote_spanned!(Span::mixed_site()=> #library::__private::Fitting<{ #order.#place < #len }, #steps, __All>)
    }

    /// A walk over all places of the list, for events with more rails than steps.
    fn all(&self) -> Option<TokenStream> {
        let len = self.chain.rails.len();
        self.lifecycle().iter().any(|event| event.steps < len).then(|| {
            let literal = |start, step| Literal::usize_unsuffixed(start + step).into_token_stream();
            let all = self.walk_over(len, literal);
            quote_spanned!(Span::mixed_site()=> type __All = #all;)
        })
    }

    fn custom_steps(&self, number: usize, event: &Served) -> TokenStream {
        let library = &self.chain.library;
        let name = |start: usize| format_ident!("__AT{number}_{start}", span = Span::mixed_site());
        let orders = starts(event.steps).map(|start| {
            let (order, start) = (name(start), Literal::usize_unsuffixed(start));
            quote_spanned! {Span::mixed_site()=>
                static #order: #library::__private::Order = __Facts::order::<#event>(#start);
            }
        });
        let steps = self.steps(event, |start, step| {
            let (order, place) = (name(start), Literal::usize_unsuffixed(step));
            quote_spanned!(Span::mixed_site()=> #order.#place)
        });
        quote_spanned! {Span::mixed_site()=>
            #(#orders)*

            impl #library::__private::StepsOn<#event> for __Rails {
                type Steps = #steps;
            }
        }
    }

    /// The steps of an event, given the place of each.
    fn steps(&self, event: &Served, place: impl Fn(usize, usize) -> TokenStream) -> TokenStream {
        self.walk_over(event.steps, |start, step| {
            let place = place(start, step);
            quote_spanned!(Span::mixed_site()=> { #place })
        })
    }

    /// A walk of so many steps, given the place of each: one walk, or where there are many steps, several.
    fn walk_over(&self, steps: usize, place: impl Fn(usize, usize) -> TokenStream) -> TokenStream {
        let library = &self.chain.library;
        let walks = starts(steps).map(|start| {
            let steps = LONGEST.min(steps - start);
            let places = (0..steps).map(|step| place(start, step));
            let name = format_ident!("__{}", self.walk_of(steps), span = Span::mixed_site());
            quote_spanned!(Span::mixed_site()=> #name<#(#places),*>)
        });
        let steps = walks
            .rev()
            .reduce(|others, first| quote_spanned!(Span::mixed_site()=> #library::__private::Then<#first, #others>));
        steps.unwrap_or_default()
    }

    /// The library's walk that has room for so many steps.
    fn walk_of(&self, steps: usize) -> Ident {
        let (kind, lengths) =
            if self.chain.concurrent { ("Concurrent", &CONCURRENT_WALKS[..]) } else { ("Steps", &WALKS[..]) };
        let len = lengths.iter().copied().find(|len| steps <= *len).unwrap_or(LONGEST);
        format_ident!("{kind}{len}", span = Span::mixed_site())
    }

    /// The walks of the chain under short names.
    fn walks(&self) -> TokenStream {
        let library = &self.chain.library;
        let lengths = self
            .events
            .iter()
            .flat_map(|event| starts(event.steps).map(|start| self.walk_of(LONGEST.min(event.steps - start))));
        let mut walks: Vec<_> = lengths.collect();
        walks.sort();
        walks.dedup();
        let walks = walks.iter().map(|walk| {
            let alias = format_ident!("__{walk}", span = Span::mixed_site());
            quote_spanned!(Span::mixed_site()=> use #library::__private::#walk as #alias;)
        });
        walks.collect()
    }
}

/// The first step of each walk, where an event has so many steps.
fn starts(steps: usize) -> impl DoubleEndedIterator<Item = usize> {
    (0..steps.max(1)).step_by(LONGEST)
}

/// The name of the order at the events of the library, from this step on.
fn order(start: usize) -> Ident {
    let name = if start == 0 { "__AT".to_owned() } else { format!("__AT_{start}") };
    Ident::new(&name, Span::mixed_site())
}

/// Two fields, as in `.8.10`: written in a program, they are one token, and so the compiler has one less to read for each.
fn fields(outer: usize, inner: usize) -> Option<Literal> {
    let mut fields: Literal = format!("{outer}.{inner}").parse().ok()?;
    fields.set_span(Span::mixed_site());
    Some(fields)
}

/// The lengths of walks that the library has.
const WALKS: [usize; 12] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/// The lengths of walks that take all steps at once.
const CONCURRENT_WALKS: [usize; 4] = [2, 4, 8, 16];

/// The last of them: more steps are several walks.
const LONGEST: usize = 64;
