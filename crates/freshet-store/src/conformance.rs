//! What every store must do, written once: a backend is right when it passes all of this.
//!
//! [`check`] runs [`suite`] against a fresh store each; [`check_pair`] what needs two handles on
//! the same data, as two processes have; [`check_raw`] what needs a store that keeps raw
//! payloads. Nothing here knows a backend. Speed and crashes are each backend's own tests.

mod accounts;
mod across;
mod browse;
mod care;
mod complaints;
mod constraints;
mod control;
mod epochs;
mod forget;
mod forums;
mod interest;
mod keeping;
mod kit;
mod leads;
mod lists;
mod log;
mod members;
mod notices;
mod pages;
mod pair;
mod posts;
mod read;
mod relations;
mod sources;
mod streams;
mod subscriptions;
mod things;
mod unkept;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use self::kit::compare;
use crate::api::Store;

/// One behaviour; it panics where the store does not have it.
pub type Behaviour = fn(&mut dyn Store);
/// One behaviour of two handles on the same data.
pub type PairBehaviour = fn(&mut dyn Store, &mut dyn Store);

macro_rules! behaviours {
    ($($room:ident :: $name:ident),* $(,)?) => {
        &[$((concat!(stringify!($room), "::", stringify!($name)), $room::$name)),*]
    };
}

/// The behaviours of one handle.
pub fn suite() -> &'static [(&'static str, Behaviour)] {
    behaviours![
        posts::new_posts_are_reported_and_come_back_whole,
        posts::the_same_upload_twice_changes_nothing,
        posts::ids_are_unique_per_network_only,
        posts::an_edit_replaces_the_text_and_is_logged,
        posts::counts_change_quietly,
        posts::a_short_form_takes_nothing_away,
        posts::a_deletion_marks_and_keeps_the_text,
        posts::a_tombstone_of_an_unknown_post_is_stored_as_deleted,
        posts::a_deleted_post_can_come_back,
        posts::the_word_of_the_network_deletes,
        posts::missing_is_reported_and_not_deleted,
        posts::missing_are_those_of_the_own_list,
        posts::embedded_posts_are_stored_but_not_new_in_the_list,
        posts::depth_only_gets_smaller,
        posts::an_upload_that_fails_nowhere_applies_in_order,
        accounts::a_partial_account_erases_nothing,
        accounts::authors_become_known_accounts,
        accounts::the_suspended_are_invalid_until_they_are_back,
        accounts::an_unknown_account_can_be_found_invalid,
        accounts::a_bare_mention_says_nothing_about_the_state,
        accounts::a_new_name_is_an_edit_and_new_counts_are_not,
        accounts::opting_out_is_kept,
        accounts::the_own_account_is_not_a_step_away,
        relations::relations_are_stored_once_and_make_accounts_known,
        relations::a_swept_list_cancels_what_it_lacks,
        relations::a_sweep_keeps_to_its_direction,
        relations::a_cancelled_relation_is_revived_when_seen,
        relations::a_late_page_revives_nothing,
        relations::tags_that_vanish_are_cancelled_and_come_back,
        log::the_log_has_every_change_in_order,
        log::an_object_is_found_by_its_number,
        log::an_object_knows_what_the_source_that_found_it_wants,
        log::cursors_start_at_zero_and_stay,
        log::numbers_are_never_given_twice,
        log::a_change_says_who_found_it,
        sources::a_source_is_added_once,
        sources::a_removed_source_is_revived,
        sources::a_source_that_is_added_again_obeys,
        sources::sources_come_back_whole,
        sources::sources_are_found_by_what_people_type,
        sources::slots_come_in_order_above_a_number,
        sources::states_are_set_and_counted,
        sources::a_visit_does_not_undo_remove,
        sources::whoever_is_named_by_number_is_watched_again,
        sources::a_visit_does_not_undo_watching_again,
        sources::a_visit_does_not_undo_opting_out,
        sources::a_visit_does_not_undo_a_shorter_way,
        sources::a_weight_is_a_persons_word,
        sources::late_pages_of_a_forgotten_source_are_dropped,
        sources::instances_keep_their_care,
        epochs::an_upload_of_an_earlier_lease_is_refused_whole,
        epochs::the_first_word_of_a_lease_takes_the_source_over,
        epochs::leases_are_told_apart_within_one_transaction,
        control::messages_are_read_above_a_number,
        control::robots_start_as_the_paper_says,
        control::settings_are_kept,
        control::settings_are_written_and_listed_together,
        control::visit_numbers_are_reserved_once,
        control::parked_objects_wait_and_are_dropped,
        read::filters_choose_by_time_and_network,
        read::one_post_and_one_account_are_found_by_id,
        read::reading_stops_when_told,
        read::search_finds_words_and_shows_them,
        read::search_understands_operators_and_refuses_nonsense,
        read::search_follows_edits,
        read::search_forgets_a_text_that_was_taken_out,
        read::the_index_is_brought_up_in_steps,
        read::counts_are_those_of_the_rows,
    ]
}

