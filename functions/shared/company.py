"""The company as its mails and messages name it; the site's own copy is `web/src/content/site.ts`."""

from __future__ import annotations

from typing import Final

NAME: Final = "United Medical Waste"
PHONE: Final = "(508) 555-0142"
EMERGENCY_PHONE: Final = "(508) 555-0199"
EMAIL: Final = "service@unitedmedicalwaste.example"
LEADS_TO: Final = "leads@unitedmedicalwaste.example"
