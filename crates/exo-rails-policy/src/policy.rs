//! A policy: a table for each guard.

use serde::{Deserialize, Serialize};

use crate::approval::ApprovalConfig;
use crate::audit::AuditConfig;
use crate::budgets::BudgetsConfig;
use crate::capability_gap::CapabilityGapConfig;
use crate::circuit_breaker::CircuitBreakerConfig;
use crate::concurrency::ConcurrencyConfig;
use crate::content::ContentConfig;
use crate::data_flow::DataFlowConfig;
use crate::fallback::FallbackConfig;
use crate::hook_handlers::HookHandlersConfig;
use crate::injection::InjectionConfig;
use crate::list::one_or_many_tables;
use crate::loops::LoopsConfig;
use crate::paths::PathSandboxConfig;
use crate::permissions::PermissionsConfig;
use crate::personal_data::PersonalDataConfig;
use crate::rate_limits::RateLimitsConfig;
use crate::repetition::RepetitionConfig;
use crate::retry::RetryConfig;
use crate::risk::RiskConfig;
use crate::secrets::SecretsConfig;
use crate::sequence::SequenceConfig;
use crate::sizes::SizesConfig;
use crate::structure::StructureConfig;
use crate::structured_answer::StructuredAnswerConfig;
use crate::timeouts::TimeoutsConfig;
use crate::tool_schemas::ToolSchemasConfig;
use crate::urls::UrlGuardConfig;
use crate::{GuardMode, WithMode};

/// The configuration of a `Kit`: a table for each guard.
///
/// Each table has the keys of its guard and the key `mode`: see [`WithMode`]. If a table is missing, the kit does not have the
/// guard.
///
/// ```
/// use exo_rails_policy::{GuardMode, PolicyConfig, from_toml};
///
/// let config: PolicyConfig = from_toml("[structure]\n\n[risk]\nmode = 'shadow'\n")?;
/// assert_eq!(config.structure.map(|structure| structure.mode), Some(GuardMode::Enforce));
/// assert_eq!(config.risk.map(|risk| risk.mode), Some(GuardMode::Shadow));
/// assert!(config.permissions.is_none());
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct PolicyConfig {
    /// The mode of the whole kit. The default is `enforce`. If the table of a guard has another mode, the weaker mode applies:
    /// `off` is weaker than `shadow`, and `shadow` is weaker than `enforce`.
    pub mode: GuardMode,
    /// The configuration of `Audit`, which has no mode. An audit is around the kit, so
    /// `KitBuilder::audited_from_file` makes both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<AuditConfig>,
    /// The configuration of `Sizes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<WithMode<SizesConfig>>,
    /// The configuration of `CapabilityGap`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability_gap: Option<WithMode<CapabilityGapConfig>>,
    /// The configuration of `Secrets`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secrets: Option<WithMode<SecretsConfig>>,
    /// The configuration of `PersonalData`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub personal_data: Option<WithMode<PersonalDataConfig>>,
    /// The configurations of `HookHandlers`: one table `[hook_handlers]`, or several tables
    /// `[[hook_handlers]]` with different modes.
    #[serde(deserialize_with = "one_or_many_tables", skip_serializing_if = "Vec::is_empty")]
    pub hook_handlers: Vec<WithMode<HookHandlersConfig>>,
    /// The configuration of `Permissions`. Its rules have the source
    /// [`Global`](crate::permissions::Source::Global).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<WithMode<PermissionsConfig>>,
    /// The configuration of `ContentFilter`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<WithMode<ContentConfig>>,
    /// The configuration of `Injection`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub injection: Option<WithMode<InjectionConfig>>,
    /// The configuration of `Structure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structure: Option<WithMode<StructureConfig>>,
    /// The configuration of `PathSandbox`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<WithMode<PathSandboxConfig>>,
    /// The configuration of `UrlGuard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub urls: Option<WithMode<UrlGuardConfig>>,
    /// The configuration of `ToolSchemas`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_schemas: Option<WithMode<ToolSchemasConfig>>,
    /// The configuration of `StructuredAnswer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_answer: Option<WithMode<StructuredAnswerConfig>>,
    /// The configuration of `DataFlow`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_flow: Option<WithMode<DataFlowConfig>>,
    /// The configuration of `Loops`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loops: Option<WithMode<LoopsConfig>>,
    /// The configuration of `Repetition`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repetition: Option<WithMode<RepetitionConfig>>,
    /// The configuration of `RiskScore`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<WithMode<RiskConfig>>,
    /// The configuration of `Approval`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<WithMode<ApprovalConfig>>,
    /// The configurations of `RateLimits`: one table `[rate_limits]`, or several tables `[[rate_limits]]`
    /// with different modes. All limits must have different names.
    #[serde(deserialize_with = "one_or_many_tables", skip_serializing_if = "Vec::is_empty")]
    pub rate_limits: Vec<WithMode<RateLimitsConfig>>,
    /// The configuration of `Sequence`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<WithMode<SequenceConfig>>,
    /// The configurations of `Budgets`: one table `[budgets]`, or several tables `[[budgets]]` with different
    /// modes. All limits must have different names.
    #[serde(deserialize_with = "one_or_many_tables", skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<WithMode<BudgetsConfig>>,
    /// The configuration of `Retry`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<WithMode<RetryConfig>>,
    /// The configuration of the guard `Concurrency`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<WithMode<ConcurrencyConfig>>,
    /// The configuration of the guard `CircuitBreaker`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub circuit_breaker: Option<WithMode<CircuitBreakerConfig>>,
    /// The configuration of the guard `Timeouts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<WithMode<TimeoutsConfig>>,
    /// The configuration of the guard `Fallback`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<WithMode<FallbackConfig>>,
}