/// The behaviours of types, of things, of links that no row tells, and of streams.
pub fn things_suite() -> &'static [(&'static str, Behaviour)] {
    behaviours![
        posts::types_that_share_their_ids_share_their_posts,
        posts::the_same_id_of_two_types_is_two_posts,
        things::things_are_stored_once_and_filled_in,
        things::a_post_an_account_and_a_thing_may_share_an_id,
        things::members_are_stored_swept_and_revived,
        things::a_single_link_leads_to_one_object,
        things::objects_are_counted_by_type,
        things::things_are_read_in_order_of_number,
        across::all_links_are_read_in_order_of_number,
        streams::a_stream_is_one_row_that_is_written_with_what_it_brought,
        streams::the_sources_of_a_stream_are_those_that_are_visited,
        things::what_is_forgotten_takes_its_links_along,
        across::links_across_keep_what_speaks_for_them,
        across::a_proven_link_outranks_a_mention,
        across::a_link_across_ends_when_a_whole_look_lacks_it,
        across::what_a_link_leads_to_becomes_a_stub_once,
        across::a_stub_that_is_read_is_an_ordinary_post,
        across::a_link_into_a_network_that_nobody_reads_stays_a_link,
        across::a_forgotten_stub_leaves_nothing,
    ]
}

/// The behaviours of reading in pages, and of answering people who look around.
pub fn browse_suite() -> &'static [(&'static str, Behaviour)] {
    behaviours![
        pages::pages_of_any_size_give_every_row_once,
        pages::what_is_written_while_somebody_reads_is_met_above,
        pages::many_things_are_answered_in_the_order_asked_for,
        browse::sources_are_listed_filtered_and_sorted,
        browse::networks_are_those_whose_servers_were_added,
        browse::posts_are_listed_and_filtered,
        browse::sources_are_known_by_names,
        browse::an_object_tells_its_history,
        members::collections_are_read_in_parts,
        members::what_leads_to_a_post_is_found_whichever_was_seen_first,
        members::lists_contain_lists_and_posts,
        browse::visits_are_listed_newest_first,
        browse::links_are_followed_both_ways,
        browse::rows_are_counted_by_day,
        forums::forums_say_what_is_complete,
        forums::lists_of_a_forum_are_shown_in_pages,
        forums::lists_have_the_titles_that_pages_showed,
    ]
}

