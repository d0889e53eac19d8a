//! Making the guards of a configuration.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use exo_rails::{InMode, Mode};

use super::Kit;
use super::config::{FEATURES, KitConfig};
use crate::ConfigError;
use crate::approval::{Ask, ChangedCalls, SuspendRun};
use crate::approval_guard::Approval;
use crate::budgets::Budgets;
use crate::config::{self, Sections, WithMode};
#[cfg(feature = "handlers")]
use crate::handlers::{HookHandlers, HookHandlersBuilder};
#[cfg(feature = "paths")]
use crate::paths::PathSandbox;
use crate::permissions::{PermissionsBuilder, Source};
use crate::rate_limits::RateLimits;
use crate::risk::RiskScore;
use crate::shape::{CapabilityGap, Sizes, Structure};
#[cfg(feature = "schema")]
use crate::shape::{StructuredAnswer, ToolSchemas};
use crate::store::{GuardStore, StateStore};
#[cfg(feature = "urls")]
use crate::urls::{Resolver, SystemResolver, UrlGuard};

/// Makes a [`Kit`] from a configuration, and from what a configuration file cannot hold.
///
/// One builder makes any number of kits, for example a new one after each change of the file.
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
///     "line 1, column 2: `risk`: `tools.serach`: unknown tool: did you mean `search`?",
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
            #[cfg(feature = "handlers")]
            hook_handlers: HookHandlers::builder(),
            #[cfg(feature = "urls")]
            resolver: Arc::new(SystemResolver),
        }
    }
}

impl KitBuilder {
    /// Sets how the guards ask people. Default: [`SuspendRun`].
    pub fn asker(mut self, asker: Arc<dyn Ask>) -> Self {
        self.asker = asker;
        self
    }

    /// Sets the names of all tools. A configuration that is about another tool is then an error.
    pub fn known_tools<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.known_tools.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the store of the guards that count. Default: a [`MemoryStore`](crate::store::MemoryStore) for all kits of this builder,
    /// so a kit that replaces another one goes on counting.
    pub fn store(mut self, store: impl StateStore + 'static) -> Self {
        self.store = GuardStore::new(store);
        self
    }

    /// Adds permissions to those of the configuration: rules in code, and the configurations of other sources. The kit then has
    /// the guard, even if the configuration does not.
    pub fn permissions(mut self, permissions: PermissionsBuilder) -> Self {
        self.permissions = Some(permissions);
        self
    }

    /// Sets what hook handlers need beside the configuration: models, tools and rails.
    #[cfg(feature = "handlers")]
    #[cfg_attr(docsrs, doc(cfg(feature = "handlers")))]
    pub fn hook_handlers(mut self, hook_handlers: HookHandlersBuilder) -> Self {
        self.hook_handlers = hook_handlers;
        self
    }

    /// Sets how the guards of URLs find addresses. Default: [`SystemResolver`].
    #[cfg(feature = "urls")]
    #[cfg_attr(docsrs, doc(cfg(feature = "urls")))]
    pub fn resolver(mut self, resolver: impl Resolver + 'static) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    /// Makes the guards of a configuration in TOML.
    ///
    /// # Errors
    /// As [`Kit::from_toml`].
    pub fn from_toml(&self, text: &str) -> Result<Kit, ConfigError> {
        self.read(text, None)
    }

    /// Makes the guards of a configuration file in TOML.
    ///
    /// # Errors
    /// As [`Kit::from_file`].
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

    /// Makes the guards of a configuration.
    ///
    /// # Errors
    /// Returns an error that names the guard and the key if the values make no sense together.
    pub fn build(&self, config: KitConfig) -> Result<Kit, ConfigError> {
        self.guards(config, &Sections::default())
    }

    fn guards(&self, config: KitConfig, sections: &Sections) -> Result<Kit, ConfigError> {
        let kit = Making { mode: config.mode, sections };
        let in_code = self.permissions.clone().map(|_| WithMode::default());
        let permissions = config.permissions.or(in_code);
        let (mut rates, mut budgets) = (HashSet::new(), HashSet::new());
        let asks = permissions.is_some() || config.risk.is_some() || config.approval.is_some();
        Ok(Kit {
            changed_calls: asks.then_some(ChangedCalls),
            sizes: kit.guard("sizes", config.sizes, Sizes::new)?,
            capability_gap: kit.guard("capability_gap", config.capability_gap, CapabilityGap::new)?,
            #[cfg(feature = "handlers")]
            hook_handlers: kit.guards("hook_handlers", config.hook_handlers, |config| {
                self.hook_handlers.clone().config(config).build()
            })?,
            permissions: kit.guard("permissions", permissions, |config| {
                let permissions = self.permissions.clone().unwrap_or_default().config(Source::Global, config);
                permissions.known_tools(&self.known_tools).asker(Arc::clone(&self.asker)).build()
            })?,
            structure: kit.guard("structure", config.structure, Structure::new)?,
            #[cfg(feature = "paths")]
            paths: kit.guard("paths", config.paths, PathSandbox::new)?,
            #[cfg(feature = "urls")]
            urls: kit
                .guard("urls", config.urls, |config| UrlGuard::with_resolver(config, Arc::clone(&self.resolver)))?,
            #[cfg(feature = "schema")]
            tool_schemas: kit.guard("tool_schemas", config.tool_schemas, ToolSchemas::new)?,
            #[cfg(feature = "schema")]
            structured_answer: kit.guard("structured_answer", config.structured_answer, StructuredAnswer::new)?,
            risk: kit.guard("risk", config.risk, |config| {
                let risk = RiskScore::new(config)?.with_asker(Arc::clone(&self.asker));
                let names: Vec<&str> = self.known_tools.iter().map(String::as_str).collect();
                if !names.is_empty() {
                    risk.check_tools(&names)?;
                }
                Ok(risk)
            })?,
            approval: kit.guard("approval", config.approval, |config| {
                Ok(Approval::new(config)?.with_asker(Arc::clone(&self.asker)))
            })?,
            rate_limits: kit.guards("rate_limits", config.rate_limits, |config| {
                check_names(&mut rates, config.limits.iter().map(|limit| &limit.name))?;
                Ok(RateLimits::new(config)?.with_store(self.store.clone()))
            })?,
            budgets: kit.guards("budgets", config.budgets, |config| {
                check_names(&mut budgets, config.limits.iter().map(|limit| &limit.name))?;
                Ok(Budgets::new(config)?.with_store(self.store.clone()))
            })?,
        })
    }
}

/// What all guards of a kit have in common.
struct Making<'c> {
    mode: Mode,
    sections: &'c Sections,
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

/// Checks that no other table has the name of a limit. The counts of both would be the same.
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
