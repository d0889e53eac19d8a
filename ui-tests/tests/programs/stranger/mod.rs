//! Programs that someone wrote from the documentation alone, before the library was ready for them. Each has a `main`.

macro_rules! programs {
    ($($program:ident),* $(,)?) => {
        $(mod $program;)*

        $(
            #[test]
            fn $program() {
                std::process::Termination::report($program::main());
            }
        )*
    };
}

programs!(
    answer_streams_into_a_channel,
    arguments_have_the_names_of_another_language,
    async_closures_borrow_from_the_loop,
    builder_takes_rails_of_any_kind,
    cases_of_a_test_are_a_table,
    decisions_are_read_for_any_event,
    errors_keep_their_kind,
    event_is_called_future,
    group_meets_the_requirements,
    guard_sets_stand_behind_pointers,
    handlers_wait_in_a_map,
    latency_goes_to_any_metrics,
    macro_passes_paths_and_types,
    macro_writes_a_block_list,
    macro_writes_an_event_and_its_rail,
    names_are_words_of_the_language,
    one_error_for_the_whole_service,
    one_helper_guards_every_tool,
    one_rail_for_the_tools_of_a_bank,
    operation_has_words_of_its_own,
    permit_crosses_to_another_thread,
    public_chain_lists_private_rails,
    rails_are_optional_shared_and_listed,
    rails_change_while_a_tool_runs,
    rails_come_through_a_facade,
    rails_differ_by_platform,
    return_types_stand_behind_aliases,
    service_accepts_whatever_meets_the_requirements,
    tenant_reaches_the_inner_chain_and_the_tool,
    two_events_of_one_name,
    whole_run_has_a_deadline,
    windows_of_any_size_and_clock,
);
