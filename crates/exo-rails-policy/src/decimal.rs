//! Exact decimals.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::ConfigError;

/// The digits after the point.
const DIGITS: usize = 9;

/// 10 to the power of [`DIGITS`].
const ONE: u128 = 1_000_000_000;

/// The largest whole part of a text.
const LARGEST: u128 = 1 << 53;

/// The number of tokens to which a price applies.
const MILLION: u128 = 1_000_000;

/// A decimal number that is not negative, for costs and prices. It has up to 9 digits after the point. The number is exact,
/// because it is stored as an integer of billionths.
///
/// In a configuration, write a number or a text, such as `0.1` or `"0.1"`. Both are exactly one tenth.
///
/// ```
/// use exo_rails_policy::Decimal;
///
/// let price: Decimal = "2.50".parse()?;
/// assert_eq!(price.to_string(), "2.5");
/// assert_eq!(Decimal::from(3).to_string(), "3");
/// assert_eq!(
///     "1,5".parse::<Decimal>().unwrap_err().to_string(),
///     "`1,5` is not an amount: write a number such as `2.50`, with at most 9 digits after the point",
/// );
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal {
    billionths: u128,
}

impl Decimal {
    /// Returns whether the number is zero.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.billionths == 0
    }

    /// Returns the sum, or the largest number.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self { billionths: self.billionths.saturating_add(other.billionths) }
    }

    /// Reads a number with any number of digits after the point. A part of a billionth is rounded up.
    #[must_use]
    pub fn rounded_up(text: &str) -> Option<Self> {
        let Some((whole, part)) = text.split_once('.').filter(|(_, part)| part.len() > DIGITS) else {
            return text.parse().ok();
        };
        let (kept, rest) = part.split_at_checked(DIGITS)?;
        let exact: Self = format!("{whole}.{kept}").parse().ok()?;
        let is_rest = rest.bytes().all(|byte| byte.is_ascii_digit());
        let up = u128::from(rest.bytes().any(|byte| byte != b'0'));
        is_rest.then(|| exact.saturating_add(Self { billionths: up }))
    }

    /// Returns the number if it is whole.
    #[must_use]
    pub fn whole(self) -> Option<u64> {
        let is_whole = self.billionths.is_multiple_of(ONE);
        is_whole.then(|| u64::try_from(self.billionths / ONE).unwrap_or(u64::MAX))
    }

    /// Returns the number in billionths.
    #[must_use]
    pub fn billionths(self) -> u64 {
        u64::try_from(self.billionths).unwrap_or(u64::MAX)
    }

    /// Makes a number from billionths.
    #[must_use]
    pub const fn of_billionths(billionths: u64) -> Self {
        Self { billionths: billionths as u128 }
    }

    /// Returns the cost of several numbers of tokens, in billionths of the currency. Each number has the price of a million
    /// tokens. A part of a billionth is rounded up.
    ///
    /// ```
    /// use exo_rails_policy::Decimal;
    ///
    /// let price: Decimal = "2.50".parse()?;
    /// assert_eq!(Decimal::cost([(2_000_000, price)]), 5_000_000_000);
    /// # Ok::<(), exo_rails_policy::ConfigError>(())
    /// ```
    pub fn cost(tokens: impl IntoIterator<Item = (u64, Self)>) -> u64 {
        let cost_of = |(tokens, price): (u64, Self)| price.billionths.saturating_mul(tokens.into());
        let sum = tokens.into_iter().map(cost_of).fold(0, u128::saturating_add);
        u64::try_from(sum.div_ceil(MILLION)).unwrap_or(u64::MAX)
    }
}

impl From<u64> for Decimal {
    fn from(whole: u64) -> Self {
        Self { billionths: u128::from(whole) * ONE }
    }
}

impl FromStr for Decimal {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let wrong = || {
            let form = "write a number such as `2.50`, with at most 9 digits after the point";
            ConfigError::new(format!("`{text}` is not an amount: {form}"))
        };
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(whole) || !is_digits(part) || part.len() > DIGITS {
            return Err(wrong());
        }
        let whole = whole
            .parse::<u128>()
            .ok()
            .filter(|whole| *whole < LARGEST)
            .ok_or_else(|| ConfigError::new(format!("`{text}` is too large: write an amount below {LARGEST}")))?;
        let part: u128 = format!("{part:0<DIGITS$}").parse().map_err(|_| wrong())?;
        Ok(Self { billionths: whole * ONE + part })
    }
}

impl TryFrom<&str> for Decimal {
    type Error = ConfigError;

    fn try_from(text: &str) -> Result<Self, ConfigError> {
        text.parse()
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.billionths / ONE, self.billionths % ONE);
        if part == 0 {
            return write!(f, "{whole}");
        }
        let part = format!("{part:0DIGITS$}");
        write!(f, "{whole}.{}", part.trim_end_matches('0'))
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DecimalVisitor)
    }
}

struct DecimalVisitor;

impl Visitor<'_> for DecimalVisitor {
    type Value = Decimal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number such as `2.50`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Decimal, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Decimal, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Decimal, E> {
        self.visit_str(&number.to_string())
    }

    // The shortest text that is this number is the text in the file, up to 15 digits.
    fn visit_f64<E: Error>(self, number: f64) -> Result<Decimal, E> {
        let text = number.to_string();
        if text.len() > 16 {
            return Err(E::custom(format_args!(
                "`{text}` has too many digits to be exact: write it as a text, in quotes"
            )));
        }
        self.visit_str(&text)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;

    #[test]
    fn texts_and_numbers_are_exact() {
        for (text, billionths, shown) in [
            ("0", 0, "0"),
            ("2.50", 2_500_000_000, "2.5"),
            ("0.075", 75_000_000, "0.075"),
            ("0.000000001", 1, "0.000000001"),
            ("007", 7_000_000_000, "7"),
            ("9007199254740991.999999999", 9_007_199_254_740_991_999_999_999, "9007199254740991.999999999"),
        ] {
            let decimal: Decimal = text.parse().unwrap();
            assert_eq!((decimal.billionths, decimal.to_string().as_str()), (billionths, shown), "{text}");
        }
        for (number, shown) in [(0.1, "0.1"), (2.5, "2.5"), (0.075, "0.075"), (1e3, "1000"), (1e-9, "0.000000001")] {
            let decimal: Decimal = serde_json::from_value(serde_json::json!(number)).unwrap();
            assert_eq!(decimal.to_string(), shown);
        }
        for text in ["", ".", "1.", ".5", "-1", "+1", "1,5", "1e3", "0.0000000001", "9007199254740992", "٣", "inf"] {
            assert!(text.parse::<Decimal>().is_err(), "{text}");
        }
    }

    #[test]
    fn costs_are_exact_and_rounded_up_once() {
        let decimal = |text: &str| text.parse::<Decimal>().unwrap();
        for (tokens, price, billionths) in [
            (0, "2.5", 0),
            (1, "2.5", 2_500),
            (3, "0.1", 300),
            (1_000_000, "0.1", 100_000_000),
            // A third of a billionth is a billionth.
            (1, "0.0003", 1),
            (10, "0.0003", 3),
            (u64::MAX, "9007199254740991", u64::MAX),
        ] {
            assert_eq!(Decimal::cost([(tokens, decimal(price))]), billionths, "{tokens} at {price}");
        }
        assert_eq!(Decimal::cost([(1, decimal("0.0003")), (1, decimal("0.0003"))]), 1);
    }
}
