"""What this project promises, each with the tests that prove it: `python -m tests.promises` writes PROMISES.md.

A test proves a promise by its name, `test_promise_NN_…`, or because the row here names it. tests/test_promises.py
refuses a promise without a test and a page that names a test which is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "tests" / "PROMISES.md"
TESTS: Final = ROOT / "tests"
_TEST: Final = re.compile(r"^(?:async )?def (test_\w+)\(", re.MULTILINE)
_NAMED: Final = re.compile(r"test_promise_(\d\d)_\w+")


@dataclass(frozen=True)
class Promise:
    """A promise in one sentence, tests beside those that are named for it, and what is kept otherwise than it says."""

    text: str
    proofs: tuple[str, ...] = ()
    note: str = ""


RELAY, LIFE = "tests/gateway/functions/test_relay.py", "tests/gateway/functions/test_lifecycle.py"
HOSTILE, WORKERS = "tests/gateway/functions/test_hostile.py", "tests/ops/test_workers.py"
SUBMIT, STORE, CARE = (
    "tests/functions/test_submit.py",
    "tests/functions/test_submit_lead.py",
    "tests/functions/test_lead_care.py",
)
WORKER, MAIL, EDITOR = (
    "tests/gateway/jobs/test_worker.py",
    "tests/gateway/mail/test_message.py",
    "tests/e2e/test_editor.py",
)

PARTS: Final[Mapping[str, Mapping[int, Promise]]] = {
    "Fidelity and honesty": {
        1: Promise("The same cases hold against this gateway and, with `--base-url`, against the original"),
        2: Promise(
            "What a site asked for is recorded as it passed, and compared with what differs between any two servers put"
            " in today's values",
        ),
        3: Promise("What is not known (operator, strict preference, header, method, route) is refused by name"),
        4: Promise("The parity page says yes only where a test called the method and passed"),
        5: Promise("Every call of the site runs through the unmodified supabase-js in a browser"),
    },
    "Tables": {
        6: Promise("GET and HEAD run read only; a writing function called by GET is 405, `25006`"),
        7: Promise("What is malformed is refused without a database connection"),
        8: Promise("Nothing of a client reaches SQL unbound or unquoted"),
        9: Promise("No answer exceeds the row cap; Content-Range, 206 and 416 agree with it"),
        10: Promise(
            "UPDATE and DELETE without a filter are refused, as hosted projects refuse them; `max-affected` undoes a"
            " write that is too large",
        ),
        11: Promise("A burst of schema changes makes at most two reloads; requests meanwhile use the old schema"),
        12: Promise("Role, claims and headers belong to one transaction; the next request sees none of them"),
    },
    "Connections and life cycle": {
        13: Promise("A lost database is 503 with Retry-After, tried again for ever, and needs no restart"),
        14: Promise("A wrong password, a missing database, an unreachable host at the start: exit status 1, one line"),
        15: Promise("A pool that stays full is 504 `PGRST003`, and told a few times only"),
        16: Promise("`live` and `ready` are told on the admin port alone, with the reason when not ready"),
        17: Promise("SIGTERM lets requests finish and exits with 0"),
        18: Promise("A new version takes over the port without a failed request"),
        19: Promise("kill -9 leaves no process and needs no repair"),
        20: Promise("A second gateway on one data folder is told the first one's process and port"),
        21: Promise("Changed keys and settings take effect without a restart"),
        22: Promise("A changed `statement_timeout` of a role holds on connections that are kept"),
    },
    "Auth and sessions": {
        23: Promise("A refresh token works once; reuse ends the session and is noted"),
        24: Promise("Fifty refreshes at once leave one live successor"),
        25: Promise("Sign-out, ban, deletion and a new password end the right sessions at once"),
        26: Promise("Sessions end when unused, and after their whole life"),
        27: Promise("A dump of the database holds no token that works"),
        28: Promise("Unknown, wrong and banned differ neither in body nor in time"),
        29: Promise(
            "Guessing is slowed down by account and address, over restarts and workers, and locks no owner out"
        ),
        30: Promise("Only a named proxy may say a client's address"),
        31: Promise("Recovery tells nothing; its links work once, expire, and are limited"),
        32: Promise("Passwords: a least length, no rules of composition, nothing cut, common ones refused"),
        33: Promise("A new password needs proof, and its owner is told"),
        34: Promise("Forged and stale tokens are refused; short secrets stop the start"),
        35: Promise("No account without an administrator; the first is made once, with a one-time password"),
        36: Promise("No role reads or writes what it must not: role, table, verb, column; again over random schemas"),
        37: Promise("No secret is in the site, in logs or in errors"),
        38: Promise("Every act of auth leaves one row that nobody changes"),
    },
    "Functions": {
        39: Promise(
            "A function that loops, eats memory, exits or crashes is answered for, and harms no other",
            (
                f"{RELAY}::test_a_broken_function_answers_in_the_platform_s_words",
                f"{RELAY}::test_a_broken_function_neither_delays_nor_breaks_another",
                f"{RELAY}::test_a_function_that_died_answers_the_next_call",
                f"{HOSTILE}::test_a_function_reaches_nothing_but_its_own",
                f"{HOSTILE}::test_a_fork_bomb_is_small_and_ends_with_its_function",
                f"{HOSTILE}::test_a_file_and_the_number_of_files_are_bounded",
                f"{HOSTILE}::test_what_its_processes_take_together_is_bounded",
                f"{HOSTILE}::test_a_gigabyte_of_output_is_a_few_megabytes_of_log",
                f"{HOSTILE}::test_a_child_ends_with_a_function_that_dies",
            ),
        ),
        40: Promise(
            "A syntax error on save is shown to the caller in development, never answered from old code, gone with the"
            " next save; a deployed version serves on",
            (
                f"{LIFE}::test_a_saved_syntax_error_is_shown_to_the_caller_and_never_answered_from_old_code",
                f"{LIFE}::test_whatever_is_broken_by_a_save_is_told_and_mended_by_the_next",
                f"{LIFE}::test_a_deploy_that_does_not_start_changes_nothing",
                f"{LIFE}::test_a_broken_configuration_leaves_the_old_one_in_force",
            ),
        ),
        41: Promise(
            "Deploys and rollbacks under load fail no call and mix no versions",
            (
                f"{LIFE}::test_deploys_under_load_fail_no_call_and_mix_no_versions",
                f"{LIFE}::test_a_slow_call_ends_on_the_version_it_began_on",
                f"{LIFE}::test_a_rollback_serves_the_version_before",
                f"{LIFE}::test_what_a_call_imports_late_is_of_its_own_version",
                f"{LIFE}::test_many_deploys_at_once_end_with_one_of_them",
                f"{WORKERS}::test_once_a_deploy_was_answered_every_worker_answers_with_the_new_version",
                f"{WORKERS}::test_a_rollback_and_a_deletion_hold_for_every_worker_at_once",
                f"{WORKERS}::test_no_call_fails_while_versions_are_deployed_through_any_worker",
            ),
        ),
        42: Promise(
            "A function sees its own variables and no other's; secrets are redacted",
            (
                f"{RELAY}::test_a_function_sees_the_injected_variables_and_no_others",
                f"{RELAY}::test_a_secret_is_redacted_from_the_log",
                f"{RELAY}::test_a_function_sees_no_neighbour_s_variables_wherever_it_looks",
                f"{RELAY}::test_a_secret_is_redacted_however_it_is_printed",
                f"{RELAY}::test_a_secret_in_a_module_that_does_not_load_is_redacted_in_the_answer",
                f"{HOSTILE}::test_a_function_s_memory_holds_no_neighbour_s_secret",
            ),
        ),
    },
    "Leads and mail": {
        43: Promise(
            "No browser with a saved address fills the trap, and no person meets it",
            (
                "tests/e2e/test_requests.py::test_a_browser_with_a_saved_address_never_fills_a_trap",
                "tests/e2e/test_quote.py::test_the_trap_is_out_of_reach_of_people_and_their_tools",
            ),
        ),
        44: Promise(
            "What a trap catches looks like success, and is kept and releasable",
            (
                f"{SUBMIT}::test_a_sprung_trap_looks_like_success_and_keeps_the_submission",
                f"{CARE}::test_a_released_submission_is_stored_with_its_own_time_and_mailed",
                f"{CARE}::test_a_submission_is_released_once",
                f"{CARE}::test_a_submission_that_breaks_the_form_s_rules_stays_in_quarantine",
                f"{STORE}::test_what_a_trap_caught_is_kept_and_not_mailed",
                f"{STORE}::test_a_retry_is_quarantined_once",
            ),
        ),
        45: Promise(
            "A lead that was acknowledged is never lost and never doubled",
            (
                "tests/functions/test_no_lead_lost.py::test_every_acknowledged_lead_and_its_mails_survive_every_kill",
                f"{STORE}::test_concurrent_retries_store_one_lead",
                f"{STORE}::test_a_retry_stores_nothing_twice",
                f"{STORE}::test_a_retry_is_answered_even_above_the_limit",
                f"{STORE}::test_a_retry_of_what_is_held_stays_one_lead",
                f"{STORE}::test_a_flood_from_many_addresses_loses_nobodys_lead",
                f"{STORE}::test_a_mail_that_cannot_be_queued_leaves_no_lead",
                f"{SUBMIT}::test_one_key_for_two_messages_loses_neither",
                f"{SUBMIT}::test_a_retry_under_one_key_stores_one_lead",
                f"{SUBMIT}::test_characters_that_the_database_cannot_hold_lose_no_lead",
                "tests/chaos/test_chaos.py::test_nothing_acknowledged_is_lost_or_doubled_under_kills",
            ),
        ),
        46: Promise(
            "A dead mail server only delays; a mail is sent once; a refusal is kept with its reason",
            (
                f"{WORKER}::test_a_dead_mail_server_only_delays_mails",
                f"{WORKER}::test_a_mail_noted_as_sent_is_not_sent_again",
                f"{WORKER}::test_a_job_of_a_killed_worker_is_taken_up_again",
                f"{CARE}::test_a_dead_mail_is_listed_with_the_server_s_reason",
                f"{WORKER}::test_a_refusal_is_tried_again_only_when_that_may_help",
                f"{WORKER}::test_a_server_that_takes_its_time_gets_a_mail_once",
                f"{WORKER}::test_a_mail_with_a_smuggled_recipient_is_refused_and_kept",
                f"{CARE}::test_a_sent_mail_goes_again_as_a_copy",
            ),
        ),
        47: Promise(
            "Nothing in a field adds a header, a recipient or markup to a mail",
            (
                f"{MAIL}::test_a_line_break_in_a_subject_adds_no_header",
                f"{MAIL}::test_only_a_single_address_is_a_recipient",
                f"{MAIL}::test_only_harmless_headers_may_be_set",
                f"{MAIL}::test_a_header_value_stays_on_its_line",
                f"{MAIL}::test_direction_marks_do_not_disguise_a_subject",
                f"{SUBMIT}::test_markup_and_line_breaks_of_a_visitor_stay_words",
            ),
        ),
        48: Promise(
            "Limits by address, e-mail and form; a flood on one form closes no other",
            (
                f"{SUBMIT}::test_too_many_from_one_sender_are_asked_to_wait",
                f"{STORE}::test_a_flood_on_one_form_does_not_close_another",
                f"{STORE}::test_submissions_wait_as_long_as_their_limits_say",
                f"{STORE}::test_a_flood_from_one_address_does_not_close_the_form",
                f"{STORE}::test_a_wait_of_less_than_a_second_is_a_wait",
                f"{SUBMIT}::test_a_client_cannot_choose_the_address_it_is_counted_by",
            ),
        ),
        49: Promise(
            "A person who is erased is nowhere, not even after a restore",
            (
                f"{CARE}::test_an_erased_person_is_nowhere",
                f"{CARE}::test_a_person_restored_from_a_backup_is_erased_again",
                f"{CARE}::test_an_erased_person_is_taken_out_of_the_audit_log_and_of_every_mail",
                f"{CARE}::test_an_erased_person_is_in_no_log_and_in_no_recording",
                f"{CARE}::test_an_erasure_says_which_copies_name_the_person_and_until_when",
            ),
        ),
        50: Promise(
            "An exported cell is never a formula, and each export is noted",
            (
                f"{CARE}::test_an_exported_cell_is_never_a_formula",
                f"{CARE}::test_an_export_holds_every_lead_and_is_noted",
                f"{CARE}::test_audit_rows_are_never_changed",
                "tests/e2e/test_leads.py::test_leads_are_for_administrators_alone",
            ),
        ),
    },
    "Blog and administration": {
        51: Promise(
            "Hostile HTML is stored clean, and shown inert if it got in",
            (
                "tests/e2e/test_hostile_html.py::test_an_administrators_hostile_html_is_stored_clean",
                "tests/e2e/test_hostile_html.py::test_hostile_html_that_got_in_is_shown_inert",
                "tests/gateway/rest/test_payload.py::test_no_form_of_a_value_passes_the_guard",
                "tests/functions/test_pages.py::test_nothing_an_author_writes_runs",
                "tests/functions/test_pages.py::test_nothing_in_the_list_runs",
            ),
        ),
        52: Promise(
            "Two writers of one post never overwrite each other unseen",
            (f"{EDITOR}::test_two_writers_of_one_post_never_overwrite_each_other_unseen",),
        ),
        53: Promise(
            "A crash or an expired session loses no more than seconds of writing",
            (
                f"{EDITOR}::test_after_a_crash_the_unsaved_work_is_offered",
                f"{EDITOR}::test_work_outlives_an_expired_session",
            ),
        ),
        54: Promise(
            "Of a large upload the good rows arrive and the bad ones are named; two at once lose nothing",
            (
                "tests/e2e/test_bulk_upload.py::test_bad_entries_are_named_and_good_ones_arrive",
                "tests/e2e/test_bulk_upload.py::test_a_thousand_posts_go_in_batches_while_the_page_lives",
                "tests/e2e/test_bulk_upload.py::test_two_uploads_at_once_lose_nothing",
            ),
        ),
    },
    "Operations": {
        55: Promise("A copy verifies and restores whole; a damaged or newer one is refused with the reason"),
        56: Promise("A copy that fails leaves the former one as it was"),
        57: Promise(
            "An id on every answer finds the request in the access log, in Postgres, in the function's log, in its"
            " mails and audit rows",
            note="A read bears an id in Postgres only if it brought one: reads that are alike are bound once",
        ),
        58: Promise("The metrics say what happened"),
        59: Promise("Data of older versions is carried over; a database of a newer one is refused"),
        60: Promise("Every check scans for secrets, licences and dependencies; the wheel is whole without a network"),
    },
    "Changes of tables": {
        61: Promise("Each subscriber hears of the rows that its policies show, and of no other"),
        62: Promise("A DELETE under row level security tells the key alone"),
        63: Promise("Nothing of one subscriber's question to the database reaches the next one's"),
        64: Promise("A reader that dies is replaced; no change is lost or doubled"),
        65: Promise("What the bus loses between processes is asked for"),
        66: Promise("A client that returns gets what it missed, or is told that it cannot"),
        67: Promise("Who stays connected to a worker that lives misses nothing when the one that reads is killed"),
        68: Promise("Postgres may be killed: every committed change comes once, in order, once it is up again"),
        69: Promise("No row is missed because its commit is read before others see it"),
    },
}


@cache
def tests() -> frozenset[str]:
    """The id of every test function."""
    return frozenset(
        f"{path.relative_to(ROOT).as_posix()}::{name}"
        for path in TESTS.rglob("test_*.py")
        if "samples" not in path.parts
        for name in _TEST.findall(path.read_text())
    )


def proofs(number: int, promise: Promise) -> list[str]:
    """Ids of the tests of a promise: those that bear its number, and those its row names."""
    named = (id for id in tests() if (found := _NAMED.search(id)) and int(found[1]) == number)
    return sorted({*named, *promise.proofs})


def faults() -> Iterator[str]:
    """Promises without a test, and rows and tests that name what is not there."""
    known = {number: promise for part in PARTS.values() for number, promise in part.items()}
    for number, promise in known.items():
        if not proofs(number, promise):
            yield f"promise {number} has no test"
        for id in promise.proofs:
            if id not in tests():
                yield f"promise {number} names {id}, which is not there"
    for id in sorted(tests()):
        if (found := _NAMED.search(id)) and int(found[1]) not in known:
            yield f"{id} is named for a promise that is not there"


def page() -> str:
    """The page, anew."""
    lines = [
        "# Promises",
        "",
        "Written by `python -m tests.promises` from the names of the tests, never by hand; `make test` runs them all.",
    ]
    for title, part in PARTS.items():
        lines += ["", f"## {title}", "", "| | Promise | Shown by |", "| --- | --- | --- |"]
        for number, promise in part.items():
            text = promise.text + (f". {promise.note}" if promise.note else "")
            shown = ", ".join(f"`{id}`" for id in proofs(number, promise))
            lines.append(f"| {number} | {text} | {shown} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
