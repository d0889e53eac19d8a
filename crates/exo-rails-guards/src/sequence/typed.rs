//! What `sequence_rules!` writes: rules whose names the compiler has checked.

use std::marker::PhantomData;

use exo_rails::{ToolArgs, ToolFor};
use exo_rails_policy::Decimal;
use exo_rails_sequence::grammar::Demand;
use exo_rails_sequence::text::parse;
use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};
use serde::forward_to_deserialize_any;

use super::SequenceRule;

/// A tool of a set.
#[derive(Debug)]
pub struct TypedTool<A>(PhantomData<fn(A)>);

/// A field of the arguments of a tool, or a field inside of one.
#[derive(Debug)]
pub struct TypedField<F> {
    name: FieldName,
    field: PhantomData<fn(F)>,
}

/// The name of a field in JSON, after the names of the fields around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldName {
    path: Vec<&'static str>,
    problem: Option<String>,
}

/// Returns the tool in a field of a set.
#[must_use]
pub const fn tool<S, A: ToolArgs>(_: fn(&S) -> &ToolFor<A>) -> TypedTool<A> {
    TypedTool(PhantomData)
}

impl<A: ToolArgs> TypedTool<A> {
    /// Returns the name by which the model calls the tool.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        A::NAME
    }

    /// Returns a field of the arguments. `name` is its name in Rust.
    #[must_use]
    pub fn field<F>(&self, name: &'static str, _: fn(&A) -> &F) -> TypedField<F> {
        let renamed = A::RENAMED.iter().find(|(of_field, _)| *of_field == name);
        let name = renamed.map_or(name, |(_, in_json)| in_json);
        let none = "a field of the rule has no name in JSON, because serde flattens or skips it: compare another one";
        let problem = name.is_empty().then(|| none.to_owned());
        TypedField { name: FieldName { path: vec![name], problem }, field: PhantomData }
    }

    /// Returns the name of a field with an amount.
    #[must_use]
    pub fn amount<F: Amount>(&self, name: &'static str, field: fn(&A) -> &F) -> FieldName {
        self.field(name, field).name()
    }
}

impl<F> TypedField<F> {
    /// Returns the name of the field.
    #[must_use]
    pub fn name(&self) -> FieldName {
        self.name.clone()
    }
}

impl<F: Around> TypedField<F> {
    /// Returns a field inside of this one. `name` is its name in Rust.
    #[must_use]
    pub fn inner<G>(self, name: &'static str, _: fn(&F) -> &G) -> TypedField<G> {
        let Self { name: FieldName { mut path, mut problem }, .. } = self;
        path.push(name);
        let is_known = F::names().is_none_or(|names| names.contains(&name));
        if !is_known && problem.is_none() {
            let rust = path.join(".");
            problem = Some(format!(
                "`{rust}` has another name in JSON, or none: write the rule as a text, with the name that `serde` gives the field"
            ));
        }
        TypedField { name: FieldName { path, problem }, field: PhantomData }
    }

    /// Returns the name of a field inside of this one, with an amount.
    #[must_use]
    pub fn inner_amount<G: Amount>(self, name: &'static str, field: fn(&F) -> &G) -> FieldName {
        self.inner(name, field).name()
    }
}

/// Returns the name of a field that has the type of another one.
#[must_use]
#[expect(clippy::needless_pass_by_value, reason = "the macro then writes fewer tokens")]
pub fn same<F, G: SameAs<F>>(_: &TypedField<F>, other: TypedField<G>) -> FieldName {
    other.name()
}

impl FieldName {
    /// Returns the name as a rule has it.
    fn text(&self) -> String {
        if self.path.iter().any(|name| name.contains(['/', '~', '.'])) {
            let escaped: Vec<_> = self.path.iter().map(|name| name.replace('~', "~0").replace('/', "~1")).collect();
            return format!("/{}", escaped.join("/"));
        }
        self.path.join(".")
    }
}

/// A type whose fields a rule can name: all that serde reads.
#[diagnostic::on_unimplemented(
    message = "a rule names a field of `{Self}`, and serde does not read it from JSON",
    label = "the type of this field has no `Deserialize`",
    note = "derive `serde::Deserialize` for it, or write the rule as a text"
)]
pub trait Around {
    /// Returns the names of the fields in JSON. `None` if the type does not say them.
    fn names() -> Option<&'static [&'static str]>;
}

