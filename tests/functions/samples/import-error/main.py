"""Cannot be imported."""

import a_package_that_does_not_exist  # noqa: F401


async def handle(request):
    return "never"
