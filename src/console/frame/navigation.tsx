import { useSignalEffect, signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Component } from 'preact'
import type { ComponentChildren } from 'preact'
import { delaysAll } from '../../wording/fault-words.ts'
import { sentenceOf } from '../api/api-error.ts'
import { isLocked, keyPrompt, ownWorld } from '../api/key.ts'
import { PANELS } from '../panels/panels.tsx'
import type { PanelDefinition } from '../panels/panels.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorState } from '../parts/placeholders.tsx'
import { currentWorld } from '../state/current-world.ts'
import { journal } from '../state/kept-journal.ts'
import { counts, setCount, hrefWith, navigate, query } from '../state/location.ts'
import { focusSearch, useKeys, theme, toggleTheme, keyBindings } from '../state/page.ts'
import type { KeyBinding } from '../state/page.ts'
import { useGet } from '../state/resource.ts'

const PANEL_KEYS: readonly KeyBinding[] = [
  ...PANELS.filter(({ isForOperator }) => !isForOperator).map(({ id, title }, index) => ({
    keys: String(index + 1),
    does: `Show ${title}`,
    press: () => navigate({ panel: id }),
  })),
  { keys: '/', does: 'Search in the panel', press: focusSearch },
]

const THEMES = { system: 'System theme', light: 'Light theme', dark: 'Dark theme' }

export function Navigation() {
  useKeys(PANEL_KEYS)
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

/** The panel that the address names; the first where it names none. */
function currentPanel(): PanelDefinition {
  const named = PANELS.find(({ id }) => id === query.value['panel']) ?? PANELS[0]
  return named.isForOperator && ownWorld.value !== undefined ? PANELS[0] : named
}

/** The title of the site, which a static one sets itself. */
const PAGE_TITLE = document.title

export function PanelView() {
  const { id, title, Panel } = currentPanel()
  useEffect(() => {
    document.title = `${title} · ${PAGE_TITLE}`
  }, [title])
  // Another world begins with a new panel.
  return (
    <ErrorBoundary key={`${id} of ${currentWorld.value}`}>
      <Panel />
    </ErrorBoundary>
  )
}

/** Keeps the rest of the page where a panel cannot be drawn. */
class ErrorBoundary extends Component<{ children: ComponentChildren }, { message?: string }> {
  override componentDidCatch(error: unknown): void {
    this.setState({ message: sentenceOf(error) })
  }

  override render(): ComponentChildren {
    const { message } = this.state
    return message === undefined ? this.props.children : <ErrorState message={message} />
  }
}

const isShown = signal(false)

function showKeys(): void {
  isShown.value = true
}

const LIST_KEYS = [{ keys: '?', does: 'List the keys', press: showKeys }]

/** Keys of what has the focus or is open. */
const OTHER_KEYS = [
  { keys: 'ArrowUp+ArrowDown', does: 'Move in a table; Home, End and Enter too' },
  { keys: 'ArrowLeft+ArrowRight', does: 'Move between tabs, along reports, or an end of a range' },
  { keys: 'Escape', does: 'Close a dialog, or leave the preview of another time' },
]

/** Symbols on a keyboard, by name of the key; other keys show their name. */
const WRITTEN: Record<string, string> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
}

/** Dialog with the current effect of every key. */
export function KeysDialog() {
  useKeys(LIST_KEYS)
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
