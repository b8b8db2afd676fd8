"""Answers with the status that is asked for, and an error code that is not its own to give."""


async def handle(request):
    return "said", int(request.query_params["status"]), {"sb-error-code": "MINE"}
