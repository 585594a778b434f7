import { signal } from '@preact/signals'

const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const KEY = 'seo-sandbox.theme'

export const theme = signal<Theme>(readTheme())

/** From the system's theme to light, to dark, and back. */
export function toggleTheme(): void {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system'
  theme.value = next
  localStorage.setItem(KEY, next)
  applyTheme()
}

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = theme.value
}

function readTheme(): Theme {
  const stored = localStorage.getItem(KEY)
  return THEMES.find((name) => name === stored) ?? 'system'
}
