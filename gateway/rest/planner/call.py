"""Which function a call means, and how its arguments reach it (contract section 12)."""

from __future__ import annotations

from collections.abc import Sequence

from gateway.catalog.model import Name, Parameter, Routine, SchemaCache
from gateway.errors import ApiError
from gateway.rest.errors import AMBIGUOUS_ROUTINE, NO_ROUTINE
from gateway.rest.planner.nearest import nearest
from gateway.rest.planner.write import returned_columns
from gateway.rest.types import Argument, CallPlan, Literal, MediaType, Payload, ReadPlan

# Content type of a body → types of a single unnamed parameter that takes it whole.
_WHOLE = {"json": ("json", "jsonb"), "text": ("text",), "xml": ("xml",), "octet": ("bytea",)}
_RAW = frozenset({"text", "xml", "octet"})


def choose_routine(cache: SchemaCache, name: Name, keys: Sequence[str], content: MediaType, posted: bool) -> Routine:
    """The function that takes exactly these arguments. Raises ApiError NO_ROUTINE, AMBIGUOUS_ROUTINE."""
    overloads = cache.routines.get(name, ())
    given = frozenset(keys)
    named = [routine for routine in overloads if _takes(routine, given, content, posted)]
    if not named and posted:
        named = [routine for routine in overloads if _takes_whole(routine, content)]
    if len(named) == 1:
        return named[0]
    if named:
        candidates = ", ".join(
            f"{routine.name}({', '.join(f'{p.name} => {p.type}' for p in routine.parameters)})" for routine in named
        )
        raise ApiError(AMBIGUOUS_ROUTINE, candidates=candidates)
    raise _unknown(cache, name, sorted(given), content, posted, overloads)


def _takes(routine: Routine, given: frozenset[str], content: MediaType, posted: bool) -> bool:
    required = {parameter.name for parameter in routine.parameters if parameter.required}
    known = {parameter.name for parameter in routine.parameters}
    if not known:
        return not given and not (posted and content.kind in _RAW)
    return required <= given <= known  # the name of an unnamed parameter is the empty one


def _unnamed(routine: Routine) -> Parameter | None:
    if len(routine.parameters) == 1 and not routine.parameters[0].name:
        return routine.parameters[0]
    return None


def _takes_whole(routine: Routine, content: MediaType) -> bool:
    parameter = _unnamed(routine)
    return parameter is not None and parameter.type in _WHOLE.get(content.kind, ())


def _unknown(
    cache: SchemaCache,
    name: Name,
    keys: list[str],
    content: MediaType,
    posted: bool,
    overloads: Sequence[Routine],
) -> ApiError:
    only_whole = posted and content.kind in _RAW
    listed = ", ".join(keys)
    if only_whole:
        shown = str(name)
        searched = f" with a single unnamed {_WHOLE[content.kind][0]} parameter"
        hint = None
    else:
        shown = f"{name}({listed})" if keys else f"{name} without parameters"
        searched = f" with parameter{'s' if len(keys) > 1 else ''} {listed}" if keys else " without parameters"
        if posted and content.kind == "json":
            searched += " or with a single unnamed json/jsonb parameter"
        hint = _hint(cache, name, keys, overloads)
    return ApiError(
        NO_ROUTINE,
        function=shown,
        details=f"Searched for the function {name}{searched}, but no matches were found in the schema cache.",
        hint=hint,
    )


def _hint(cache: SchemaCache, name: Name, keys: list[str], overloads: Sequence[Routine]) -> str | None:
    if overloads:
        lists = [f"({', '.join(sorted(p.name for p in routine.parameters))})" for routine in overloads]
        found = nearest(f"({', '.join(keys)})", lists, 0.33)
        return f"Perhaps you meant to call the function {name}{found}" if found is not None else None
    others = [other.name for other in cache.routines if other.schema == name.schema]
    found = nearest(name.name, others, 0.75)
    return f"Perhaps you meant to call the function {name.schema}.{found}" if found is not None else None


def plan_call(
    routine: Routine,
    read: ReadPlan,
    payload: Payload | None,
    arguments: Sequence[tuple[str, Literal]] | None,
) -> CallPlan:
    """The call: `arguments` of a query string or a form, else those of the JSON payload."""
    returning = returned_columns(read)
    unnamed = _unnamed(routine)
    if unnamed is not None:
        # Arguments that came one by one are handed over as one JSON object, as a body would be.
        direct = None if arguments is None else _direct(routine, arguments)
        return CallPlan(routine, direct, whole=unnamed.wide_type, returning=returning)
    if arguments is not None:
        positional = _positional(routine, frozenset(name for name, _ in arguments))
        return CallPlan(routine, _direct(routine, arguments), positional=positional, returning=returning)
    assert payload is not None
    given = frozenset(payload.columns)
    keys = tuple((p.name, p.wide_type, p.variadic) for p in routine.parameters if p.name in given)
    positional = _positional(routine, given)
    return CallPlan(routine, json_keys=keys, is_object=payload.is_object, positional=positional, returning=returning)


def _positional(routine: Routine, given: frozenset[str]) -> bool:
    """Whether a variadic parameter is left out and the arguments given are the first ones."""
    if not routine.variadic or any(p.variadic and p.name in given for p in routine.parameters):
        return False
    return all(p.name in given for p in routine.parameters[: len(given)])


def _direct(routine: Routine, given: Sequence[tuple[str, Literal]]) -> tuple[Argument, ...]:
    """Arguments from text: of repeated ones the last counts, save for a variadic one, which takes them all."""
    values: dict[str, list[Literal]] = {}
    for name, literal in given:
        values.setdefault(name, []).append(literal)
    return tuple(
        Argument(
            parameter.name,
            parameter.wide_type,
            None if parameter.variadic else values[parameter.name][-1],
            parameter.variadic,
            tuple(values[parameter.name]) if parameter.variadic else (),
        )
        for parameter in routine.parameters
        if parameter.name in values
    )
