import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { isLocked, keyPrompt, ownWorld } from '../api/key.ts'
import { PANELS } from '../panels/panels.ts'
import { delaysAll } from '../../wording/fault-words.ts'
import { counts, setCount } from '../state/counts.ts'
import { journal } from '../state/journal.ts'
import { focusSearch, useKeys } from '../state/keyboard.ts'
import type { KeyBinding } from '../state/keyboard.ts'
import { hrefWith, navigate } from '../state/location.ts'
import { useGet } from '../state/resource.ts'
import { theme, toggleTheme } from '../state/theme.ts'
import { showKeys } from './keys-dialog.tsx'
import { currentPanel } from './panel-view.tsx'

const KEYS: readonly KeyBinding[] = [
  ...PANELS.filter(({ isForOperator }) => !isForOperator).map(({ id, title }, index) => ({
    keys: String(index + 1),
    does: `Show ${title}`,
    press: () => navigate({ panel: id }),
  })),
  { keys: '/', does: 'Search in the panel', press: focusSearch },
]

const THEMES = { system: 'System theme', light: 'Light theme', dark: 'Dark theme' }

export function Navigation() {
  useKeys(KEYS)
  useSignalEffect(() => setCount('traffic', journal.value.requests))
  const faults = useGet('/faults')
  const armed = faults.value?.filter((fault) => !delaysAll(fault)).length ?? 0
  const { store } = useGet('/health').value ?? {}
  const isOpen = keyPrompt.value === null && !isLocked.value
  const isOperator = store !== undefined && isOpen && ownWorld.value === undefined
  const current = currentPanel()
  const nav = useRef<HTMLElement>(null)
  // On a narrow screen the panels are a row that is wider than it.
  useEffect(() => {
    const link = nav.current?.querySelector('[aria-current]')
    link?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current.id])
  return (
    <nav ref={nav} aria-label="Panels">
      {PANELS.filter(({ isForOperator }) => isOperator || !isForOperator).map((panel) => {
        const { id, title, isForOperator } = panel
        const count = id === 'faults' ? armed : (counts.value[id] ?? 0)
        return (
          <a
            key={id}
            // Partners belong to no world.
            href={hrefWith({ panel: id, ...(isForOperator && { world: undefined }) })}
            aria-current={id === current.id ? 'page' : undefined}
          >
            {title} {count > 0 && <small>{count.toLocaleString('en')}</small>}
          </a>
        )
      })}
      <div class="preferences">
        <button type="button" class="button quiet" onClick={toggleTheme}>
          {THEMES[theme.value]}
        </button>
        <button type="button" class="button quiet" onClick={showKeys}>
          Shortcuts
        </button>
      </div>
    </nav>
  )
}
