//! Programs that someone wrote from the documentation alone. Each has a `main`.

ui_tests::programs!(
    a_compaction_that_asks_a_secretary,
    a_memory_that_wraps_another_memory,
    a_question_for_each_spawned_task,
    a_stream_collected_with_combinators,
    a_tool_that_asks_another_agent,
    account_behind_an_async_mutex,
    agent_in_a_typed_tool,
    app_of_any_rails_in_tasks,
    arguments_with_enums_and_defaults,
    functions_and_async_closures_as_tools,
    manager_who_changes_the_arguments,
    moves_the_database_into_an_async_closure,
    moves_the_mailer_out_of_the_tool,
    one_model_for_two_agents,
    sessions_of_a_generic_host,
    stream_through_a_channel,
    team_of_boxed_agents,
    tools_of_a_generic_archive,
    two_questions_with_different_answers,
);
