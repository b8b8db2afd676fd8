/** A document as the editor holds it: text and embeds with attributes; a line's own attributes sit on its line break. */

export type Attributes = Record<string, unknown>

/** `raw` is a block the editor shows but cannot edit, such as a table, as sanitized HTML. */
export type Embed = { image: string } | { raw: string }

export interface Op {
  insert: string | Embed
  attributes?: Attributes
}

export interface Piece {
  content: string | Embed
  attributes: Attributes
}

export interface Line {
  pieces: Piece[]
  attributes: Attributes
}

export const isRaw = (content: string | Embed): content is { raw: string } => typeof content !== 'string' && 'raw' in content
