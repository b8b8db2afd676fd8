"""Changes that no test can notice, because the program does the same with them; they are not counted as mutants.

Each names a line of the module, what it becomes, and why that is the same. A line that is gone is a fault of this table
(tests/mutation/test_mutation.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Equivalent:
    line: str
    broken: tuple[str, ...]
    why: str


_PRESENT: Final = '        " and (t.updated_at > ", _NOW,'
_WRITTEN: Final = "        self._written: tuple[float, list[Alarm]] = (0.0, [])"
_DUE: Final = "    return now - alarm.since >= PATIENCE.get(alarm.kind, 0.0)"
_SAME: Final = "        if alarms == before and at <= now < at + SILENT / 3:"
_LONGEST: Final = "LONGEST: Final = 62  # characters of a refresh token whose counter is the largest"
_QUICK: Final = '    if "\\\\" in joined or joined.count(\'"\') != 2 * (len(items) - 1):'


def _bound(line: str, number: str) -> Equivalent:
    """A bound of memory, a byte of which is nobody's."""
    value = int(number)
    return Equivalent(line, (line.replace(number, str(value + 1)), line.replace(number, str(value - 1))), "a byte")


def _only(line: str, *, row: str = "[0][0]") -> Equivalent:
    """One row of one column, whose first is its last."""
    places = [at for at in range(len(row)) if row.startswith("[0]", at)]
    negative = [row[:at] + "[ -1]" + row[at + 3 :] for at in places]
    return Equivalent(line, tuple(line.replace(row, other) for other in negative), "the first of one is the last")


_MAX_JSON: Final = (
    "MAX_JSON: Final = 60_000_000  # bytes of the JSON that is made of a CSV body, whose every row has the names again"
)

_PART_OF_SHAPE: Final = "    return bind(convert(literal.text) if convert is not None else literal.text)"
_OFF: Final = "        made: LruCache[Any, Any] = LruCache(most_bytes if self.enabled else 0, most_entries)"

_THREADS: Final = "        self.threads = threads or max(1, (os.cpu_count() or 2) // 2)"
_SCRYPT_MOST: Final = "_SCRYPT_MEMORY: Final = 128 * 1024 * 1024  # bytes: a hash that asks for more is not computed"
_SCRYPT_CALL: Final = (
    "        password, salt=salt, n=1 << log_n, r=r, p=p, dklen=length, maxmem=_SCRYPT_MEMORY + 1024 * 1024"
)
_OBSTACLE: Final = "            raise MaintenanceError(reason_why.format(found[0][0]))"
_NO_GRACE: Final = "grace: float = 0.0, idle_grace: float = 0.0"
_END_SESSIONS: Final = f"def _end_sessions(connection: SyncConnection, pids: set[str], {_NO_GRACE}) -> None:"
_GRACES: Final = ("grace", "idle_grace")
_MANIFEST_TEXT: Final = "        (folder / MANIFEST).write_text(json.dumps(manifest, indent=2))"
_SETTINGS_TEXT: Final = (
    "        (folder / SETTINGS).write_text(json.dumps(public_settings(settings), indent=2, sort_keys=True))"
)
_LEAD_LOCK: Final = "    perform pg_advisory_xact_lock(hashtextextended('lead ' || form || ' ' || idempotency_key, 0));"
_COUNTED: Final = (
    "    token = codes.make_refresh_token(session.id, session.counter or 0, context.secret.session_key(key))"
)
_ANY_OLD: Final = (
    "  if exists (select from auth.audit_log_entries where created_at < now() - make_interval(days => days)) then"
)
_PAUSES: Final = (
    "        return float(min(LONGEST_PAUSE, UNANSWERED_PAUSE * 2 ** min(attempts, 20)))",
    "    return float(min(longest, FIRST_PAUSE * 2 ** min(attempts, 20)))",
)
_JOB: Final = "        process.stdin.write(FRAME.pack(False, len(job), len(body)) + job)"
_DUE_NOW: Final = "    where job.status = 'todo' and (job.scheduled_at is null or job.scheduled_at <= now())"
_DRAWN_IN: Final = "it is drawn in for people, and read as JSON"