/// The behaviours of content that is handed on and not kept, and of the account of what is kept.
pub fn keeping_suite() -> &'static [(&'static str, Behaviour)] {
    behaviours![
        unkept::content_is_not_kept_and_ids_and_counts_are,
        unkept::edits_and_deletions_are_known_by_fingerprints,
        unkept::a_new_profile_is_told_of_though_it_is_not_kept,
        unkept::whoever_has_a_pass_finds_what_is_passing,
        unkept::what_was_kept_stays_until_it_changes_or_is_taken_out,
        unkept::what_is_kept_again_comes_back_as_restored,
        unkept::a_source_may_keep_nothing_where_its_network_keeps,
        unkept::a_stream_keeps_of_each_author_what_their_source_does,
        unkept::what_lies_outside_of_what_is_collected_reaches_nobody,
        unkept::no_raw_payload_shows_what_is_not_kept,
        keeping::what_was_taken_out_has_a_fate,
        keeping::a_network_has_a_retention,
        keeping::a_source_is_kept_longer_or_shorter,
        keeping::erasures_are_noted_in_counts,
        keeping::exports_are_remembered,
        keeping::what_is_kept_has_a_reason,
    ]
}

/// The behaviours of lists: front pages, boards and threads.
pub fn lists_suite() -> &'static [(&'static str, Behaviour)] {
    behaviours![
        leads::a_list_that_a_page_leads_to_becomes_a_source,
        lists::lists_contain_lists_and_posts,
        lists::lists_are_called_what_the_list_above_calls_them,
        lists::the_log_tells_when_a_forum_was_learned_anew,
        lists::a_post_that_a_page_lacks_between_two_was_taken_out,
        lists::pages_are_worth_another_look_in_turn,
        lists::posting_times_are_those_of_the_list,
        lists::a_forgotten_list_leaves_nothing,
    ]
}

/// The behaviours of care: redacting, opting out, forgetting, expiring; and of what people ask about.
pub fn care_suite() -> &'static [(&'static str, Behaviour)] {
    behaviours![
        care::redacting_erases_the_content_of_deleted_posts,
        care::redacting_reaches_back,
        care::who_opts_out_is_left_alone,
        care::who_opts_out_is_left_alone_on_other_pages,
        care::forgetting_an_account_erases_all_of_it,
        care::forgetting_by_handle_and_by_number,
        care::forgetting_a_post_leaves_the_others,
        care::forgetting_a_feed_erases_what_it_brought,
        care::forgetting_takes_the_text_out_of_reposts,
        care::forgetting_nothing_says_so,
        care::posts_expire_with_their_source_and_stay_away,
        care::a_retention_set_later_reaches_back,
        care::posts_without_a_time_expire_too,
        care::what_was_parked_belongs_to_its_source,
        forget::who_is_forgotten_stays_forgotten,
        forget::reposts_do_not_bring_the_forgotten_back,
        forget::who_was_forgotten_by_handle_is_known_by_id,
        forget::forgotten_posts_and_lists_stay_away,
        forget::what_is_forgotten_of_one_type_is_not_of_another,
        forget::the_forgotten_are_not_added_again,
        forget::forgetting_can_be_taken_back,
        forget::somebody_may_be_kept_out_before_they_are_seen,
        forget::what_is_parked_shows_nobody_forgotten,
        forget::what_another_store_keeps_out_is_kept_out,
        sources::numbers_that_are_set_aside_are_given_elsewhere,
        forget::forgetting_goes_in_pieces,
        interest::inquiries_count_for_whom_they_show,
        interest::interest_lasts_seven_days,
        interest::who_is_forgotten_was_never_asked_about,
        interest::a_day_has_so_many_rows,
        interest::ranks_stand_for_the_lists_of_accounts,
        complaints::complaints_are_counted_by_kind_with_samples,
        complaints::an_upload_complains_once,
        complaints::kinds_of_complaints_are_bounded,
        complaints::samples_go_with_whom_they_may_show,
        complaints::samples_go_with_time_and_deleted_posts,
        complaints::complaints_of_a_forgotten_source_are_dropped,
    ]
}

