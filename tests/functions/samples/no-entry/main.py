"""Has functions, but none by the name that is called."""


def answer(request):
    return "never"
