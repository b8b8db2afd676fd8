"""Which tests have to notice when a module is broken: those that name its promise, and no others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Target:
    """One file and the tests that hold it."""

    path: str
    tests: tuple[str, ...]


REST: Final = "tests/gateway/rest"
AUTH: Final = "tests/gateway/auth"
OPERATIONS: Final = "tests/gateway/operations"
MONITOR: Final = "tests/gateway/operations/monitor"
EMAIL_CHANGE: Final = (
    "change_of_address",
    "current_address_that_became_another_makes_an_agreement_worthless",
    "mark_of_an_agreement_cannot_be_presented",
    "both_mailboxes_at_once_change_the_address",
    "each_mailbox_there_is_gets_a_mail_where_changes_are_secure",
    "the_trail_tells_half_a_change_from_a_whole_one",
    "a_resend_leaves_alone_what_became_another_change_while_it_waited",
)
HOOKS: Final = "tests/schema/test_hooks.py"
QUEUE: Final = "tests/gateway/jobs/test_mail_queue.py"


def _rest(*names: str) -> tuple[str, ...]:
    return tuple(f"{REST}/test_{name}.py" for name in names)


TARGETS: Final = (
    Target(
        "gateway/rest/parse/filters.py", (*_rest("filters", "grammars", "prepare"), "gateway/rest/parse/filters.py")
    ),
    Target("gateway/rest/parse/select.py", (*_rest("select", "grammars"), "gateway/rest/parse/select.py")),
    Target(
        "gateway/rest/parse/query_shape.py",
        (*_rest("shape", "prepare", "grammars"), "gateway/rest/parse/query_shape.py"),
    ),
    Target("gateway/rest/parse/order.py", _rest("order", "grammars")),
    Target(
        "gateway/rest/parse/grammar.py",
        (*_rest("select", "filters", "order", "grammars"), "gateway/rest/parse/grammar.py"),
    ),
    Target("gateway/rest/parse/ranges.py", _rest("ranges")),
    Target("gateway/rest/parse/prefer.py", _rest("prefer")),
    Target("gateway/rest/limits.py", _rest("grammars", "prepare")),
    Target("gateway/rest/planner/read.py", _rest("plan", "embed", "statements", "prepare")),
    Target("gateway/rest/planner/resolver.py", _rest("plan", "embed", "statements", "prepare")),
    Target("gateway/rest/planner/ties.py", _rest("plan", "embed", "statements", "prepare")),
    Target("gateway/rest/planner/write.py", _rest("plan", "embed", "statements", "prepare")),
    Target("gateway/rest/planner/embed.py", _rest("embed", "statements")),
    Target("gateway/rest/planner/call.py", _rest("call", "statements")),
    Target("gateway/rest/planner/prepare.py", _rest("prepare", "statements")),
    Target("gateway/rest/parse/plan_key.py", _rest("statements", "prepare", "plan_key")),
    Target("gateway/rest/statements/read.py", _rest("statements")),
    Target("gateway/rest/statements/write.py", _rest("statements", "prepare")),
    Target("gateway/rest/statements/clauses.py", _rest("statements", "prepare")),
    Target("gateway/rest/body/payload.py", (*_rest("payload", "rows"), "gateway/rest/body/payload.py")),
    Target("gateway/rest/body/jsonscan.py", _rest("jsonscan", "payload", "rows")),
    Target("gateway/rest/body/reader.py", _rest("bodies")),
    Target("gateway/auth/store/limits.py", (f"{AUTH}/test_throttle.py",)),
    Target(
        "gateway/auth/flows/email_change.py",
        # the rules by themselves, then the sequences that have a name; a hundred drawn ones a mutant take minutes
        (
            f"{AUTH}/test_email_change_rules.py",
            *(f"{AUTH}/test_email_change.py::test_{name}" for name in EMAIL_CHANGE),
        ),
    ),
    Target("gateway/auth/flows/rotation.py", (f"{AUTH}/test_sessions.py",)),
    Target("gateway/auth/flows/refresh.py", (f"{AUTH}/test_refresh.py",)),
    Target("gateway/auth/crypto/tokens.py", (f"{AUTH}/test_codes.py",)),
    Target("gateway/identity/tokens.py", ("tests/gateway/identity/test_tokens.py",)),
    Target("gateway/auth/flows/verify.py", (f"{AUTH}/test_links.py", f"{AUTH}/test_guesses.py")),
    Target("gateway/auth/redirects.py", (f"{AUTH}/test_redirects.py", "gateway/auth/redirects.py")),
    Target("gateway/claims/json_path.py", ("tests/gateway/claims", "gateway/claims")),
    Target("gateway/claims/role_claim.py", ("tests/gateway/claims", "gateway/claims/role_claim.py")),
    Target("gateway/mail/delivery.py", ("tests/gateway/mail/test_delivery.py",)),
    Target(
        "gateway/jobs/worker.py",
        ("tests/gateway/jobs/test_mail_retry.py", "gateway/jobs/worker.py", "tests/gateway/jobs/test_worker.py"),
    ),
    Target("gateway/mail/message.py", ("tests/gateway/mail", "gateway/mail")),
    Target("gateway/operations/monitor/alarms.py", (f"{MONITOR}/test_bounds.py", f"{MONITOR}/test_alarms.py")),
    Target("gateway/operations/monitor/checks.py", (f"{MONITOR}/test_bounds.py", f"{MONITOR}/test_checks.py")),
    Target("gateway/encryption/files.py", ("tests/gateway/encryption/test_files.py", "gateway/encryption/files.py")),
    Target("gateway/identity/keyring.py", ("tests/gateway/identity/test_keyring.py",)),
    Target("gateway/auth/crypto/passwords.py", (f"{AUTH}/test_passwords.py", "gateway/auth/crypto/passwords.py")),
    Target("gateway/operations/backup.py", (f"{OPERATIONS}/test_backup.py", "gateway/operations/backup.py")),
    Target("gateway/operations/erasure.py", (f"{OPERATIONS}/test_erasure.py", "gateway/operations/erasure.py")),
    Target("gateway/operations/spellings.py", (f"{OPERATIONS}/test_spellings.py",)),
    Target("gateway/operations/restore.py", (f"{OPERATIONS}/test_restore.py",)),
    Target("gateway/operations/maintenance.py", (f"{OPERATIONS}/test_maintenance.py",)),
    Target("gateway/lru_cache.py", ("tests/gateway/test_lru_cache_model.py", "gateway/lru_cache.py")),
    Target("gateway/middleware/limits.py", ("tests/gateway/middleware/test_limits.py",)),
    Target("functions/shared/leads.py", ("tests/functions/test_leads.py",)),
    Target("schema/migrations/0032_submit_lead.sql", ("tests/functions/test_submit_lead.py",)),
    Target("schema/migrations/0033_lead_care.sql", ("tests/functions/test_lead_care.py",)),
    Target("schema/migrations/0060_clock_ahead.sql", ("tests/functions/test_submit_lead.py",)),
    Target("schema/migrations/0062_held_leads.sql", ("tests/functions/test_submit_lead.py",)),
    Target("schema/migrations/0090_hooks.sql", (QUEUE, "tests/functions/test_submit_lead.py")),
    Target("gateway/migrations/jobs/0040_sent_auth_mails.sql", (QUEUE,)),
    Target("gateway/migrations/jobs/0051_request_ids.sql", (QUEUE,)),
    Target("gateway/migrations/jobs/0063_job_troubles.sql", (QUEUE,)),
    Target("gateway/migrations/gateway/0090_hooks.sql", (HOOKS,)),
    Target("gateway/migrations/gateway/0091_tallies.sql", (HOOKS,)),
    Target("gateway/migrations/gateway/0092_erasure.sql", (QUEUE,)),
    Target("gateway/migrations/gateway/0093_retention.sql", (QUEUE, "tests/gateway/jobs/test_retention.py")),
)