/// The behaviours of subscriptions, and of entering the log for one.
pub fn subscription_suite() -> &'static [(&'static str, Behaviour)] {
    behaviours![
        log::the_log_is_entered_at_a_time,
        subscriptions::subscriptions_come_back_whole,
        subscriptions::how_far_a_subscriber_is_stays,
        subscriptions::a_persons_word_is_not_undone_by_a_run,
        subscriptions::a_removed_subscription_leaves_no_cursor,
        notices::who_is_forgotten_is_told_to_whoever_wants_to_hear,
        notices::a_notice_goes_when_all_have_taken_it,
        notices::nobody_is_waited_for_beyond_a_month_or_their_end,
    ]
}

/// The behaviours that constraints rely on.
pub fn constraint_suite() -> &'static [(&'static str, Behaviour)] {
    behaviours![
        constraints::withheld_posts_are_kept_up_to_date_and_not_stored_anew,
        constraints::withheld_posts_are_not_missing,
        constraints::what_is_withheld_of_one_type_is_not_of_another,
        constraints::withheld_accounts_and_their_relations_stay_out,
        constraints::what_was_withheld_can_be_let_in_by_the_same_transaction,
        constraints::parking_is_part_of_the_upload,
        constraints::forgetting_reaches_what_is_parked,
        constraints::withheld_things_and_their_links_stay_out,
        constraints::members_of_collections_come_newest_first,
        constraints::held_objects_are_judged_again_in_turn,
    ]
}

/// The behaviours of two handles on the same data.
pub fn pair_suite() -> &'static [(&'static str, PairBehaviour)] {
    behaviours![
        pair::visit_numbers_are_never_shared,
        pair::one_sees_what_the_other_applied,
        pair::both_may_write,
        pair::messages_cross,
        pair::a_network_named_by_both_is_one,
        pair::a_reader_of_the_log_skips_nothing_that_commits_late,
        epochs::who_was_taken_over_cannot_write,
        forget::what_one_forgets_the_other_does_not_store,
        forget::an_interrupted_forget_is_finished_by_another,
    ]
}

/// The behaviours of a store that keeps raw payloads.
pub fn raw_suite() -> &'static [(&'static str, Behaviour)] {
    behaviours![
        care::raw_payloads_go_with_what_they_show,
        care::raw_payloads_go_with_redacted_posts,
        forget::raw_payloads_show_nobody_forgotten,
    ]
}

/// Checks every behaviour of [`suite`], [`things_suite`], [`browse_suite`], [`lists_suite`], [`care_suite`], [`constraint_suite`] and
/// [`subscription_suite`], each with a store of its own.
pub fn check(make: impl Fn() -> Box<dyn Store>) {
    for behaviours in [
        suite(),
        things_suite(),
        keeping_suite(),
        browse_suite(),
        lists_suite(),
        care_suite(),
        constraint_suite(),
        subscription_suite(),
    ] {
        run(behaviours, |behaviour| behaviour(&mut *make()));
    }
}

/// Checks every behaviour of [`pair_suite`].
pub fn check_pair(make: impl Fn() -> (Box<dyn Store>, Box<dyn Store>)) {
    run(pair_suite(), |behaviour| {
        let (mut one, mut other) = make();
        behaviour(&mut *one, &mut *other);
    });
}

/// Checks every behaviour of [`raw_suite`].
pub fn check_raw(make: impl Fn() -> Box<dyn Store>) {
    run(raw_suite(), |behaviour| behaviour(&mut *make()));
}

/// Runs them all before it complains, so that one look shows everything that is wrong.
fn run<B: Copy>(behaviours: &[(&'static str, B)], one: impl Fn(B)) {
    let failed: Vec<_> = behaviours
        .iter()
        .filter(|(_, behaviour)| catch_unwind(AssertUnwindSafe(|| one(*behaviour))).is_err())
        .map(|(name, _)| *name)
        .collect();
    assert!(failed.is_empty(), "{} of {} behaviours failed: {failed:#?}", failed.len(), behaviours.len());
}
