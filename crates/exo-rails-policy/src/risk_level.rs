//! Levels of risk.

use serde::{Deserialize, Serialize};

use crate::Severity;

/// How risky a text is, in the words of content filters.
///
/// ```
/// use exo_rails_policy::Severity;
/// use exo_rails_policy::content::RiskLevel;
///
/// assert!(RiskLevel::Safe < RiskLevel::Low && RiskLevel::High < RiskLevel::Critical);
/// assert_eq!(Severity::from(RiskLevel::Safe), Severity::Info);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    /// A fact without risk.
    Safe,
    /// A small risk.
    Low,
    /// A risk that a person should know.
    Medium,
    /// Harm is likely.
    High,
    /// Harm is certain.
    Critical,
}

/// [`Safe`](RiskLevel::Safe) is [`Info`](Severity::Info). The others have the same names.
impl From<RiskLevel> for Severity {
    fn from(level: RiskLevel) -> Self {
        match level {
            RiskLevel::Safe => Self::Info,
            RiskLevel::Low => Self::Low,
            RiskLevel::Medium => Self::Medium,
            RiskLevel::High => Self::High,
            RiskLevel::Critical => Self::Critical,
        }
    }
}
