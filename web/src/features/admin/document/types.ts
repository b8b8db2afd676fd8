/** A document as the editor holds it: text and embeds with attributes; a line's own attributes sit on its line break. */

export type Attributes = Record<string, unknown>

/**
 * `raw` is a block the editor shows but cannot edit in place, such as a table, as sanitized HTML; `softbreak` is a
 * line break inside a paragraph.
 */
export type Embed = { image: string } | { raw: string } | { softbreak: true }

export interface Op {
  insert: string | Embed
  attributes?: Attributes
}

export interface Piece {
  content: string | Embed
  attributes: Attributes
}

/** `attributes.source` names the stored block that the line was loaded from: see `article.ts`. */
export interface Line {
  pieces: Piece[]
  attributes: Attributes
}

export const isRaw = (content: string | Embed): content is { raw: string } => typeof content !== 'string' && 'raw' in content
