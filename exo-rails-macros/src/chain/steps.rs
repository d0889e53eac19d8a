//! Writes the steps of a chain at each event.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::Ident;

use super::expand::{Names, Served};

impl Names<'_> {
    /// Writes the steps of each event as types, in the order that the constants know.
    pub(super) fn order(&self) -> TokenStream {
        let (library, walks, all) = (&self.chain.library, self.walks(), self.all());
        let orders = starts(self.chain.rails.len()).map(|start| {
            let (order, start) = (order(start), Literal::usize_unsuffixed(start));
            quote_spanned! {Span::mixed_site()=>
                /// `.11.0` is the place of the rail that runs first at event 11, `PreToolCall`.
                static #order: #library::for_macros::LifecycleOrder = __Facts::lifecycle(#start);
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
            impl #library::for_macros::LifecycleSteps for ListedRails_ {
                #(#lifecycle)*
            }

            #(#custom)*
        }
    }

    /// Returns the steps of an event. If the event has more rails than steps, returns the steps that look up each rail.
    fn fitting(&self, event: &Served, number: usize, steps: TokenStream) -> TokenStream {
        let (library, len) = (&self.chain.library, self.chain.rails.len());
        if event.steps == len {
            return steps;
        }
        // The place of the first rail without a step, if there is one.
        let (order, place, len) = (order(0), fields(number, event.steps), Literal::usize_unsuffixed(len));
        quote_spanned!(Span::mixed_site()=> #library::for_macros::Fitting<{ #order.#place < #len }, #steps, __All>)
    }

    /// Writes a walk over all places of the list, for events with more rails than steps.
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
                static #order: #library::for_macros::Order = __Facts::order::<#event>(#start);
            }
        });
        let steps = self.steps(event, |start, step| {
            let (order, place) = (name(start), Literal::usize_unsuffixed(step));
            quote_spanned!(Span::mixed_site()=> #order.#place)
        });
        quote_spanned! {Span::mixed_site()=>
            #(#orders)*

            impl #library::for_macros::StepsOn<#event> for ListedRails_ {
                type Steps = #steps;
            }
        }
    }

    /// Returns the steps of an event. `place` returns the place of each step.
    fn steps(&self, event: &Served, place: impl Fn(usize, usize) -> TokenStream) -> TokenStream {
        self.walk_over(event.steps, |start, step| {
            let place = place(start, step);
            quote_spanned!(Span::mixed_site()=> { #place })
        })
    }

    /// Returns a walk of this number of steps. If there are many steps, it consists of several walks. `place` returns the
    /// place of each step.
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
            .reduce(|others, first| quote_spanned!(Span::mixed_site()=> #library::for_macros::Then<#first, #others>));
        steps.unwrap_or_default()
    }

    /// Returns the walk of the library that has room for this number of steps.
    fn walk_of(&self, steps: usize) -> Ident {
        let (kind, lengths) =
            if self.chain.concurrent { ("Concurrent", &CONCURRENT_WALKS[..]) } else { ("Steps", &WALKS[..]) };
        let len = lengths.iter().copied().find(|len| steps <= *len).unwrap_or(LONGEST);
        format_ident!("{kind}{len}", span = Span::mixed_site())
    }

    /// Imports the walks of the chain under short names.
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
            quote_spanned!(Span::mixed_site()=> use #library::for_macros::#walk as #alias;)
        });
        walks.collect()
    }
}

/// Returns the first step of each walk, for an event with this number of steps.
fn starts(steps: usize) -> impl DoubleEndedIterator<Item = usize> {
    (0..steps.max(1)).step_by(LONGEST)
}

/// Returns the name of the order at the events of the library, from this step on.
fn order(start: usize) -> Ident {
    let name = if start == 0 { "__AT".to_owned() } else { format!("__AT_{start}") };
    Ident::new(&name, Span::mixed_site())
}

/// Writes two fields, as in `.8.10`. In a source text, they are one token, so the compiler reads one token less for each
/// step.
fn fields(outer: usize, inner: usize) -> Option<Literal> {
    let mut fields: Literal = format!("{outer}.{inner}").parse().ok()?;
    fields.set_span(Span::mixed_site());
    Some(fields)
}

/// The lengths of the library's walks.
const WALKS: [usize; 12] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/// The lengths of the walks that take all steps concurrently.
const CONCURRENT_WALKS: [usize; 4] = [2, 4, 8, 16];

/// The length of the longest walk. More steps need several walks.
const LONGEST: usize = 64;
