//! Makes a kit from a configuration.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use exo_rails::{InMode, Mode};
use exo_rails_policy::{ConfigError, PolicyConfig, Table, TextList, check_tools};

use super::Kit;
use crate::approval::{Asker, IntoAsker, SuspendRun};
#[cfg(feature = "audit")]
use crate::audit::{Audit, Audited};
use crate::config::{GuardMode, Sections, WithMode};
use crate::fallback::Fallback;
#[cfg(feature = "handlers")]
use crate::handlers::HookHandlersBuilder;
use crate::kit_guard::{KitGuard, KnownTools, Supply};
use crate::permissions::PermissionsBuilder;
use crate::store::{GuardStore, StateStore};
#[cfg(feature = "urls")]
use crate::urls::{Resolver, SystemResolver};

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
    asker: Asker,
    known_tools: KnownTools,
    /// Empty until a guard needs the default.
    store: Arc<OnceLock<GuardStore>>,
    fallback: Fallback,
    permissions: Option<PermissionsBuilder>,
    #[cfg(feature = "audit")]
    audit: Option<Audit>,
    #[cfg(feature = "handlers")]
    hook_handlers: Option<HookHandlersBuilder>,
    #[cfg(feature = "urls")]
    resolver: Arc<dyn Resolver>,
}

impl Default for KitBuilder {
    fn default() -> Self {
        Self {
            asker: SuspendRun.into(),
            known_tools: KnownTools::default(),
            store: Arc::default(),
            fallback: Fallback::new(),
            permissions: None,
            #[cfg(feature = "audit")]
            audit: None,
            #[cfg(feature = "handlers")]
            hook_handlers: None,
            #[cfg(feature = "urls")]
            resolver: Arc::new(SystemResolver),
        }
    }
}

impl KitBuilder {
    /// Sets how the guards ask people, such as a [`Desk`](crate::approval::Desk). Default: [`SuspendRun`].
    pub fn asker(mut self, asker: impl IntoAsker) -> Self {
        self.asker = asker.into_asker();
        self
    }

    /// Adds the names of your tools. A configuration that names another tool is then an error. Patterns such as `delete_*` are
    /// not checked. By default, no name is checked.
    pub fn known_tools(mut self, names: impl TextList) -> Self {
        Arc::make_mut(&mut self.known_tools.0).extend(names.texts());
        self
    }

    /// Sets the store for the counts of [`RateLimits`](crate::RateLimits), [`Sequence`](crate::Sequence) and
    /// [`Budgets`](crate::Budgets). Default: a [`MemoryStore`](crate::store::MemoryStore) that all kits of this builder share. So a kit
    /// that replaces another one continues its counts.
    pub fn store(mut self, store: impl StateStore + 'static) -> Self {
        self.store = Arc::new(OnceLock::from(GuardStore::new(store)));
        self
    }

    /// Adds rules in code, or configurations of other sources, to the permissions of the configuration. The kit then has the
    /// guard, even if the configuration has no table `permissions`. The `mode` of the table also applies to these rules.
    pub fn permissions(mut self, permissions: PermissionsBuilder) -> Self {
        self.permissions = Some(permissions);
        self
    }

    /// Sets the models and tools that the table `fallback` can name. A file cannot say how they are called.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails_guards::{Fallback, Kit};
    ///
    /// let small = |_request: Permit<ModelCallInputs>| async { Ok(ModelResponse::text("from the small model")) };
    /// let builder = Kit::builder().fallback(Fallback::new().model("small", small));
    /// assert!(builder.from_toml("[fallback]\nmodels = ['small']")?.fallback.is_some());
    ///
    /// let error = builder.from_toml("[fallback]\nmodels = ['large']").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "line 2, column 10: `fallback`: `models`: no model `large` is there: \
    ///      add it in code, with `Fallback::new().model(\"large\", …)`",
    /// );
    /// # Ok::<(), exo_rails_guards::ConfigError>(())
    /// ```
    pub fn fallback(mut self, fallback: Fallback) -> Self {
        self.fallback = fallback;
        self
    }

    /// Sets the models, tools and rails that hook handlers need. A configuration refers to models and tools by their names.
    #[cfg(feature = "handlers")]
    #[cfg_attr(docsrs, doc(cfg(feature = "handlers")))]
    pub fn hook_handlers(mut self, hook_handlers: HookHandlersBuilder) -> Self {
        self.hook_handlers = Some(hook_handlers);
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
        let text = exo_rails_policy::read(path)?;
        self.read_audited(&text, Some(path)).map_err(|error| error.in_file(path))
    }

    #[cfg(feature = "audit")]
    fn read_audited(&self, text: &str, file: Option<&Path>) -> Result<Audited<Kit>, ConfigError> {
        let (config, sections) = read(text, file)?;
        let wanted = config.audit.clone();
        let wanted = wanted
            .ok_or_else(|| ConfigError::new("the table is missing: write `[audit]` with a `path`").in_key("audit"))?;
        let in_table = |error: ConfigError| sections.locate("audit", 0, error.in_key("audit"));
        let audit = Audit::new(wanted).map_err(in_table)?;
        let kit = self.clone().audit(audit.clone()).guards(config, &sections)?;
        Ok(audit.wrap(kit))
    }

    /// Checks that the log of the configuration is around the kit.
    #[cfg(feature = "audit")]
    fn check_audit(&self, config: &PolicyConfig, sections: &Sections<'_>) -> Result<(), ConfigError> {
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
        let (config, sections) = read(text, None)?;
        self.guards(config, &sections)
    }

