/** Tables for spreadsheets (RFC 4180). */

/** A spreadsheet runs a cell that begins like this; an apostrophe makes it a text. */
const FORMULA = /^[=+\-@\t\r]/

function cell(value: unknown): string {
  const text = value === null || value === undefined ? '' : Array.isArray(value) ? value.join(', ') : String(value)
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** One line a row, the columns' names first; begins with the mark by which Excel knows UTF-8. */
export function toCsv(columns: readonly string[], rows: readonly Record<string, unknown>[]): string {
  const lines = [columns.map(cell), ...rows.map((row) => columns.map((column) => cell(row[column])))]
  return `\ufeff${lines.map((line) => line.join(',')).join('\r\n')}\r\n`
}
