"""Which tests have to notice when a module is broken: those that name its promise, and no others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Target:
    """One file and the tests that hold it; `functions` are those of a SQL file, all of them where there are none."""

    path: str
    tests: tuple[str, ...]
    functions: tuple[str, ...] = ()


REST: Final = "tests/gateway/rest"
AUTH: Final = "tests/gateway/auth"

TARGETS: Final = (
    Target("gateway/rest/filters.py", (f"{REST}/test_filters.py", f"{REST}/test_shape.py", f"{REST}/test_plan_key.py")),
    Target("gateway/rest/select.py", (f"{REST}/test_select.py", "tests/contract/test_cases.py")),
    Target("gateway/rest/shape.py", (f"{REST}/test_shape.py", f"{REST}/test_plan_key.py")),
    Target("gateway/rest/order.py", (f"{REST}/test_order.py",)),
    Target("gateway/rest/plan.py", (f"{REST}/test_plan.py", f"{REST}/test_embed.py", "tests/contract/test_cases.py")),
    Target("gateway/rest/embed.py", (f"{REST}/test_embed.py", "tests/contract/test_cases.py")),
    Target("gateway/rest/prepare.py", (f"{REST}/test_plan_key.py", "tests/contract/test_cases.py")),
    Target("gateway/rest/plan_key.py", (f"{REST}/test_plan_key.py",)),
    Target("gateway/rest/grammar.py", (f"{REST}/test_shape.py", f"{REST}/test_filters.py", f"{REST}/test_select.py")),
    Target(
        "gateway/auth/limits.py", (f"{AUTH}/test_limits.py", f"{AUTH}/test_guesses.py", f"{AUTH}/test_clock_ahead.py")
    ),
    Target("gateway/auth/email_change.py", (f"{AUTH}/test_email_change.py",)),
    Target("gateway/auth/tokens.py", (f"{AUTH}/test_token.py", f"{AUTH}/test_guards.py", f"{AUTH}/test_refresh.py")),
    Target("gateway/auth/refresh.py", (f"{AUTH}/test_refresh.py",)),
    Target("gateway/identity/tokens.py", ("tests/gateway/identity/test_tokens.py", f"{AUTH}/test_guards.py")),
    Target("gateway/mail/delivery.py", ("tests/gateway/mail",)),
    Target("gateway/jobs/worker.py", ("tests/gateway/jobs", "gateway/jobs")),
    Target("gateway/mail/message.py", ("tests/gateway/mail", "gateway/mail")),
    Target("gateway/operations/monitor/alarms.py", ("tests/gateway/operations/monitor",)),
    Target("gateway/operations/monitor/checks.py", ("tests/gateway/operations/monitor",)),
    Target("gateway/operations/backup.py", ("tests/ops/test_backup.py",)),
    Target("gateway/operations/maintenance.py", ("tests/ops/test_maintenance.py",)),
    Target("gateway/lru_cache.py", ("tests/gateway/test_lru_cache.py",)),
    Target("gateway/middleware/limits.py", ("tests/gateway/middleware/test_limits.py",)),
    Target("functions/shared/leads.py", ("tests/functions/test_forms.py", "tests/functions/test_submit.py")),
    Target("schema/migrations/0060_clock_ahead.sql", ("tests/functions/test_submit_lead.py",)),
    Target("schema/migrations/0062_held_leads.sql", ("tests/functions/test_submit_lead.py",)),
    Target("schema/migrations/0033_lead_care.sql", ("tests/functions/test_lead_care.py",)),
    Target("schema/migrations/0063_job_troubles.sql", ("tests/gateway/operations/monitor",)),
)