#[diagnostic::do_not_recommend]
impl<F: DeserializeOwned> Around for F {
    fn names() -> Option<&'static [&'static str]> {
        let mut names = None;
        // It fails, because there is nothing to read.
        drop(F::deserialize(FieldNames(&mut names)));
        names
    }
}

/// Learns the names of the fields of a type, which a derived `Deserialize` passes on.
struct FieldNames<'n>(&'n mut Option<&'static [&'static str]>);

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(Self::Error::custom("there is nothing to read"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        *self.0 = Some(fields);
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}

/// The types of two fields that a rule with `same` can compare: a type and itself, or a type and its `Option`.
#[diagnostic::on_unimplemented(
    message = "`same` compares fields of one type, and these are `{F}` and `{Self}`",
    label = "the types of this field differ",
    note = "give both fields the same type, or compare other fields: `same order_id as id`"
)]
pub trait SameAs<F> {}

#[diagnostic::do_not_recommend]
impl<F> SameAs<F> for F {}
#[diagnostic::do_not_recommend]
impl<F> SameAs<Option<F>> for F {}
#[diagnostic::do_not_recommend]
impl<F> SameAs<F> for Option<F> {}

/// The types of fields that a rule with `sum of` can add: integers, floats, [`Decimal`], and an `Option` of them.
///
/// Implement it for a type of yours whose JSON is a number, or a text with a decimal number such as `"12.50"`.
///
/// ```
/// use exo_rails_guards::sequence::Amount;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Euros(u64);
///
/// impl Amount for Euros {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`sum of` adds numbers, and the field is a `{Self}`",
    label = "not a number",
    note = "name a field with an integer, a float or an `exo_rails_guards::budgets::Decimal`"
)]
pub trait Amount {}

macro_rules! amounts {
    ($($type:ty),+) => { $(impl Amount for $type {})+ };
}

amounts!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64, Decimal);

impl<A: Amount> Amount for Option<A> {}

/// A rule with the names of its tools and fields in JSON.
#[derive(Debug)]
pub struct TypedRule(SequenceRule);

impl TypedRule {
    /// Makes a rule. The macro has parsed its text with the same grammar. `tools` has the name of each tool.
    #[must_use]
    pub fn new(text: &str, tools: &[&str]) -> Self {
        let mut rule = match parse(text) {
            Ok(rule) => rule,
            Err(mistake) => unreachable!("the macro has read `{text}`: {}", mistake.message),
        };
        let mut tools = tools.iter();
        rule.for_each_name(&mut |name, is_tool| {
            if let Some(tool) = is_tool.then(|| tools.next()).flatten() {
                (*tool).clone_into(&mut name.text);
            }
        });
        Self(SequenceRule::of(rule))
    }

    /// Sets the names of the field with the amount, for each tool.
    #[must_use]
    pub fn sum(mut self, names: &[FieldName]) -> Self {
        let name = self.one_name(names);
        if let Demand::Sum { field, .. } = &mut self.0.rule.demand {
            field.text = name.unwrap_or_default();
        }
        self
    }

    /// Sets the names of a field that must be the same: for each tool that the rule may refuse, and for each other tool.
    #[must_use]
    pub fn same(mut self, place: usize, checked: &[FieldName], others: &[FieldName]) -> Self {
        let (checked, others) = (self.one_name(checked), self.one_name(others));
        if let (Some(same), Some(name)) = (self.0.rule.same.get_mut(place), checked) {
            same.other = others.filter(|other| *other != name).map(|other| other.as_str().into());
            same.field.text = name;
        }
        self
    }

    /// Returns the name that a field has in the JSON of all tools.
    fn one_name(&mut self, names: &[FieldName]) -> Option<String> {
        let name = names.first()?;
        if let Some(problem) = names.iter().find_map(|name| name.problem.clone()) {
            self.0.problem = Some(problem);
        } else if let Some(other) = names.iter().find(|other| *other != name) {
            self.0.problem = Some(format!(
                "`{}` and `{}` are names of one field in the JSON of several tools: write a rule for each tool",
                name.text(),
                other.text()
            ));
        }
        Some(name.text())
    }

    /// Returns the rule.
    #[must_use]
    pub fn rule(self) -> SequenceRule {
        self.0
    }
}