EQUIVALENTS: Final[dict[str, tuple[Equivalent, ...]]] = {
    "schema/migrations/0062_held_leads.sql": (
        Equivalent(_LEAD_LOCK, (_LEAD_LOCK.replace(", 0", ", 1"),), "a lock's name is as good by any seed"),
    ),
    "gateway/migrations/gateway/0091_tallies.sql": (
        Equivalent(_DUE_NOW, (_DUE_NOW.replace("<= now", "< now"),), "a job that is due now has waited for 0 seconds"),
    ),
    "gateway/migrations/gateway/0093_retention.sql": (
        Equivalent(
            _ANY_OLD,
            (_ANY_OLD.replace(" < ", " <= "),),
            "a log without an older row is opened and shut, and nothing is removed",
        ),
    ),
    "gateway/jobs/worker.py": (
        *(
            Equivalent(
                line, (line.replace("20)", "21)"), line.replace("20)", "19)")), "the pause is the longest long before"
            )
            for line in _PAUSES
        ),
        Equivalent(
            "RECONNECT: Final = 2.0  # seconds",
            tuple(f"RECONNECT: Final = {pause}  # seconds" for pause in ("1.0", "3.0")),
            "any short pause does",
        ),
        Equivalent(
            "        max_size=CONCURRENCY + 2 * len(QUEUES),",
            tuple(f"        max_size=CONCURRENCY {more} * len(QUEUES)," for more in ("- 2", "+ 1", "+ 3")),
            "jobs wait for a connection of the queue's pool for moments only",
        ),
        Equivalent(
            "        min_size=1,",
            ("        min_size= 0,", "        min_size= 2,"),
            "a connection is opened when asked for",
        ),
    ),
    "gateway/auth/flows/refresh.py": (
        Equivalent(
            _COUNTED,
            (_COUNTED.replace("or 0", "or 1"), _COUNTED.replace("or 0", "or -1")),
            "a session whose token was replaced counts one at least",
        ),
    ),
    "gateway/claims/json_path.py": tuple(
        Equivalent(line, (line.replace("tests[0]", "tests[ -1]"),), "the first of one is the last")
        for line in (
            "        return tests[0] if len(tests) == 1 else lambda document, value:"
            f" {word}(test(document, value) for test in tests)"
            for word in ("any", "all")
        )
    ),
    "gateway/identity/keyring.py": tuple(
        Equivalent(line, (line.replace(" 0,", " 1,"), line.replace(" 0,", " -1,")), "only keys of the file begin later")
        for line in (
            "        SigningKey(key, None, 0, None)",
            '            SigningKey(key, None, 0, former["retires_at"])'
            ' for key in tokens.keys_from_secret(former["secret"])',
            '    return [SigningKey(key, _public({**jwk, "alg": key.alg}), 0, None) for key, jwk in keys]',
        )
    ),
    "gateway/auth/crypto/passwords.py": (
        Equivalent(
            _SCRYPT_MOST,
            tuple(
                _SCRYPT_MOST.replace("128 * 1024 * 1024", other)
                for other in ("129 * 1024 * 1024", "128 * 1025 * 1024", "128 * 1024 * 1025")
            ),
            "the next cost that a hash can name is 130 MiB",
        ),
        Equivalent(
            _THREADS,
            (_THREADS.replace("or 2", "or 3"), _THREADS.replace("or 2", "or 1")),
            "one thread, where nobody knows of more processors",
        ),
        Equivalent(
            _SCRYPT_CALL,
            tuple(
                _SCRYPT_CALL.replace("1024 * 1024", other)
                for other in ("1025 * 1024", "1023 * 1024", "1024 * 1025", "1024 * 1023")
            ),
            "what scrypt takes beside its table is far below",
        ),
    ),
    "gateway/operations/maintenance.py": (
        _only('    name = connection.rows("select quote_ident(current_database())")[0][0]'),
        _only("    kind, reason, since, stays = (str(value) for value in rows[0])", row="rows[0]"),
        Equivalent(
            _OBSTACLE,
            (_OBSTACLE.replace("[0][0]", "[0][ -1]"), _OBSTACLE.replace("[0][0]", "[ -1][0]")),
            "a row has one column, and which of several is named first is the same",
        ),
        Equivalent(
            _END_SESSIONS,
            tuple(_END_SESSIONS.replace(f" {name}: float = 0.0", f" {name}: float = -1.0") for name in _GRACES),
            "no wait is below 0",
        ),
    ),
    "gateway/operations/backup.py": (
        Equivalent(_MANIFEST_TEXT, tuple(_MANIFEST_TEXT.replace("=2", f"= {n}") for n in (1, 3)), _DRAWN_IN),
        Equivalent(
            _SETTINGS_TEXT,
            (*(_SETTINGS_TEXT.replace("=2", f"= {n}") for n in (1, 3)), _SETTINGS_TEXT.replace("True", "False")),
            _DRAWN_IN,
        ),
        _only('            snapshot = str(connection.rows("select pg_export_snapshot()")[0][0])'),
        _only('    return str(connection.rows("show server_version_num")[0][0])'),
        _only(
            '        expected = connection.rows("select quote_literal($1)", json.dumps(manifest["tables"]))[0][0]',
        ),
        _only(
            '            (folder / ROLES_FILE).write_text("".join(f"{row[0]}\\n" for row in connection.rows(ROLES)))',
            row="[0]",
        ),
        _only('        first = "".join(f"{row[0]};\\n" for row in connection.rows(GLOBAL_NAMES))', row="[0]"),
        _only('        count, digest = connection.rows(DIGEST.replace("%s", str(name)))[0]', row="[0]"),
        Equivalent(
            "    select 2, format(", ("    select 3, format(",), "`alter` stands before `grant` by the alphabet too"
        ),
        Equivalent(
            "    select 3, format('grant %I to %I;', granted.name, member.name)",
            ("    select 4, format('grant %I to %I;', granted.name, member.name)",),
            "3 was the last",
        ),
    ),
    "gateway/auth/store/limits.py": (
        Equivalent(
            _PRESENT, (_PRESENT.replace(" > ", " >= "),), "a row of this very moment is set to what it has already"
        ),
    ),
    "gateway/operations/monitor/alarms.py": (
        Equivalent(
            _WRITTEN,
            (_WRITTEN.replace("(0.0", "( 1.0"), _WRITTEN.replace("(0.0", "( -1.0")),
            "no look is made in the first seconds of 1970",
        ),
        Equivalent(
            _DUE,
            (_DUE.replace("0.0", "-1.0"),),
            "no alarm stands since a time to come: a clock that was set back sets its beginning back",
        ),
        Equivalent(_SAME, (_SAME.replace("<= now", "< now"),), "the same book would be written again"),
    ),
    "gateway/auth/crypto/tokens.py": (
        Equivalent(
            _LONGEST,
            (_LONGEST.replace("62", "63"),),
            "a longer one has a counter over 63 bits, and is refused for that",
        ),
    ),
    "gateway/rest/parse/filters.py": (
        Equivalent(
            _QUICK,
            (
                _QUICK.replace('if "', 'if not "'),
                _QUICK.replace("2 *", "3 *"),
                _QUICK.replace("2 *", "1 *"),
                _QUICK.replace("- 1)", "- 2)"),
                _QUICK.replace("- 1)", "- 0)"),
            ),
            "both ways make the same text; the quick one is for items without quotes",
        ),
        Equivalent(
            "    negated, word, operation, at = _read_operator(text, 0)",
            ("    negated, word, operation, at = _read_operator(text, -1)",),
            "a regular expression reads from the beginning where it is told to begin before it",
        ),
    ),
    "gateway/rest/planner/call.py": (
        Equivalent(
            "    if len(routine.parameters) == 1 and not routine.parameters[0].name:",
            ("    if len(routine.parameters) == 1 and not routine.parameters[ -1].name:",),
            "the first is the last of one",
        ),
    ),
    "gateway/rest/body/reader.py": (
        Equivalent(_JOB, (_JOB.replace("False", "True"),), "whether it is the last is asked of answers, not of jobs"),
        _bound("PIECE: Final = 262_144  # bytes of an answer read at once", "262_144"),
    ),
    "gateway/rest/planner/prepare.py": (
        Equivalent("    merging: bool = False", ("    merging: bool = True",), "it is given wherever one is made"),
        Equivalent(
            "    conflict: bool = False,",
            ("    conflict: bool = True,",),
            "it is given wherever rows are created, and asked for nowhere else",
        ),
        Equivalent("    code_free: bool = False", ("    code_free: bool = True",), "it is given wherever one is made"),
    ),
    "gateway/rest/body/jsonscan.py": (
        Equivalent(
            "CHUNK: Final = 65_536  # bytes whose encoding is checked at once",
            (
                "CHUNK: Final = 65535  # bytes whose encoding is checked at once",
                "CHUNK: Final = 65537  # bytes whose encoding is checked at once",
            ),
            "the pieces are of any size",
        ),
        Equivalent(
            "        for start in range(0, len(body), CHUNK):",
            ("        for start in range( 1, len(body), CHUNK):",),
            "a text whose first byte is half a character is no JSON in any case",
        ),
        Equivalent(
            "        raise InvalidJson(0) from None",
            ("        raise InvalidJson( 1) from None", "        raise InvalidJson( -1) from None"),
            "nobody is told where a name was half a character",
        ),
    ),
    "gateway/lru_cache.py": (
        Equivalent(
            _OFF,
            (_OFF.replace("else 0", "else 1"), _OFF.replace("else 0", "else -1")),
            "nothing takes less than eight bytes",
        ),
    ),
    "gateway/rest/statements/clauses.py": (
        Equivalent(
            _PART_OF_SHAPE,
            (
                _PART_OF_SHAPE.replace("is not None", "is None"),
                _PART_OF_SHAPE.replace("if convert", "if not convert"),
            ),
            "only `true` and `false` are part of a shape, and a pattern of them has no star",
        ),
        Equivalent(
            "    return str(max(integer(text) or 0, 0))",
            ("    return str(max(integer(text) or -1, 0))",),
            "what is below 0 is 0",
        ),
        Equivalent(
            "        if wanted is None or (ceiling is not None and wanted > ceiling):",
            ("        if wanted is None or (ceiling is not None and wanted >= ceiling):",),
            "the number is the ceiling",
        ),
    ),
    "gateway/rest/body/payload.py": (
        Equivalent(
            "csv.field_size_limit(1 << 30)  # a field may be as long as a body",
            (
                "csv.field_size_limit(1 << 31)  # a field may be as long as a body",
                "csv.field_size_limit(1 << 29)  # a field may be as long as a body",
                "csv.field_size_limit( 2 << 30)  # a field may be as long as a body",
            ),
            "no body is as long",
        ),
        _bound(_MAX_JSON, "60_000_000"),
    ),
    "gateway/rest/parse/query_shape.py": (
        _bound("        known.put(raw, parameter, 1_000 + (100 if tree else 20) * len(raw))", "1_000"),
    ),
    "gateway/rest/parse/ranges.py": (
        Equivalent(
            "    skipped = max(integer(offset) or 0, 0)",
            ("    skipped = max(integer(offset) or -1, 0)",),
            "what is below 0 is 0",
        ),
    ),
}
