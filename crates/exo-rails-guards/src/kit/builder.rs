//! Makes a kit from a configuration.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use exo_rails::{InMode, Mode};

use super::Kit;
use super::config::{FEATURES, KitConfig};
use crate::approval::{Ask, ChangedCalls, SuspendRun};
use crate::approval_guard::Approval;
use crate::arguments::check_tools;
#[cfg(feature = "audit")]
use crate::audit::{Audit, Audited};
use crate::budgets::Budgets;
use crate::config::{self, Sections, WithMode};
use crate::content::Content;
use crate::data_flow::DataFlow;
#[cfg(feature = "handlers")]
use crate::handlers::{HookHandlers, HookHandlersBuilder};
use crate::injection::Injection;
use crate::loops::Loops;
#[cfg(feature = "paths")]
use crate::paths::PathSandbox;
use crate::permissions::{PermissionsBuilder, Source};
use crate::personal_data::PersonalData;
use crate::rate_limits::RateLimits;
use crate::repetition::Repetition;
use crate::retry::Retry;
use crate::risk::RiskScore;
use crate::secrets::Secrets;
use crate::sequence::Sequence;
use crate::shape::{CapabilityGap, CapabilityGapConfig, Sizes, Structure};
#[cfg(feature = "schema")]
use crate::shape::{StructuredAnswer, ToolSchemas};
use crate::store::{GuardStore, StateStore};
#[cfg(feature = "urls")]
use crate::urls::{Resolver, SystemResolver, UrlGuard};
use crate::{ConfigError, ToolPattern};

/// Makes a [`Kit`] from a configuration and from values that a configuration file cannot hold.
///
/// One builder can make several kits, for example a new kit after each change of the file.
///
/// ```
/// use exo_rails_guards::Kit;
/// use exo_rails_guards::permissions::{PermissionRule, Permissions, Source};
///
/// let session = Permissions::builder().rule(Source::Session, PermissionRule::deny("deploy"));
/// let builder = Kit::builder().permissions(session).known_tools(["deploy", "search"]);
/// let kit = builder.from_toml("[permissions]\ndefault = 'allow'")?;
/// assert!(kit.permissions.is_some());
///
/// let error = builder.from_toml("[risk.tools.serach]\ndangerous = true").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 1, column 13: `risk`: `tools.serach`: unknown tool: did you mean `search`?",
/// );
/// # Ok::<(), exo_rails_guards::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing before `from_toml`, `from_file` or `build`"]
pub struct KitBuilder {
    asker: Arc<dyn Ask>,
    known_tools: Vec<String>,
    store: GuardStore,
    permissions: Option<PermissionsBuilder>,
    #[cfg(feature = "audit")]
    audit: Option<Audit>,
    #[cfg(feature = "handlers")]
    hook_handlers: HookHandlersBuilder,
    #[cfg(feature = "urls")]
    resolver: Arc<dyn Resolver>,
}

impl Default for KitBuilder {
    fn default() -> Self {
        Self {
            asker: Arc::new(SuspendRun),
            known_tools: Vec::new(),
            store: GuardStore::default(),
            permissions: None,
            #[cfg(feature = "audit")]
            audit: None,
            #[cfg(feature = "handlers")]
            hook_handlers: HookHandlers::builder(),
            #[cfg(feature = "urls")]
            resolver: Arc::new(SystemResolver),
        }
    }
}

impl KitBuilder {
    /// Sets how the guards ask people, such as a [`Desk`](crate::approval::Desk). Default: [`SuspendRun`].
    pub fn asker(mut self, asker: Arc<dyn Ask>) -> Self {
        self.asker = asker;
        self
    }

    /// Adds the names of your tools. A configuration that names another tool is then an error. Patterns such as `delete_*` are
    /// not checked. By default, no name is checked.
    pub fn known_tools<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.known_tools.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the store for the counts of [`RateLimits`], [`Sequence`] and [`Budgets`]. Default: a
    /// [`MemoryStore`](crate::store::MemoryStore) that all kits of this builder share. So a kit that replaces another one
    /// continues its counts.
    pub fn store(mut self, store: impl StateStore + 'static) -> Self {
        self.store = GuardStore::new(store);
        self
    }

