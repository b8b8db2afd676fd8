"""The types by which a module of generated types is used: `Tables<"name">` and its like."""

from __future__ import annotations

from typing import Final

_WITHOUT: Final = "DatabaseWithoutInternals"


def _helper(name: str, group: str, option: str, second: str, part: str = "") -> str:
    """A type that names one of a group, of the default schema or of another one."""

    def at(schema: str) -> str:
        return f'{schema}["{group}"]'

    here, there = at("DefaultSchema"), at(f'{_WITHOUT}[{option}["schema"]]')

    def taken(place: str) -> str:
        if not part:
            return place
        return f"{place} extends {{\n  {part}: infer {part[0]}\n}}\n? {part[0]}\n: never"

    return f"""\
export type {name}<
  {option} extends
    | keyof {here}
    | {{ schema: keyof {_WITHOUT} }},
  {second} extends {option} extends {{
    schema: keyof {_WITHOUT}
  }}
    ? keyof {there}
    : never = never
> = {option} extends {{ schema: keyof {_WITHOUT} }}
  ? {taken(f"{there}[{second}]")}
  : {option} extends keyof {here}
  ? {taken(f"{here}[{option}]")}
  : never
"""


def _tables() -> str:
    """The rows of tables and views."""
    option = "DefaultSchemaTableNameOrOptions"
    there = f'{_WITHOUT}[{option}["schema"]]'
    both = f'({there}["Tables"] & {there}["Views"])'
    here = '(DefaultSchema["Tables"] & DefaultSchema["Views"])'
    row = "extends {\n  Row: infer R\n}\n? R\n: never"
    return f"""\
export type Tables<
  {option} extends
    | keyof {here}
    | {{ schema: keyof {_WITHOUT} }},
  TableName extends {option} extends {{
    schema: keyof {_WITHOUT}
  }}
    ? keyof {both}
    : never = never
> = {option} extends {{ schema: keyof {_WITHOUT} }}
  ? {both}[TableName] {row}
  : {option} extends keyof {here}
  ? {here}[{option}] {row}
  : never
"""


def helpers(default: str) -> str:
    """All of them; `default` is the schema that is meant where none is named."""
    return "\n".join(
        (
            f'type {_WITHOUT} = Omit<Database, "__InternalSupabase">\n',
            f'type DefaultSchema = {_WITHOUT}[Extract<keyof Database, "{default}">]\n',
            _tables(),
            _helper("TablesInsert", "Tables", "DefaultSchemaTableNameOrOptions", "TableName", "Insert"),
            _helper("TablesUpdate", "Tables", "DefaultSchemaTableNameOrOptions", "TableName", "Update"),
            _helper("Enums", "Enums", "DefaultSchemaEnumNameOrOptions", "EnumName"),
            _helper("CompositeTypes", "CompositeTypes", "PublicCompositeTypeNameOrOptions", "CompositeTypeName"),
        )
    )