    /// Makes a kit from a configuration file in TOML.
    ///
    /// # Errors
    /// Returns the errors of [`from_toml`](Self::from_toml) with the path of the file, and an error if the file cannot be read.
    pub fn from_file(&self, path: impl AsRef<Path>) -> Result<Kit, ConfigError> {
        let path = path.as_ref();
        let text = exo_rails_policy::read(path)?;
        let made = read(&text, Some(path)).and_then(|(config, sections)| self.guards(config, &sections));
        made.map_err(|error| error.in_file(path))
    }

    /// Makes a kit from a configuration that your program has read or made.
    ///
    /// # Errors
    /// Returns an error that names the guard and the key if a guard cannot work with the values, if a table names a tool that
    /// is not one of the [known tools](Self::known_tools), or if there is a configuration of `audit` and no audit in the
    /// builder.
    pub fn build(&self, config: PolicyConfig) -> Result<Kit, ConfigError> {
        self.guards(config, &Sections::default())
    }

    fn guards(&self, mut config: PolicyConfig, sections: &Sections<'_>) -> Result<Kit, ConfigError> {
        #[cfg(feature = "audit")]
        self.check_audit(&config, sections)?;
        #[cfg(not(feature = "audit"))]
        if config.audit.is_some() {
            return Err(sections.locate("audit", 0, needs_feature("audit")));
        }
        // Rules in code need the guard, too.
        if self.permissions.is_some() {
            config.permissions.get_or_insert_default();
        }
        Kit::of_tables(config, self, sections)
    }
}

/// Reads a configuration once, with the places of its tables.
fn read<'t>(text: &'t str, file: Option<&Path>) -> Result<(PolicyConfig, Sections<'t>), ConfigError> {
    let sections = Sections::parse(text)?;
    let mut config: PolicyConfig = sections.read()?;
    config.permissions = config
        .permissions
        .map(|WithMode { mode, config }| WithMode { mode, config: config.with_places(&sections, file) });
    Ok((config, sections))
}

/// The mistake of a table whose guard is not in this program.
#[allow(dead_code, reason = "with all features, every guard is there")]
pub(super) fn needs_feature(feature: &str) -> ConfigError {
    ConfigError::new(format!("this guard needs the feature `{feature}` of `exo-rails-guards`"))
}

/// Makes the guards of all tables with one key. It is a function of its own for each guard, so that a kit touches the code and the stack
/// only of the guards that it has.
#[inline(never)]
pub(super) fn guards<G: KitGuard>(
    tables: impl IntoIterator<Item = WithMode<G::Config>>,
    kit: GuardMode,
    builder: &KitBuilder,
    sections: &Sections<'_>,
) -> Result<Vec<InMode<G>>, ConfigError>
where
    KitBuilder: Supply<G::Needs>,
{
    let key = <G::Config as Table>::KEY;
    // A table has a few limits, so a search through a list is the shortest way.
    let mut names = Vec::new();
    let mut guards = Vec::new();
    for (number, WithMode { mode, config }) in tables.into_iter().enumerate() {
        let made = check(&config, &mut names, &builder.known_tools).and_then(|()| G::make(config, builder.supply()));
        let guard = made.map_err(|error| sections.locate(key, number, error.in_key(key)))?;
        guards.push(InMode::new(core_mode(kit.weaker(mode)), guard));
    }
    Ok(guards)
}

/// Checks what a guard cannot check alone: that the tools exist, and that limits in different tables have different names,
/// because two limits with one name would share their counts.
fn check(config: &impl Table, names: &mut Vec<String>, known: &KnownTools) -> Result<(), ConfigError> {
    let in_other_tables = names.len();
    for name in config.limit_names() {
        if names[..in_other_tables].iter().any(|other| other == name) {
            let message = format!("`{name}` is also the name of a limit in another table: rename one");
            return Err(ConfigError::new(message).in_key("limits"));
        }
        names.push(name.to_owned());
    }
    let known: Vec<&str> = known.0.iter().map(String::as_str).collect();
    config
        .tools()
        .into_iter()
        .try_for_each(|(key, tool)| check_tools([tool], &known).map_err(|error| error.in_key(key)))
}

/// Returns the mode that the library knows under this name.
const fn core_mode(mode: GuardMode) -> Mode {
    match mode {
        GuardMode::Enforce => Mode::Enforce,
        GuardMode::Shadow => Mode::Shadow,
        GuardMode::Off => Mode::Off,
    }
}

impl Supply<Asker> for KitBuilder {
    fn supply(&self) -> Asker {
        self.asker.clone()
    }
}

impl Supply<GuardStore> for KitBuilder {
    fn supply(&self) -> GuardStore {
        self.store.get_or_init(GuardStore::default).clone()
    }
}

impl Supply<KnownTools> for KitBuilder {
    fn supply(&self) -> KnownTools {
        self.known_tools.clone()
    }
}

impl Supply<Fallback> for KitBuilder {
    fn supply(&self) -> Fallback {
        self.fallback.clone()
    }
}

impl Supply<PermissionsBuilder> for KitBuilder {
    fn supply(&self) -> PermissionsBuilder {
        self.permissions.clone().unwrap_or_default()
    }
}

#[cfg(feature = "handlers")]
impl Supply<HookHandlersBuilder> for KitBuilder {
    fn supply(&self) -> HookHandlersBuilder {
        self.hook_handlers.clone().unwrap_or_default()
    }
}

#[cfg(feature = "urls")]
impl Supply<Arc<dyn Resolver>> for KitBuilder {
    fn supply(&self) -> Arc<dyn Resolver> {
        Arc::clone(&self.resolver)
    }
}
