"""The ways to break a Python module: Cosmic Ray's operators, where they change what the program does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, Final

from tests.mutation import sql

# An operator put for another one is broken the same way whichever it is: one of each kind is enough.
KEPT: Final = re.compile(
    r"core/(AddNot|NumberReplacer|ReplaceTrueWithFalse|ReplaceFalseWithTrue|ReplaceAndWithOr|ReplaceOrWithAnd"
    r"|ReplaceBreakWithContinue|ReplaceContinueWithBreak|ZeroIterationForLoop|ExceptionReplacer"
    r"|ReplaceUnaryOperator_Delete_Not|ReplaceUnaryOperator_Delete_USub"
    r"|ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|FloorDiv_Mul|Mod_Mul|BitOr_BitAnd)"
    r"|ReplaceComparisonOperator_(Eq_NotEq|NotEq_Eq|Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt|Is_IsNot|IsNot_Is))"
)

_STATEMENT: Final = re.compile(r"""f?["']{1,3}\s*(?:with|select|insert into|update|delete from) """)


def mutants(source: str) -> Iterator[str]:
    """Texts of a module, each broken in one place."""
    # Not among what the project's other tools need: `make mutants` installs it.
    from cosmic_ray import plugins
    from cosmic_ray.ast import Visitor, get_ast
    from cosmic_ray.mutating import mutate_code

    silent = _silent(source)

    class Places(Visitor):  # type: ignore[misc]
        def __init__(self, operator: Any) -> None:
            self.operator = operator
            self.lines: list[tuple[int, int]] = []

        def visit(self, node: Any) -> Any:
            self.lines += [start for start, _ in self.operator.mutation_positions(node)]
            return node

    for name in sorted(plugins.operator_names()):
        if not KEPT.fullmatch(name):
            continue
        operator_class = plugins.get_operator(name)
        arguments = (
            [dict(example.args) for example in operator_class.examples()] if operator_class.arguments() else [{}]
        )
        operator = operator_class(**arguments[0])
        places = Places(operator)
        places.walk(get_ast(source))
        for occurrence, (line, column) in enumerate(places.lines):
            if (line, column) in silent:
                continue
            try:
                broken = mutate_code(source, operator, occurrence)
            except AttributeError:  # an exception with a dotted name, which the tool cannot replace
                continue
            if broken is not None and broken != source and _compiles(broken) and not _separates(source, broken):
                yield broken
    yield from _of_statements(source)


def _separates(source: str, broken: str) -> bool:
    """Whether the `*` between parameters was taken for an operator."""
    return ast.dump(_positional(ast.parse(source))) == ast.dump(_positional(ast.parse(broken)))


def _positional(tree: ast.AST) -> ast.AST:
    for node in ast.walk(tree):
        if isinstance(node, ast.arguments):
            node.args = [*node.posonlyargs, *node.args, *node.kwonlyargs]
            node.defaults = [*node.defaults, *(default for default in node.kw_defaults if default is not None)]
            node.posonlyargs, node.kwonlyargs, node.kw_defaults = [], [], []
    return tree


def _compiles(source: str) -> bool:
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def _of_statements(source: str) -> Iterator[str]:
    """Changes within SQL that stands in a module's texts."""
    raw = source.encode()
    starts = [0]
    for line in raw.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno and node.end_col_offset is not None:
            begin, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
            text = raw[begin:end].decode()
            if _STATEMENT.match(text):
                for broken in sql.changes(text):
                    yield (raw[:begin] + broken.encode() + raw[end:]).decode()


class _Places:
    """Places of a source, by line and column."""

    def __init__(self, nodes: list[ast.AST | None]) -> None:
        self._spans = [
            ((node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0))
            for node in nodes
            if isinstance(node, ast.expr | ast.stmt)
        ]

    def __contains__(self, place: tuple[int, int]) -> bool:
        return any(start <= place < end for start, end in self._spans)


def _silent(source: str) -> _Places:
    """Where a change does nothing at run time: annotations, decorators, slices of types, log lines."""
    nodes: list[ast.AST | None] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                nodes += [*node.decorator_list, node.returns]
            case ast.ClassDef():
                nodes += node.decorator_list
            case ast.arg() | ast.AnnAssign():
                nodes.append(node.annotation)
            case ast.Call() if ast.unparse(node.func).startswith("log."):
                nodes.append(node)
            case ast.If() if "TYPE_CHECKING" in ast.dump(node.test):
                nodes.append(node)
    return _Places(nodes)
