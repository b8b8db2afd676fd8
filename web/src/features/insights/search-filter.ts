/** Search words into table API filters that find literally what they say. */

/** A value inside `or=(…)`, where commas, dots, quotes and parentheses would otherwise be grammar. */
const quoted = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`

/**
 * The condition that one of the columns contains the text, whatever its case.
 *
 * `ilike` reads every `*` as `%` and has no way to say a real one, so a text with an asterisk goes as a regular
 * expression with all of its signs escaped.
 */
export function containsText(columns: readonly string[], text: string): string {
  // Postgres texts cannot hold the null character, so nothing could match it.
  const wanted = text.replaceAll('\0', '')
  const [operator, pattern] = wanted.includes('*')
    ? ['imatch', wanted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')]
    : ['ilike', `%${wanted.replace(/[\\%_]/g, '\\$&')}%`]
  return columns.map((column) => `${column}.${operator}.${quoted(pattern)}`).join(',')
}

/** A Postgres array of texts. The client joins arrays as they are, so a comma or brace in a text would end it. */
export const arrayLiteral = (values: readonly string[]) => `{${values.map(quoted).join(',')}}`
