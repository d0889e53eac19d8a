//! How what a rail has changed in the arguments of a call comes into what the model has written.
//!
//! A type knows neither what it ignores nor the aliases of its fields, and serde does not tell. So each way to write a change is
//! tried: the first one that the tool reads as the rail has left it is taken.

use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;

use serde_json::{Map, Value};

use crate::operation::tool::tool_args::ToolArgs;

/// How many times the arguments are read to find names and what may stay. A model can write any number of names.
const MOST_READINGS: usize = 100;

/// A change of the arguments `T`.
pub(super) struct Change<'a, T> {
    /// As the model has written them.
    original: &'a Value,
    /// As the type writes them, before the change and after it.
    before: &'a Value,
    after: &'a Value,
    /// How many readings are left.
    readings: usize,
    args: PhantomData<fn(T)>,
}

/// A field that the model has written under another name.
struct Alias {
    /// The object that it is in, as a JSON pointer of names that the type writes.
    object: String,
    field: String,
    written: String,
}

impl<'a, T: ToolArgs> Change<'a, T> {
    pub(super) const fn new(original: &'a Value, before: &'a Value, after: &'a Value) -> Self {
        Self { original, before, after, readings: MOST_READINGS, args: PhantomData }
    }

    /// The arguments with the change; `None` when the type does not read what it writes.
    pub(super) fn written(mut self) -> Option<Value> {
        let merged = self.merged(self.original);
        if reads_as::<T>(&merged, self.after) {
            return Some(merged);
        }
        let (renamed, aliases) = self.without_aliases();
        let mut merged = self.merged(&renamed);
        aliases.iter().rev().for_each(|alias| alias.restore(&mut merged));
        if !aliases.is_empty() && reads_as::<T>(&merged, self.after) {
            return Some(merged);
        }
        reads_as::<T>(self.after, self.after).then(|| self.with_what_may_stay())
    }

    fn merged(&self, original: &Value) -> Value {
        let mut merged = original.clone();
        merge(&mut merged, self.before, self.after);
        merged
    }

    /// The original with the names that the type writes, where something is changed, and the names that it had.
    fn without_aliases(&mut self) -> (Value, Vec<Alias>) {
        let (mut renamed, mut aliases) = (self.original.clone(), Vec::new());
        self.rename(&mut renamed, &mut aliases, "", self.before, self.after);
        (renamed, aliases)
    }

    fn rename(&mut self, renamed: &mut Value, aliases: &mut Vec<Alias>, place: &str, before: &Value, after: &Value) {
        match (before, after) {
            (Value::Object(before), Value::Object(after)) => {
                let added = after.iter().filter(|(field, _)| !before.contains_key(*field));
                for (field, value) in before.iter().chain(added) {
                    let changed = after.get(field);
                    if changed == before.get(field) {
                        continue;
                    }
                    if let Some((alias, found)) = self.alias(renamed, place, (field, value), before) {
                        *renamed = found;
                        aliases.push(alias);
                    }
                    if let Some(changed) = changed {
                        self.rename(renamed, aliases, &inside(place, field), value, changed);
                    }
                }
            }
            (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
                for (i, (before, after)) in before.iter().zip(after).enumerate().filter(|(_, (old, new))| old != new) {
                    self.rename(renamed, aliases, &inside(place, &i.to_string()), before, after);
                }
            }
            _ => {}
        }
    }

    /// The name that a field has in an object, when it is not its own, and the arguments with its own.
    ///
    /// Under its own name beside the other, the field would be there twice, which is an error. Under its own name alone, the
    /// arguments are what they were.
    fn alias(
        &mut self,
        arguments: &Value,
        place: &str,
        (field, value): (&String, &Value),
        known: &Map<String, Value>,
    ) -> Option<(Alias, Value)> {
        let object = arguments.pointer(place)?.as_object().filter(|object| !object.contains_key(field))?;
        let twice = edited(arguments, place, |object| _ = object.insert(field.clone(), value.clone()))?;
        if self.read(|| T::deserialize(&twice).is_ok())? {
            return None;
        }
        let mut names = object.keys().filter(|name| !known.contains_key(*name));
        names.find_map(|written| {
            let alias = Alias { object: place.to_owned(), field: field.clone(), written: written.clone() };
            let renamed = edited(arguments, place, |object| rename(object, written, field))?;
            let before = self.before;
            self.read(|| reads_as::<T>(&renamed, before))?.then_some((alias, renamed))
        })
    }

