//! What other frameworks with rails, hooks and middleware do around an agent, and where they are known to fail.
//!
//! The comments of the tests call them "there". Where a trace is not theirs, the comment says why. The first table is
//! of what they do, the second of their traps: what is accepted and then ignored, lost, swallowed or left unbounded.
//! Names are `file::test`, in this folder, in `guards` or in `agent`; what starts with `fail/` is a program of `ui-tests`
//! that does not compile.
//!
//! | what they do | held here by |
//! |---|---|
//! | a decision is a value with defaults | `abort::decisions_are_values_with_defaults` |
//! | payloads have defaults, share nothing, and keep what they do not know | `wire_format::missing_optional_fields_get_their_defaults`, `mutation::two_payloads_do_not_share_their_messages`, `wire_format::messages_keep_unknown_fields` |
//! | the examples of the documentation run | `documented_rails::the_support_rails_let_ordinary_work_pass`, `documented_rails::the_support_rails_stop_destructive_tools_and_long_inputs` |
//! | a rail knows where it is | `lifecycle::the_context_names_the_run_session_turn_step_and_event` |
//! | a rail that gives no priority has 50 | `order::the_default_priority_is_50` |
//! | rails run by priority, whatever the order in which they were added | `order::lower_priorities_run_first` |
//! | equal priorities keep their order | `order::equal_priorities_keep_the_order_of_the_list` |
//! | no rails, or no answer, continue | `order::no_rails_continue`, `order::a_rail_that_returns_nothing_none_or_continue_continues` |
//! | the first decision that is not "continue" cuts the list short | `order::the_first_decision_that_is_not_continue_counts` |
//! | an abort skips the rails after it, and the operation | `deciding::rails_run_until_one_stops_and_the_error_names_it` |
//! | an error of a guard stops the list | `faults::a_fault_before_a_tool_keeps_it_from_running` |
//! | an error of an observer stops nothing; nor does a panic, where the rail says so | `fault_table::each_fault_has_the_consequence_in_the_table`, `faults::an_observer_that_faults_is_logged_and_does_not_stop_the_run` |
//! | a panic in one run is no other run's | `bounds::a_panic_of_a_rail_in_one_run_does_not_affect_later_runs` |
//! | a rail takes too long | `fault_table::each_fault_has_the_consequence_in_the_table` |
//! | a rail is listed twice | `rail_manager::a_rail_is_not_listed_twice`, `fail/chains/rail_twice` |
//! | a rail stands in a list of another kind | `fail/parameters/not_carried`, `fail/guarding/payload_of_another_event`, `rail_manager::a_hook_at_the_wrong_point_is_a_fault` |
//! | what is not there is removed | `rail_manager::a_rail_that_is_not_there_cannot_be_removed`, `hook_manager::a_hook_is_removed_by_its_handle_and_only_once` |
//! | a rail without events is registered nowhere | `fail/events/no_events`, `hook_manager::a_chain_registers_one_hook_for_each_point_that_has_rails` |
//! | hooks and rails both fire | `agent_loop::hooks_and_rails_both_fire` |
//! | the trace of a retried model call | `traces::a_retried_model_call_fires_pre_and_error_then_pre_and_post` |
//! | the trace of a retried tool call | `traces::a_retried_tool_call_fires_pre_and_error_then_pre_and_post` |
//! | the trace of a failed model call | `traces::a_failed_model_call_fires_error_and_no_post_event` |
//! | each call of a batch has its events | `traces::each_call_of_a_batch_has_separate_events` |
//! | the error event of a tool is for the failed call | `traces::the_error_event_of_a_tool_fires_for_the_failed_call_alone` |
//! | data is shared across events | `traces::later_events_see_values_of_the_run_but_not_of_extra`, `state::extra_is_shared_within_an_event_and_fresh_for_the_next` |
//! | a run is finished before the model | `finishing::a_substitute_before_the_model_call_is_the_answer` |
//! | … after the model | `finishing::an_answer_whose_tool_calls_a_rail_removes_ends_the_run` |
//! | … before a tool | `finishing::the_model_reads_a_substitute_of_a_tool_call` |
//! | … after a tool | `finishing::a_rail_can_finish_the_run_at_the_model_call_after_a_tool`, `finishing::an_abort_after_a_tool_ends_the_run_before_the_next_model_call` |
//! | … before it begins | `skip::a_substitute_ends_a_run_before_it_begins` |
//! | what is after the run sees how it was finished | `finishing::a_substitute_before_the_model_call_is_the_answer` |
//! | nothing fires after what was cancelled | `cancellation::a_tool_call_can_be_cancelled_at_every_await_point`, `cancellation::a_run_can_be_cancelled_at_every_await_point_and_fires_error_once` |
//! | a failure is recovered from | `skip::a_failed_tool_call_is_rescued_by_a_substitute`, `skip::a_failed_model_call_is_rescued_by_another_provider` |
//! | a tool runs with rewritten arguments | `rewriting::a_tool_runs_with_the_name_and_the_arguments_that_rails_changed` |
//! | the calls of a batch run at once; of several that end the run, the first in their order counts | `parallel_tools::parallel_calls_report_their_outputs_in_the_order_of_the_answer`, `parallel_tools::the_first_call_that_ends_the_run_is_reported` |
//! | post hooks run in the reverse of their order | `onion::an_onion_reverses_the_order_at_events_after_an_operation` |
//! | a session is created and closed | `sessions::runs_share_a_conversation_and_values` |
//! | the history is compacted | `compaction::an_agent_compacts_a_history_that_is_over_its_budget`, `compaction::compaction_keeps_the_newest_messages_and_calls_with_their_outputs` |
//! | the hook points of a platform | `platform::the_agent_fires_each_point_of_the_platform` |
//!
//! | the trap | held here by |
//! |---|---|
//! | a skip or a retry is accepted, and nothing happens | `skip::a_skip_keeps_the_tool_from_running`, `agent_loop::a_skipped_tool_does_not_run_and_the_other_one_does`, `retry::a_retry_after_a_tool_does_the_call_again` |
//! | the request of a retry reaches nobody | `order::a_retry_stops_later_rails_and_brings_its_request` |
//! | a retry is asked for once and acted on later | `traces::a_retry_is_not_remembered_for_the_next_operation` |
//! | a skip is a flag that stays up | `finishing::a_skip_affects_only_one_call` |
//! | of several requests the last wins | `deciding::a_second_rail_can_request_a_retry_at_the_next_attempt` |
//! | of several calls that are skipped all but one are lost | `finishing::each_call_of_a_batch_has_its_own_substitute` |
//! | retries without a bound | `bounds::a_rail_that_always_retries_has_one_attempt_more_than_retries` |
//! | `max_retries: 0` retries once | `bounds::a_rail_that_always_retries_has_one_attempt_more_than_retries`, `retry::zero_retries_mean_never` |
//! | used-up retries fall through to the next rail | `deciding::used_up_retries_do_not_fall_through_to_the_next_rail`, `retry::retries_that_are_used_up_name_rail_attempts_and_reason` |
//! | rails share one count of retries | `retry::each_rail_has_its_own_count`, `retry::each_operation_has_its_own_count` |
//! | a negative delay | `fail/returns/delay_is_a_negative_number`, `fail/returns/delay_is_a_negative_duration`, `fail/returns/retries_are_negative` |
//! | a delay of nothing, or of no end | `bounds::a_delay_of_zero_needs_no_clock`, `bounds::a_cancellation_ends_the_longest_possible_delay` |
//! | an abort says neither who nor why | `abort::an_abort_names_the_rail_that_decided`, `abort::the_rail_is_named_behind_every_guard_set`, `abort::the_error_of_an_abort_without_a_reason_says_that_it_has_none` |
//! | another rail is named than the one that decided | `deciding::rails_run_until_one_stops_and_the_error_names_it` |
//! | of several guards the last alone runs | `deciding::rails_run_until_one_stops_and_the_error_names_it` |
//! | an abort in a tool call is wrapped in another error | `abort::an_abort_in_a_tool_call_reaches_the_caller_of_the_run_as_it_is` |
//! | in your own loop, an abort of one call cancels those beside it | `abort::an_abort_of_one_tool_call_leaves_its_siblings_running` |
//! | an abort is noted, and the operation goes on | `agent_loop::an_abort_stops_the_second_rail_the_tool_and_the_run`, `rewriting::a_call_that_is_changed_and_then_refused_reaches_no_tool` |
//! | a rail aborts beside what it returns | `fail/returns/action_dropped`, `fail/returns/decision_dropped`, `fail/guarding/decision_dropped` |
//! | whatever is equal to an action is one: a text, a number | `fail/returns/text`, `fail/returns/truth_value`, `fail/hooks/returns_text`, `faults::a_substitute_of_the_wrong_type_is_a_fault` |
//! | an action at an event that does not allow it | `fail/returns/action_on_error`, `faults::an_illegal_action_of_a_plain_hook_is_a_fault_that_names_it` |
//! | an event is given the data of another | `fail/parameters/not_carried`, `fail/guarding/payload_of_another_event` |
//! | the error of a guard is swallowed, and the tool runs | `faults::a_fault_before_a_tool_keeps_it_from_running`, `fault_table::each_fault_has_the_consequence_in_the_table` |
//! | the error of a guard is a failure of the model, and the call is done again | `faults::a_fault_is_not_retried`, `bounds::a_fault_does_not_repeat_the_model_call` |
//! | the error of a guard is the result of the tool | `bounds::the_model_never_reads_a_fault_at_a_tool_call_because_the_run_ends`, `faults::a_fault_after_an_operation_is_the_error_and_not_a_result` |
//! | a guard that breaks lets everything pass, unless an option forbids it | `fault_table::each_fault_has_the_consequence_in_the_table` |
//! | a filter that breaks leaves its guard out | `tool_rails::arguments_that_do_not_fit_are_a_fault_with_the_place_in_the_json`, `provided::without_a_chain_a_missing_value_is_a_fault` |
//! | of several guards that break none decides | `deciding::the_first_of_two_faults_ends_the_run` |
//! | an error of an observer hides the first error | `faults::an_observer_that_faults_at_an_error_hides_nothing` |
//! | errors of observers are said to be logged, and end the run | `faults::an_observer_that_faults_is_logged_and_does_not_stop_the_run` |
//! | a rail that has failed leaves half of its data | `rewriting::values_shared_by_a_faulty_rail_are_gone_at_the_next_event` |
//! | a timeout that the agent's own path does not have | `bounds::a_timeout_bounds_a_rail_on_the_path_of_an_agent` |
//! | a change of arguments or messages reaches nobody | `rewriting::a_tool_runs_with_the_name_and_the_arguments_that_rails_changed`, `rewriting::the_model_reads_the_messages_that_rails_changed`, `mutation::changes_reach_the_tool_behind_every_guard_set` |
//! | the operation runs with its first input | `mutation::changes_to_arguments_reach_the_tool`, `rewriting::the_tool_calls_of_an_answer_can_be_changed_before_any_tool_is_asked` |
//! | start, end and error are reported on one path of two | `events::every_guard_set_serves_every_event_of_an_agent`, `lifecycle::start_and_finished_fire_on_every_run` |
//! | an event that is in no list, so that it never fires | `events::every_guard_set_serves_every_event_of_an_agent`, `events::a_plain_hook_is_called_at_every_point`, `events::these_tests_reach_each_event_of_a_run` |
//! | payloads lack what they promise | `events::the_payloads_of_an_agent_contain_all_promised_data` |
//! | a guard reads what nobody fills in | `events::the_payloads_of_an_agent_contain_all_promised_data`, `wire_format::fields_without_a_default_are_required` |
//! | an input that is no text is refused | `rewriting::an_input_of_several_parts_passes_the_rails_and_reaches_the_model`, `lifecycle::a_run_may_begin_with_parts_of_several_kinds` |
//! | rails that are registered for each run add up | `events::running_an_agent_again_does_not_multiply_its_rails` |
//! | a counter that is read and then written | `state::no_increment_is_lost_among_many_tasks` |
//! | a tool that is not known passes no rail | `agent_loop::the_rails_see_a_call_of_an_unknown_tool_and_its_failure` |
//! | calls beside one that ends the run are abandoned | `parallel_tools::an_abort_in_one_call_cancels_the_others_and_waits_for_them` |
//! | what is streamed passes other guards than what is not | `streaming::a_streamed_answer_and_a_whole_answer_have_the_same_result` |
//! | text leaves before a guard has seen what follows it | `streaming::text_is_released_before_the_model_has_finished`, `streaming::a_rail_on_the_whole_answer_sees_it_once` |
//! | an output is compacted away from its call | `compaction::kept_messages_stay_in_order_and_within_the_budget` |
//! | what was refused is seen by no audit | `always::always_rails_see_which_rail_stopped_the_event` |

mod bounds;
mod common;
mod deciding;
mod events;
mod finishing;
mod langchain;
mod rewriting;
mod traces;

use std::fs;
use std::path::Path;

/// The table is worth something as long as what it names is there.
#[test]
fn each_name_in_the_tables_is_a_test() {
    let rows = include_str!("main.rs").lines().filter_map(|line| line.strip_prefix("//! | "));
    let names = rows.filter_map(|row| row.split_once(" | ")).flat_map(|(_, tests)| tests.split('`').skip(1).step_by(2));
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let tests = workspace.join("tests/tests");
    let missing: Vec<_> = names
        .filter(|name| match name.split_once("::") {
            None => !workspace.join("ui-tests").join(name).with_extension("rs").is_file(),
            Some((file, test)) => {
                let files =
                    ["upstream", "guards", "agent"].map(|folder| tests.join(folder).join(file).with_extension("rs"));
                let source = files.iter().find_map(|file| fs::read_to_string(file).ok()).unwrap_or_default();
                !source.contains(&format!("fn {test}("))
            }
        })
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}
