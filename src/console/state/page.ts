import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { navigate } from './location.ts'

export interface KeyBinding {
  /** The `KeyboardEvent.key`, with the prefix `Shift+` for a named key if Shift is held: `Shift+ArrowLeft`. */
  keys: string
  /** Effect of the key, for the list of shortcuts: `Search in the panel`. */
  does: string
  press: () => void
}

/** Current key bindings. If two bindings have the same key, the later binding applies. */
export const keyBindings = signal<readonly KeyBinding[]>([])

/** Binds keys while a component is mounted. Pass the same array on every render, such as a constant. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  useEffect(() => {
    keyBindings.value = [...keyBindings.peek(), ...bindings]
    return () => {
      keyBindings.value = keyBindings.peek().filter((binding) => !bindings.includes(binding))
    }
  }, [bindings])
}

/** Elements in which no key binding applies, because they use keys themselves. */
const EXEMPT_FROM_KEYS = 'input, textarea, select, dialog'

/** Elements in which no binding of an arrow key applies, because they use arrow keys themselves. */
const EXEMPT_FROM_ARROWS = '[role=tablist], [role=grid]'

export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    const { key, shiftKey, target } = event
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (target instanceof Element) {
      if (target.closest(EXEMPT_FROM_KEYS)) return
      if (key.startsWith('Arrow') && target.closest(EXEMPT_FROM_ARROWS)) return
    }
    const written = shiftKey && key.length > 1 ? `Shift+${key}` : key
    const binding = keyBindings.peek().findLast(({ keys }) => keys === written)
    if (!binding) return
    event.preventDefault()
    binding.press()
  })
}

export function focusSearch(): void {
  document.querySelector<HTMLInputElement>('main [type=search]')?.focus()
}

/** Dropped file that the traffic panel is about to open; null without one. */
export const droppedFile = signal<File | null>(null)

export function showDropped(file: File): void {
  droppedFile.value = file
  navigate({ panel: 'traffic' })
}

let take = showDropped

export function setDropHandler(other: (file: File) => void): void {
  take = other
}

/** Handles a file dropped anywhere on the page. Otherwise the browser would open the file in place of the page. */
export function listenToDrops(): void {
  addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  })
  addEventListener('drop', (event) => {
    const file = event.dataTransfer?.files[0]
    if (!file) return
    event.preventDefault()
    take(file)
  })
}

export const THEMES = { system: 'System', light: 'Light', dark: 'Dark' } as const
type Theme = keyof typeof THEMES

const KEY = 'seo-sandbox.theme'

export const theme = signal<Theme>(readTheme())

export function setTheme(name: Theme): void {
  theme.value = name
  localStorage.setItem(KEY, name)
  applyTheme()
}

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = theme.value
}

function readTheme(): Theme {
  const stored = localStorage.getItem(KEY) ?? ''
  return Object.hasOwn(THEMES, stored) ? (stored as Theme) : 'system'
}
