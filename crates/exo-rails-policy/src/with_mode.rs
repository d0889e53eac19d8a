//! The configuration of a guard with its mode.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::StringDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

/// The key of the mode.
const MODE: &str = "mode";

/// Whether a guard acts on its decisions.
///
/// ```
/// use exo_rails_policy::GuardMode;
///
/// assert_eq!(GuardMode::Enforce.weaker(GuardMode::Shadow), GuardMode::Shadow);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GuardMode {
    /// The guard acts on its decisions.
    #[default]
    Enforce,
    /// The guard decides, and the library only reports its decisions.
    Shadow,
    /// The guard does not run.
    Off,
}

impl GuardMode {
    /// Returns the mode that does less.
    #[must_use]
    pub const fn weaker(self, other: Self) -> Self {
        match (self, other) {
            (Self::Off, _) | (_, Self::Off) => Self::Off,
            (Self::Shadow, _) | (_, Self::Shadow) => Self::Shadow,
            (Self::Enforce, Self::Enforce) => Self::Enforce,
        }
    }
}

/// The configuration of a guard, with a [`GuardMode`].
///
/// In a file, the mode is the key `mode` beside the keys of the guard. Its values are `enforce`, which is the default, `shadow`
/// and `off`.
///
/// ```
/// use exo_rails_policy::sizes::SizesConfig;
/// use exo_rails_policy::{GuardMode, WithMode, from_toml};
///
/// let sizes: WithMode<SizesConfig> = from_toml("mode = 'shadow'\nmax_depth = 8")?;
/// assert_eq!((sizes.mode, sizes.config.max_depth), (GuardMode::Shadow, 8));
///
/// let error = from_toml::<WithMode<SizesConfig>>("mod = 'shadow'").unwrap_err();
/// assert_eq!(error.to_string(), "line 1, column 1: unknown key `mod`: did you mean `mode`?");
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WithMode<C> {
    /// Whether the guard acts on its decisions, only reports them, or does not run.
    pub mode: GuardMode,
    /// The configuration of the guard.
    #[serde(flatten)]
    pub config: C,
}

/// Uses the mode `enforce`.
impl<C> From<C> for WithMode<C> {
    fn from(config: C) -> Self {
        Self { mode: GuardMode::Enforce, config }
    }
}

// Not `#[serde(flatten)]`: with it, unknown keys are accepted, and errors have no place.
impl<'de, C: Deserialize<'de>> Deserialize<'de> for WithMode<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(TableVisitor(PhantomData))
    }
}

struct TableVisitor<C>(PhantomData<C>);

impl<'de, C: Deserialize<'de>> Visitor<'de> for TableVisitor<C> {
    type Value = WithMode<C>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<WithMode<C>, A::Error> {
        let mut mode = None;
        let config = C::deserialize(serde::de::value::MapAccessDeserializer::new(Table { table, mode: &mut mode }))?;
        Ok(WithMode { mode: mode.unwrap_or_default(), config })
    }
}

/// The entries of a table, without the mode.
struct Table<'m, A> {
    table: A,
    mode: &'m mut Option<GuardMode>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Table<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let mut seed = Some(seed);
        loop {
            match self.table.next_key_seed(Key(&mut seed))? {
                None => return Ok(None),
                Some(Some(key)) => return Ok(Some(key)),
                Some(None) if self.mode.is_some() => return Err(A::Error::duplicate_field(MODE)),
                Some(None) => *self.mode = Some(self.table.next_value()?),
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.table.next_value_seed(seed)
    }
}

/// Reads a key. The value `None` means the key `mode`. The seed of the configuration reads the other keys inside the format's
/// own call, so that an error has a place.
struct Key<'s, K>(&'s mut Option<K>);

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for Key<'_, K> {
    type Value = Option<K::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let key = String::deserialize(deserializer)?;
        if key == MODE {
            return Ok(None);
        }
        let Some(seed) = self.0.take() else { return Err(D::Error::custom("a key is read once")) };
        let key: StringDeserializer<D::Error> = key.into_deserializer();
        seed.deserialize(key).map(Some).map_err(|error| {
            let error = error.to_string();
            // The type of the configuration does not know this key.
            if error.starts_with("unknown field") {
                D::Error::custom(format_args!("{error}, `{MODE}`"))
            } else {
                D::Error::custom(error)
            }
        })
    }
}