    /// Adds rules in code, or configurations of other sources, to the permissions of the configuration. The kit then has the
    /// guard, even if the configuration has no table `permissions`. The `mode` of the table also applies to these rules.
    pub fn permissions(mut self, permissions: PermissionsBuilder) -> Self {
        self.permissions = Some(permissions);
        self
    }

    /// Sets the models, tools and rails that hook handlers need. A configuration refers to models and tools by their names.
    #[cfg(feature = "handlers")]
    #[cfg_attr(docsrs, doc(cfg(feature = "handlers")))]
    pub fn hook_handlers(mut self, hook_handlers: HookHandlersBuilder) -> Self {
        self.hook_handlers = hook_handlers;
        self
    }

    /// Sets how the guard of URLs finds the addresses of a host. Default: [`SystemResolver`].
    #[cfg(feature = "urls")]
    #[cfg_attr(docsrs, doc(cfg(feature = "urls")))]
    pub fn resolver(mut self, resolver: impl Resolver + 'static) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    /// Sets the audit that your program [wraps around](Audit::wrap) the kit. The methods that return a kit without a log, such
    /// as [`from_toml`](Self::from_toml), then accept a table `audit` with the configuration of this audit.
    ///
    /// Use this method if the program makes a new kit when the file changes, and the log stays the same:
    ///
    /// ```
    /// use exo_rails::{Reloadable, rail_chain};
    /// use exo_rails_guards::Kit;
    /// use exo_rails_guards::audit::Audit;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// rail_chain! { struct Rails { kit: Reloadable<Kit> } }
    ///
    /// let audit = Audit::to_sink(Audit::builder(), Vec::new())?;
    /// let builder = Kit::builder().audit(audit.clone());
    /// let kit = Reloadable::new(builder.from_toml("[sizes]")?);
    /// let rails = audit.wrap(Rails { kit: kit.clone() });
    /// kit.replace(builder.from_toml("[structure]")?);
    /// # drop(rails);
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "audit")]
    #[cfg_attr(docsrs, doc(cfg(feature = "audit")))]
    pub fn audit(mut self, audit: Audit) -> Self {
        self.audit = Some(audit);
        self
    }

    /// Makes a kit from a configuration in TOML, and an [`Audit`] around it from the table `audit`.
    ///
    /// ```
    /// use exo_rails_guards::{Kit, audit};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("audit.jsonl");
    /// # let text = format!("[sizes]\n[audit]\npath = '{}'", path.display());
    /// let rails = Kit::builder().audited_from_toml(&text)?;
    /// assert!(rails.rails().sizes.is_some());
    /// rails.audit().close().await?;
    /// assert!(audit::verify(&path)?.is_closed);
    ///
    /// // A kit alone has no log, so the table would have no effect.
    /// let error = Kit::from_toml(&text).unwrap_err();
    /// assert_eq!(error.message, "`audit`: the log goes around the kit: make both with `audited_from_toml` or `audited_from_file`");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Kit::from_toml`] and [`Audit::new`], and an error if there is no table `audit`.
    #[cfg(feature = "audit")]
    #[cfg_attr(docsrs, doc(cfg(feature = "audit")))]
    pub fn audited_from_toml(&self, text: &str) -> Result<Audited<Kit>, ConfigError> {
        self.read_audited(text, None)
    }

    /// Makes a kit from a configuration file in TOML, and an [`Audit`] around it from the table `audit`.
    ///
    /// # Errors
    /// Returns the errors of [`Kit::from_file`] and [`Audit::new`], and an error if there is no table `audit`.
    #[cfg(feature = "audit")]
    #[cfg_attr(docsrs, doc(cfg(feature = "audit")))]
    pub fn audited_from_file(&self, path: impl AsRef<Path>) -> Result<Audited<Kit>, ConfigError> {
        let path = path.as_ref();
        let text = config::read(path)?;
        self.read_audited(&text, Some(path)).map_err(|error| error.in_file(path))
    }

    #[cfg(feature = "audit")]
    fn read_audited(&self, text: &str, file: Option<&Path>) -> Result<Audited<Kit>, ConfigError> {
        let KitConfig { audit, .. } = config::from_toml(text)?;
        let audit = audit
            .ok_or_else(|| ConfigError::new("the table is missing: write `[audit]` with a `path`").in_key("audit"))?;
        let in_table = |error: ConfigError| Sections::of(text).locate("audit", 0, error.in_key("audit"));
        let audit = Audit::new(audit).map_err(in_table)?;
        let kit = self.clone().audit(audit.clone()).read(text, file)?;
        Ok(audit.wrap(kit))
    }

    /// Checks that the log of the configuration is around the kit.
    #[cfg(feature = "audit")]
    fn check_audit(&self, config: &KitConfig, sections: &Sections<'_>) -> Result<(), ConfigError> {
        let message = match (&config.audit, &self.audit) {
            (None, _) => return Ok(()),
            (Some(wanted), Some(audit)) if wanted == audit.config() => return Ok(()),
            (Some(_), Some(_)) => "the log cannot change while the program runs: start the program again",
            (Some(_), None) => "the log goes around the kit: make both with `audited_from_toml` or `audited_from_file`",
        };
        Err(sections.locate("audit", 0, ConfigError::new(message).in_key("audit")))
    }

    /// Makes a kit from a configuration in TOML.
    ///
    /// # Errors
    /// Returns the errors of [`Kit::from_toml`]. Returns an error if a table names a tool that is not one of the
    /// [known tools](Self::known_tools), or if there is a table `audit` and the builder has no audit.
    pub fn from_toml(&self, text: &str) -> Result<Kit, ConfigError> {
        self.read(text, None)
    }

    /// Makes a kit from a configuration file in TOML.
    ///
    /// # Errors
    /// Returns the errors of [`from_toml`](Self::from_toml) with the path of the file, and an error if the file cannot be read.
    pub fn from_file(&self, path: impl AsRef<Path>) -> Result<Kit, ConfigError> {
        let path = path.as_ref();
        let text = config::read(path)?;
        self.read(&text, Some(path)).map_err(|error| error.in_file(path))
    }

    fn read(&self, text: &str, file: Option<&Path>) -> Result<Kit, ConfigError> {
        let sections = Sections::of(text);
        for (key, feature, enabled) in FEATURES {
            if !enabled && sections.contains(key) {
                let message = format!("this guard needs the feature `{feature}` of `exo-rails-guards`");
                return Err(sections.locate(key, 0, ConfigError::new(message)));
            }
        }
        let mut config: KitConfig = config::from_toml(text)?;
        config.permissions = config
            .permissions
            .map(|WithMode { mode, config }| WithMode { mode, config: config.with_places(text, file) });
        self.guards(config, &sections)
    }

    /// Makes a kit from a configuration that your program has read or made.
    ///
    /// # Errors
    /// Returns an error that names the guard and the key if a guard cannot work with the values, if a table names a tool that
    /// is not one of the [known tools](Self::known_tools), or if there is a configuration of `audit` and no audit in the
    /// builder.
    pub fn build(&self, config: KitConfig) -> Result<Kit, ConfigError> {
        self.guards(config, &Sections::default())
    }

    fn guards(&self, config: KitConfig, sections: &Sections<'_>) -> Result<Kit, ConfigError> {
        #[cfg(feature = "audit")]
        self.check_audit(&config, sections)?;
        let kit = Making { mode: config.mode, sections };
        let names: Vec<&str> = self.known_tools.iter().map(String::as_str).collect();
        let known = |key: &str, tools: &mut dyn Iterator<Item = &str>| {
            check_tools(tools, &names).map_err(|error| error.in_key(key))
        };
        let in_code = self.permissions.clone().map(|_| WithMode::default());
        let permissions = config.permissions.or(in_code);
        let (mut rates, mut budgets) = (HashSet::new(), HashSet::new());
        let asks =
            permissions.is_some() || config.data_flow.is_some() || config.risk.is_some() || config.approval.is_some();
        Ok(Kit {
            changed_calls: asks.then_some(ChangedCalls),
            sizes: kit.guard("sizes", config.sizes, Sizes::new)?,
            capability_gap: kit.guard("capability_gap", config.capability_gap, |config| gap(config, &names))?,
            secrets: kit.guard("secrets", config.secrets, Secrets::new)?,
            personal_data: kit.guard("personal_data", config.personal_data, |config| {
                let tools = config.placeholders.iter().flat_map(|placeholders| &placeholders.tools);
                known("placeholders", &mut tools.map(ToolPattern::as_str))?;
                PersonalData::new(config)
            })?,
            #[cfg(feature = "handlers")]
            hook_handlers: kit.guards("hook_handlers", config.hook_handlers, |config| {
                known(
                    "handlers",
                    &mut config.handlers.iter().flat_map(|handler| &handler.tool).map(ToolPattern::as_str),
                )?;
                self.hook_handlers.clone().config(config).build()
            })?,
            permissions: kit.guard("permissions", permissions, |config| {
                let permissions = self.permissions.clone().unwrap_or_default().config(Source::Global, config);
                permissions.known_tools(&self.known_tools).asker(Arc::clone(&self.asker)).build()
            })?,
            content: kit.guard("content", config.content, Content::new)?,
            injection: kit.guard("injection", config.injection, |config| {
                known("trusted_tools", &mut config.trusted_tools.iter().map(ToolPattern::as_str))?;
                Injection::new(config)
            })?,
            structure: kit.guard("structure", config.structure, Structure::new)?,
            #[cfg(feature = "paths")]
            paths: kit.guard("paths", config.paths, |config| {
                known("tools", &mut config.tools.iter().flat_map(|tools| &tools.tool).map(ToolPattern::as_str))?;
                PathSandbox::new(config)
            })?,
            #[cfg(feature = "urls")]
            urls: kit.guard("urls", config.urls, |config| {
                known("tools", &mut config.tools.iter().flat_map(|tools| &tools.tool).map(ToolPattern::as_str))?;
                UrlGuard::with_resolver(config, Arc::clone(&self.resolver))
            })?,
            #[cfg(feature = "schema")]
            tool_schemas: kit.guard("tool_schemas", config.tool_schemas, |config| {
                known("schemas", &mut config.schemas.keys().map(String::as_str))?;
                ToolSchemas::new(config)
            })?,
            #[cfg(feature = "schema")]
            structured_answer: kit.guard("structured_answer", config.structured_answer, StructuredAnswer::new)?,
            data_flow: kit.guard("data_flow", config.data_flow, |config| {
                config.tools().try_for_each(|(key, tool)| known(key, &mut std::iter::once(tool)))?;
                Ok(DataFlow::new(config)?.with_asker(Arc::clone(&self.asker)).with_store(self.store.clone()))
            })?,
            loops: kit.guard("loops", config.loops, |config| {
                known("exempt", &mut config.exempt.iter().map(ToolPattern::as_str))?;
                known("resets", &mut config.resets.iter().map(ToolPattern::as_str))?;
                Loops::new(config)
            })?,
            repetition: kit.guard("repetition", config.repetition, Repetition::new)?,
            risk: kit.guard("risk", config.risk, |config| {
                let risk = RiskScore::new(config)?.with_asker(Arc::clone(&self.asker));
                if !names.is_empty() {
                    risk.check_tools(&names)?;
                }
                Ok(risk)
            })?,
            approval: kit.guard("approval", config.approval, |config| {
                known("rules", &mut config.rules.iter().flat_map(|rule| &rule.tool).map(String::as_str))?;
                Ok(Approval::new(config)?.with_asker(Arc::clone(&self.asker)))
            })?,
            rate_limits: kit.guards("rate_limits", config.rate_limits, |config| {
                check_names(&mut rates, config.limits.iter().map(|limit| &limit.name))?;
                known("limits", &mut config.limits.iter().flat_map(|limit| &limit.tools).map(ToolPattern::as_str))?;
                Ok(RateLimits::new(config)?.with_store(self.store.clone()))
            })?,
            sequence: kit.guard("sequence", config.sequence, |config| {
                for (place, rule) in config.rules.iter().enumerate() {
                    known(&format!("rules[{place}]"), &mut rule.tools())?;
                }
                Ok(Sequence::new(config)?.with_store(self.store.clone()))
            })?,
            budgets: kit.guards("budgets", config.budgets, |config| {
                check_names(&mut budgets, config.limits.iter().map(|limit| &limit.name))?;
                known("limits", &mut config.limits.iter().flat_map(|limit| &limit.tools).map(ToolPattern::as_str))?;
                Ok(Budgets::new(config)?.with_store(self.store.clone()))
            })?,
            retry: kit.guard("retry", config.retry, |config| {
                known("idempotent", &mut config.idempotent.iter().map(ToolPattern::as_str))?;
                Retry::new(config)
            })?,
        })
    }
}

