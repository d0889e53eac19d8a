//! The pages of the book as the docs of modules: `cargo test --doc -p book` compiles every program in them and runs it.
//!
//! A page is a file beside this one. `README.md` in the folder of the crate lists the pages in reading order. To add a page, add
//! its file, its module here and its line there; the test in `tests/pages.rs` compares the three.

macro_rules! pages {
    ($($page:ident = $file:literal),* $(,)?) => {
        $(
            #[doc = include_str!($file)]
            pub mod $page {}
        )*
    };
}

pages! {
    getting_started = "getting-started.md",
    events = "events.md",
    actions = "actions.md",
    order = "order.md",
    faults = "faults.md",
    state = "state.md",
    context = "context.md",
    tools = "tools.md",
    operations = "operations.md",
    guard_sets = "guard-sets.md",
    agents = "agents.md",
    models = "models.md",
    streams = "streams.md",
    redaction = "redaction.md",
    suspension = "suspension.md",
    guards = "guards.md",
    guards_by_name = "guards-by-name.md",
    watching = "watching.md",
    shadow = "shadow.md",
    testing = "testing.md",
    custom_events = "custom-events.md",
    machines = "machines.md",
}

pages! {
    guards_permissions = "guards/permissions.md",
    guards_shell_commands = "guards/shell-commands.md",
    guards_approval = "guards/approval.md",
    guards_risk = "guards/risk.md",
    guards_paths = "guards/paths.md",
    guards_urls = "guards/urls.md",
    guards_sizes = "guards/sizes.md",
    guards_capability_gap = "guards/capability-gap.md",
    guards_structure = "guards/structure.md",
    guards_tool_schemas = "guards/tool-schemas.md",
    guards_structured_answer = "guards/structured-answer.md",
    guards_secrets = "guards/secrets.md",
    guards_personal_data = "guards/personal-data.md",
    guards_content = "guards/content.md",
    guards_injection = "guards/injection.md",
    guards_data_flow = "guards/data-flow.md",
    guards_sequence = "guards/sequence.md",
    guards_loops = "guards/loops.md",
    guards_repetition = "guards/repetition.md",
    guards_budgets = "guards/budgets.md",
    guards_rate_limits = "guards/rate-limits.md",
    guards_concurrency = "guards/concurrency.md",
    guards_timeouts = "guards/timeouts.md",
    guards_retry = "guards/retry.md",
    guards_fallback = "guards/fallback.md",
    guards_circuit_breaker = "guards/circuit-breaker.md",
    guards_hook_handlers = "guards/hook-handlers.md",
    guards_audit = "guards/audit.md",
    guards_stores = "guards/stores.md",
    guards_reloading = "guards/reloading.md",
}

pages! {
    recipes_web_server = "recipes/web-server.md",
    recipes_retry_then_fallback = "recipes/retry-then-fallback.md",
    recipes_sessions = "recipes/sessions.md",
    recipes_users_and_stores = "recipes/users-and-stores.md",
    recipes_choosing_a_chain = "recipes/choosing-a-chain.md",
    recipes_rail_from_another_crate = "recipes/rail-from-another-crate.md",
    recipes_judge_model = "recipes/judge-model.md",
    recipes_cost_limits = "recipes/cost-limits.md",
    recipes_sequences = "recipes/sequences.md",
    recipes_configuration_files = "recipes/configuration-files.md",
    recipes_approval = "recipes/approval.md",
    recipes_company_rails = "recipes/company-rails.md",
    coming_from_lifecycle_hooks = "coming-from-lifecycle-hooks.md",
    coming_from_langchain = "coming-from-langchain.md",
    coming_from_tower = "coming-from-tower.md",
    coming_from_rig = "coming-from-rig.md",
    mistakes = "mistakes.md",
    how_a_chain_is_sorted = "how-a-chain-is-sorted.md",
}

pages! {
    inside_crates = "inside/crates.md",
    inside_ways = "inside/ways.md",
    inside_chains = "inside/chains.md",
    inside_operations = "inside/operations.md",
    inside_faults = "inside/faults.md",
    inside_streams = "inside/streams.md",
    inside_events = "inside/events.md",
    inside_errors = "inside/errors.md",
    inside_machines = "inside/machines.md",
    inside_releases = "inside/releases.md",
}

/// The programs of the repository's README.
#[doc = include_str!("../../README.md")]
pub mod readme {}
