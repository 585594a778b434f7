import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

export interface KeyBinding {
  /** As `KeyboardEvent.key` has it, with `Shift+` before it where that is held: `Shift+ArrowLeft`. */
  keys: string
  /** What it does, for the list of keys: `Search this panel`. */
  does: string
  press: () => void
}

/** What the keys do now; of two for one key the later counts. */
export const keyBindings = signal<readonly KeyBinding[]>([])

/** Binds keys while a component is there. `bindings` is made once, outside of it or by `useMemo`. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  useEffect(() => {
    keyBindings.value = [...keyBindings.peek(), ...bindings]
    return () => {
      keyBindings.value = keyBindings.peek().filter((binding) => !bindings.includes(binding))
    }
  }, [bindings])
}

/** Where keys are text, or belong to something that is open. */
const OWN_KEYS = 'input, textarea, select, dialog, [contenteditable]'

/** Where arrows and Enter move within a control. */
const OWN_ARROWS = '[role=tablist], [role=grid]'

export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    const { key, shiftKey, target } = event
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (target instanceof Element) {
      if (target.closest(OWN_KEYS)) return
      if (key.startsWith('Arrow') && target.closest(OWN_ARROWS)) return
    }
    const written = shiftKey && key.length > 1 ? `Shift+${key}` : key
    const binding = keyBindings.peek().findLast(({ keys }) => keys === written)
    if (!binding) return
    event.preventDefault()
    binding.press()
  })
}

/** Moves the focus to the search field of the panel that is shown, if it has one. */
export function focusSearch(): void {
  document.querySelector<HTMLInputElement>('main [type=search]')?.focus()
}
