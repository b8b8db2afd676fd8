import { readPreference } from './store'

export type Theme = 'system' | 'light' | 'dark'

export function storedTheme(): Theme {
  return readPreference<Theme>('theme', 'system')
}

/** On the root element, which the styles look at; without a choice the system's wish counts. */
export function applyTheme(theme: Theme): void {
  const dark = theme === 'dark' || (theme === 'system' && window.matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
}