/// The mode of the kit, and the places of the tables in the text.
struct Making<'c> {
    mode: Mode,
    sections: &'c Sections<'c>,
}

impl Making<'_> {
    fn guard<C, G>(
        &self,
        key: &str,
        config: Option<WithMode<C>>,
        make: impl Fn(C) -> Result<G, ConfigError>,
    ) -> Result<Option<InMode<G>>, ConfigError> {
        config.map(|config| self.one(key, 0, config, &make)).transpose()
    }

    fn guards<C, G>(
        &self,
        key: &str,
        configs: Vec<WithMode<C>>,
        mut make: impl FnMut(C) -> Result<G, ConfigError>,
    ) -> Result<Vec<InMode<G>>, ConfigError> {
        configs.into_iter().enumerate().map(|(number, config)| self.one(key, number, config, &mut make)).collect()
    }

    fn one<C, G>(
        &self,
        key: &str,
        number: usize,
        WithMode { mode, config }: WithMode<C>,
        make: impl FnOnce(C) -> Result<G, ConfigError>,
    ) -> Result<InMode<G>, ConfigError> {
        let guard = make(config).map_err(|error| self.sections.locate(key, number, error.in_key(key)))?;
        Ok(InMode::new(weaker(self.mode, mode), guard))
    }
}

fn gap(config: CapabilityGapConfig, known: &[&str]) -> Result<CapabilityGap, ConfigError> {
    for (key, tools) in [("tools", &config.tools), ("idempotent", &config.idempotent)] {
        check_tools(tools.iter().map(String::as_str), known).map_err(|error| error.in_key(key))?;
    }
    CapabilityGap::new(config)
}

/// Checks that limits in different tables have different names, because two limits with one name would share their counts.
fn check_names<'n>(names: &mut HashSet<String>, limits: impl Iterator<Item = &'n String>) -> Result<(), ConfigError> {
    let new: HashSet<_> = limits.cloned().collect();
    if let Some(name) = new.iter().find(|name| names.contains(*name)) {
        let message = format!("`{name}` is also the name of a limit in another table: rename one");
        return Err(ConfigError::new(message).in_key("limits"));
    }
    names.extend(new);
    Ok(())
}

/// Returns the mode that does less.
const fn weaker(one: Mode, other: Mode) -> Mode {
    match (one, other) {
        (Mode::Off, _) | (_, Mode::Off) => Mode::Off,
        (Mode::Shadow, _) | (_, Mode::Shadow) => Mode::Shadow,
        (Mode::Enforce, Mode::Enforce) => Mode::Enforce,
    }
}
