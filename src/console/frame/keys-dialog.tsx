import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { Dialog } from '../parts/dialog.tsx'
import { keyBindings, useKeys } from '../state/keyboard.ts'

const isShown = signal(false)

export function showKeys(): void {
  isShown.value = true
}

const KEYS = [{ keys: '?', does: 'List the keys', press: showKeys }]

/** How a key is written on a keyboard. */
const WRITTEN: Record<string, string> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
}

/** What every key does now. */
export function KeysDialog(): JSX.Element | null {
  useKeys(KEYS)
  if (!isShown.value) return null
  return (
    <Dialog title="Keys" onClose={() => (isShown.value = false)}>
      <dl class="keys">
        {keyBindings.value.map(({ keys, does }) => (
          <div key={keys}>
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
