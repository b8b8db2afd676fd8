"""What leaves for a person or for the operator's hooks: mails by the job queue, text messages, questions to hooks."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from gateway.auth import errors
from gateway.auth.call import AuthCall
from gateway.auth.core import AuthCore, load_json
from gateway.auth.outbound import hooks
from gateway.auth.outbound.hooks import Hook
from gateway.auth.outbound.mailer import Mail, Mailer
from gateway.auth.outbound.sms import Messenger
from gateway.auth.store import hook_functions, mail_queue
from gateway.database import DatabaseError
from gateway.database.statement import Statement
from gateway.errors import ApiError

log = logging.getLogger("gateway.auth")


class Messages:
    """Mails, text messages and hooks of one worker."""

    def __init__(self, core: AuthCore, mailer: Mailer) -> None:
        settings = core.settings
        self._core = core
        self.mailer = mailer
        self.messenger = Messenger.of(settings)
        self.created_hook = Hook.of("BEFORE_USER_CREATED", settings.created_hook, settings.created_hook_secrets)
        self.password_hook = Hook.of(
            "PASSWORD_VERIFICATION_ATTEMPT", settings.password_hook, settings.password_hook_secrets
        )
        self.factor_hook = Hook.of("MFA_VERIFICATION_ATTEMPT", settings.factor_hook, settings.factor_hook_secrets)
        self._has_queue = False

    async def demand_queue(self) -> None:
        """Make sure that mails can be sent, before anything promises one.

        Raises ApiError unexpected_failure: a link that is never sent must not look like success.
        """
        if self._has_queue:
            return
        if (await self._core.run(mail_queue.EXISTS))[0].value != b"t":
            log.warning("no mail can be sent: function jobs.enqueue_mail is missing; apply the migrations")
            raise ApiError(errors.UNEXPECTED_FAILURE)
        self._has_queue = True

    def mail(self, mail: Mail) -> Statement:
        """Put a mail into the queue; `demand_queue` comes first."""
        return self.mailer.statement(mail, self._core.keys.session_secrets)

    async def ask(self, hook: Hook, event: Mapping[str, Any], call: AuthCall) -> dict[str, Any]:
        """What a hook answers. Raises ApiError when it refuses or cannot be asked."""
        if hook.function is None:
            return hooks.read_answer(await hook.post(event, call.now), hook.uri)
        try:
            answer = (await self._core.run(hook_functions.ask(*hook.function, event)))[0].value
        except DatabaseError as error:
            log.error("the hook %s failed: %s", hook.uri, error)
            raise ApiError(errors.HOOK_FAILED, uri=hook.uri) from error
        return hooks.read_answer(load_json(answer), hook.uri)
