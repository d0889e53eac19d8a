//! Writes the changes of a rail into the arguments that the model has written.
//!
//! A type does not know the fields that it ignores or the aliases of its fields, and serde does not report them. So
//! this module tries several ways to write a change. It takes the first one that the tool reads as the rail has left
//! the arguments.

use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The greatest number of times that the arguments are read to find aliases and ignored fields. The limit is needed
/// because a model can write any number of names.
const MOST_READINGS: usize = 100;

/// A change of the arguments `T`.
pub(super) struct Change<'a, T> {
    /// The arguments as the model has written them.
    original: &'a Value,
    /// The arguments as the type writes them, before and after the change.
    before: &'a Value,
    after: &'a Value,
    /// The number of readings that are left.
    readings: usize,
    args: PhantomData<fn(T)>,
}

/// A field that the model has written under another name.
struct Alias {
    /// The object with the field, as a JSON pointer of names that the type writes.
    object: String,
    field: String,
    written: String,
}

impl<'a, T: Serialize + DeserializeOwned> Change<'a, T> {
    pub(super) const fn new(original: &'a Value, before: &'a Value, after: &'a Value) -> Self {
        Self { original, before, after, readings: MOST_READINGS, args: PhantomData }
    }

    /// Returns the changed arguments, or `None` if the type does not read the arguments that it writes.
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

    /// Returns the original with the names that the type writes, wherever something has changed, and the aliases that
    /// were replaced.
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

    /// Returns the alias of a field in an object, and the arguments with the field's own name instead. Returns `None`
    /// if the model has not used an alias.
    ///
    /// Two readings find an alias. If the field is added under its own name too, it appears twice, which serde rejects.
    /// If the alias is renamed, the type reads the same arguments as before.
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

    /// Returns the arguments as the type writes them, plus the ignored fields of the original that do not change the
    /// result.
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

    /// Reads the arguments if a reading is left.
    fn read(&mut self, reads: impl FnOnce() -> bool) -> Option<bool> {
        self.readings = self.readings.checked_sub(1)?;
        Some(reads())
    }
}

impl Alias {
    /// Gives a field the name that the model has used. Does nothing if the rail has removed the field.
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

/// Returns the arguments with a change in one object.
fn edited(arguments: &Value, place: &str, edit: impl FnOnce(&mut Map<String, Value>)) -> Option<Value> {
    let mut edited = arguments.clone();
    edit(edited.pointer_mut(place)?.as_object_mut()?);
    Some(edited)
}

/// Returns the JSON pointer (RFC 6901) to a name inside another pointer.
fn inside(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Returns whether the type reads these arguments as the value that it wrote as `written`.
fn reads_as<T: Serialize + DeserializeOwned>(arguments: &Value, written: &Value) -> bool {
    let again = T::deserialize(arguments).and_then(serde_json::to_value);
    again.is_ok_and(|again| in_order(again) == in_order(written.clone()))
}

/// Sorts all lists, because a set is written in a different order each time.
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

/// Applies the changes from `before` to `after` to `place`. `place` may lack values of `before`, which are defaults,
/// and may have fields that the type does not know.
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
            // The model left the field out, so its default cannot be changed in part. The whole field is added.
            _ => drop(place.insert(name.clone(), new.clone())),
        }
    }
}

/// Returns the items of a list after a change. An item that was there before stays as the model has written it, even at
/// another place. If the length is the same, a new item at the place of a removed item counts as a change of the
/// removed item.
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
        // A set may have another order than the model's list, so the place may hold another item. Only objects and
        // lists are kept as written.
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
