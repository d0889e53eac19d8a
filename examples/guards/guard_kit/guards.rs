//! All guards: the kit, the guards around operations, the fallback, and the audit around all of them.

use exo_rails::prelude::*;
use exo_rails::{InMode, Mode};
use exo_rails_guards::audit::{Audit, Audited};
use exo_rails_guards::circuit_breaker::Breaker;
use exo_rails_guards::concurrency::ConcurrencyLimit;
use exo_rails_guards::config::GuardMode;
use exo_rails_guards::kit::PolicyConfig;
use exo_rails_guards::rate_limits::RatedCalls;
use exo_rails_guards::timeouts::TimeLimit;
use exo_rails_guards::{CircuitBreaker, Concurrency, Fallback, Kit, Timeouts, ToolPattern, config};

use crate::desk::Desk;
use crate::servers::Servers;
use crate::shop::Shop;
use crate::{Result, tools};

const KIT: &str = include_str!("kit.toml");

rail_chain! {
    /// All guards but the audit. The last four are made in code.
    pub(crate) struct Guards {
        kit: Kit,
        concurrency: Option<InMode<Concurrency>>,
        circuit_breaker: Option<InMode<CircuitBreaker>>,
        timeouts: Option<InMode<Timeouts>>,
        fallback: Option<InMode<Fallback>>,
    }
}

/// The mode of the guards, and the guard that is missing.
#[derive(Clone, Copy)]
pub(crate) struct Setup<'g> {
    pub(crate) mode: Mode,
    pub(crate) without: Option<&'g str>,
}

impl Setup<'_> {
    /// Makes the guards. The audit is around them, also if a script does not need it.
    pub(crate) fn guards(self, shop: &Shop, servers: &Servers) -> Result<Audited<Guards>> {
        let config: PolicyConfig = config::from_toml(&shop.fill(KIT, servers))?;
        let audit = Audit::new(config.audit.clone().ok_or("`kit.toml` has no audit")?)?;
        let mut config = self.without_a_guard(config)?;
        config.mode = match self.mode {
            Mode::Enforce => GuardMode::Enforce,
            Mode::Shadow => GuardMode::Shadow,
            Mode::Off => GuardMode::Off,
        };
        let kit = Kit::builder().asker(Desk).known_tools(tools::NAMES).audit(audit.clone()).build(config)?;
        Ok(audit.wrap(Guards {
            kit,
            concurrency: self.guard("concurrency", concurrency()?),
            circuit_breaker: self.guard("circuit_breaker", circuit_breaker()?),
            timeouts: self.guard("timeouts", timeouts()?),
            fallback: self.guard("fallback", fallback()),
        }))
    }

    fn guard<G>(self, name: &str, guard: G) -> Option<InMode<G>> {
        (self.without != Some(name)).then(|| InMode::new(self.mode, guard))
    }

    /// Removes the table of the guard that is missing.
    fn without_a_guard(self, config: PolicyConfig) -> Result<PolicyConfig> {
        let mut tables = serde_json::to_value(config)?;
        if let (Some(guard), Some(tables)) = (self.without, tables.as_object_mut()) {
            tables.remove(guard);
        }
        Ok(serde_json::from_value(tables)?)
    }
}

fn tool(name: &str) -> Result<[ToolPattern; 1]> {
    Ok([name.parse()?])
}

fn concurrency() -> Result<Concurrency> {
    let labels = ConcurrencyLimit::new("labels", RatedCalls::ToolCalls, 2).tools(tool("print_label")?).max_wait_ms(20);
    Ok(Concurrency::builder().limits([labels]).build()?)
}

fn circuit_breaker() -> Result<CircuitBreaker> {
    let stock = Breaker::new("stock", RatedCalls::ToolCalls, 3).tools(tool("stock")?);
    Ok(CircuitBreaker::builder().breakers([stock]).build()?)
}

fn timeouts() -> Result<Timeouts> {
    let parcels = TimeLimit::new("parcels", RatedCalls::ToolCalls, 200).tools(tool("track")?);
    Ok(Timeouts::builder().limits([parcels]).build()?)
}

/// Another model, which answers when the first one is down.
fn fallback() -> Fallback {
    let other =
        |_: Permit<ModelCallInputs>| async { Ok(ModelResponse::text(r#"{ "summary": "Two orders are late." }"#)) };
    Fallback::new().model("other", other)
}
