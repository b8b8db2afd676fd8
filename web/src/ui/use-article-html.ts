import { useMemo } from 'react'
import { articleHtml } from './article-html'

/** Untrusted HTML, sanitized and set for reading. */
export const useArticleHtml = (html: string): string => useMemo(() => articleHtml(html), [html])
