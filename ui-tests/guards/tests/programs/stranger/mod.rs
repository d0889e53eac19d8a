//! Programs that someone wrote from the documentation alone. Each has a `main`.

ui_tests::programs!(
    a_budget_for_each_reader_in_one_store,
    a_store_in_an_arc_of_its_own_type,
    an_asker_made_of_a_closure,
    an_own_guard_in_shadow_beside_the_kit,
    an_own_guard_that_keeps_votes_in_a_store,
    asks_through_a_channel,
    budgets_of_departments,
    classifier_with_a_cache,
    house_rules_returned_by_a_function,
    inbox_for_each_user,
    kit_that_is_replaced_beside_an_own_rail,
    modes_of_an_own_file,
    permissions_written_in_rust,
    person_who_changes_the_amount,
    policy_that_asks_for_guards,
    risk_for_a_rail_and_a_tool,
    store_of_the_inbox_for_a_sequence,
    store_that_counts_reservations,
    typed_rules_of_a_module,
);
