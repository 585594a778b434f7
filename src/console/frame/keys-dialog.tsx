import { signal } from '@preact/signals'
import { Dialog } from '../parts/dialog.tsx'
import { keyBindings, useKeys } from '../state/keyboard.ts'

const isShown = signal(false)

export function showKeys(): void {
  isShown.value = true
}

const KEYS = [{ keys: '?', does: 'List the keys', press: showKeys }]

/** Keys of what has the focus or is open. */
const OTHER_KEYS = [
  { keys: 'ArrowUp+ArrowDown', does: 'Move in a table; Home, End and Enter too' },
  { keys: 'ArrowLeft+ArrowRight', does: 'Move between tabs, along reports, or an end of a range' },
  { keys: 'Escape', does: 'Close a dialog, or leave the preview of another time' },
]

/** How a key is written on a keyboard. */
const WRITTEN: Record<string, string> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
}

/** What every key does now. */
export function KeysDialog() {
  useKeys(KEYS)
  if (!isShown.value) return null
  return (
    <Dialog title="Shortcuts" onClose={() => (isShown.value = false)}>
      <dl class="keys">
        {[...keyBindings.value, ...OTHER_KEYS].map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.split('+').map((key) => (
                <kbd key={key}>{WRITTEN[key] ?? key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" class="button">
          Close
        </button>
      </form>
    </Dialog>
  )
}