    /// As the type writes them, with what it has ignored of the original where that changes nothing.
    fn with_what_may_stay(&mut self) -> Value {
        let mut written = self.after.clone();
        let (Some(original), Some(before)) = (self.original.as_object(), self.before.as_object()) else {
            return written;
        };
        let unknown = original.iter().filter(|(name, _)| !before.contains_key(*name));
        for (name, value) in unknown {
            let added = edited(&written, "", |object| _ = object.entry(name).or_insert_with(|| value.clone()));
            let Some(added) = added else { break };
            match self.read(|| reads_as::<T>(&added, self.after)) {
                Some(true) => written = added,
                Some(false) => {}
                None => break,
            }
        }
        written
    }

    /// One of the readings that are left.
    fn read(&mut self, reads: impl FnOnce() -> bool) -> Option<bool> {
        self.readings = self.readings.checked_sub(1)?;
        Some(reads())
    }
}

impl Alias {
    /// Gives the field the name that the model has for it. A field that is gone has none.
    fn restore(&self, arguments: &mut Value) {
        if let Some(Value::Object(object)) = arguments.pointer_mut(&self.object) {
            rename(object, &self.field, &self.written);
        }
    }
}

fn rename(object: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = object.remove(from) {
        object.insert(to.to_owned(), value);
    }
}

/// The arguments with a change of one object.
fn edited(arguments: &Value, place: &str, edit: impl FnOnce(&mut Map<String, Value>)) -> Option<Value> {
    let mut edited = arguments.clone();
    edit(edited.pointer_mut(place)?.as_object_mut()?);
    Some(edited)
}

/// A JSON pointer to what is inside another: RFC 6901.
fn inside(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Whether arguments are read as those that were written like this.
fn reads_as<T: ToolArgs>(arguments: &Value, written: &Value) -> bool {
    let again = T::deserialize(arguments).and_then(serde_json::to_value);
    again.is_ok_and(|again| in_order(again) == in_order(written.clone()))
}

/// The same with its lists sorted: a set is written in another order each time.
fn in_order(value: Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut items: Vec<_> = items.into_iter().map(in_order).collect();
            items.sort_by_cached_key(Value::to_string);
            Value::Array(items)
        }
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, in_order(value))).collect(),
        other => other,
    }
}

/// Makes the changes from `before` to `after` in `place`, which may have less than `before` (defaults) and more (what
/// the type does not know).
fn merge(place: &mut Value, before: &Value, after: &Value) {
    match (&mut *place, before, after) {
        (Value::Object(place), Value::Object(before), Value::Object(after)) => merge_fields(place, before, after),
        (Value::Array(items), Value::Array(before), Value::Array(after)) if items.len() == before.len() => {
            *items = merged_items(items, before, after);
        }
        _ => place.clone_from(after),
    }
}

fn merge_fields(place: &mut Map<String, Value>, before: &Map<String, Value>, after: &Map<String, Value>) {
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        place.remove(name);
    }
    for (name, new) in after.iter().filter(|(name, new)| before.get(*name) != Some(new)) {
        match (place.get_mut(name), before.get(name)) {
            (Some(place), Some(old)) => merge(place, old, new),
            // A part of a default is no value: what was left out is written as a whole.
            _ => drop(place.insert(name.clone(), new.clone())),
        }
    }
}

/// The items of a list after a change. One that was there before stays as the model has written it, also at another place. In
/// a list of the same length, one at the place of an item that is gone is that item, changed.
fn merged_items(written: &[Value], before: &[Value], after: &[Value]) -> Vec<Value> {
    let stays = |i: usize| before.get(i) == after.get(i);
    let mut moved: HashMap<String, Vec<usize>> = HashMap::new();
    for (i, item) in before.iter().enumerate().rev().filter(|(i, _)| !stays(*i)) {
        moved.entry(item.to_string()).or_default().push(i);
    }
    let find = |(i, item): (usize, &Value)| if stays(i) { Some(i) } else { moved.get_mut(&item.to_string())?.pop() };
    let found: Vec<_> = after.iter().enumerate().map(find).collect();
    let taken: HashSet<_> = found.iter().flatten().copied().collect();
    let item = |(i, (new, found)): (usize, (&Value, Option<usize>))| match found {
        // In a set, the places are not those of what the model has written: what has no parts is written anew.
        Some(found) if written[found].is_object() || written[found].is_array() => written[found].clone(),
        None if before.len() == after.len() && !taken.contains(&i) => {
            let mut merged = written[i].clone();
            merge(&mut merged, &before[i], new);
            merged
        }
        _ => new.clone(),
    };
    after.iter().zip(found).enumerate().map(item).collect()
}
