import { signal } from '@preact/signals'
import { ChartNoAxesColumn, Code, Ellipsis, Settings2 } from 'lucide'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { Component } from 'preact'
import type { ComponentChildren } from 'preact'
import { delaysAll } from '../../wording/fault-words.ts'
import { fitOnLine } from '../../wording/fit-on-line.ts'
import { sentenceOf } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import { keyPrompt, keyWorld } from '../api/key.ts'
import { PANEL_GROUPS, PANELS } from '../panels/panels.tsx'
import type { PanelDefinition } from '../panels/panels.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Segments } from '../parts/form-fields.tsx'
import { Icon } from '../parts/icon.tsx'
import { ErrorState } from '../parts/placeholders.tsx'
import { agencyRead } from '../state/agency.ts'
import { currentWorld } from '../state/current-world.ts'
import { useFaults } from '../state/armed-faults.ts'
import { journal } from '../state/shown-journal.ts'
import { hrefWith, navigate, query } from '../state/location.ts'
import { focusSearch, keyBindings, setTheme, theme, THEMES, useKeys } from '../state/page.ts'
import type { KeyBinding } from '../state/page.ts'
import { useGet, useResource } from '../state/resource.ts'
import { mayWriteTests, showCode } from './code-panel.tsx'
import { WorldBar } from './world-bar.tsx'

const PANEL_KEYS: readonly KeyBinding[] = [
  ...PANELS.filter(({ isForOperator }) => !isForOperator).map(({ id, title }, index) => ({
    keys: String(index + 1),
    does: `Show ${title}`,
    press: () => navigate({ panel: id }),
  })),
  { keys: '/', does: 'Search in the panel', press: focusSearch },
]

/** Links to the panels, grouped by purpose. A phone shows some links in a row below the panel, and the rest in a sheet. */
export function Navigation() {
  useKeys(PANEL_KEYS)
  const groups = useGroups()
  const counts = useCounts()
  return (
    <>
      <nav class="rail" aria-label="Panels">
        <Brand />
        {groups.map(({ title, panels }) => (
          <div key={title} class="group">
            {title !== undefined && <small>{title}</small>}
            <Entries panels={panels} counts={counts} />
          </div>
        ))}
        <div class="rail-foot">
          <WorldBar />
          <button type="button" class="entry" onClick={() => show('settings')}>
            <Icon of={Settings2} />
            Settings
          </button>
        </div>
      </nav>
      <nav class="tab-row" aria-label="Panels">
        <Entries panels={PANELS.filter(isInPhoneRow)} counts={counts} />
        <button type="button" class="entry" aria-haspopup="dialog" onClick={() => show('more')}>
          <Icon of={Ellipsis} />
          More
        </button>
      </nav>
    </>
  )
}

function isInPhoneRow({ id }: PanelDefinition): boolean {
  return ['overview', 'world', 'traffic', 'connect'].includes(id)
}

function useGroups(): typeof PANEL_GROUPS {
  const { store } = useGet('/health').value ?? {}
  const isOperator = store !== undefined && keyPrompt.value === null && keyWorld.value === undefined
  return PANEL_GROUPS.filter(({ panels }) => isOperator || panels[0]?.isForOperator !== true)
}

function Brand() {
  const { agency } = agencyRead.value.value ?? {}
  return (
    <a class="brand" href={hrefWith({ panel: undefined })}>
      <Icon of={ChartNoAxesColumn} />
      <span>
        <b>
          <bdi>{agency ? fitOnLine(agency.name, 60) : 'seo-sandbox'}</bdi>
        </b>
        {agency && <small class="soft">seo-sandbox</small>}
      </span>
    </a>
  )
}

/** Counts shown beside the links, by panel id; undefined until read. */
type Counts = Readonly<Record<string, number | undefined>>

function useCounts(): Counts {
  const { value: projects } = useResource(
    (aborting) => api.list('projects', { limit: 1 }, aborting),
    [],
  )
  const { value: faults = [] } = useFaults()
  const { value: policies = [] } = useGet('/policies')
  return {
    world: projects?.total,
    traffic: journal.value.requests,
    faults: faults.filter((fault) => !fault.exhausted && !delaysAll(fault)).length,
    policies: policies.filter((gap) => gap.value !== gap.default).length,
  }
}

function Entries({ panels, counts }: { panels: readonly PanelDefinition[]; counts: Counts }) {
  return panels.map(({ id, title, icon, isForOperator }) => (
    <a
      key={id}
      class="entry"
      // The operator's panel belongs to no world.
      href={hrefWith({ panel: id, ...(isForOperator && { world: undefined }) })}
      aria-current={id === currentPanel().id ? 'page' : undefined}
    >
      <Icon of={icon} />
      {title}{' '}
      {!!counts[id] && (
        <small>{`${counts[id].toLocaleString('en')}${id === 'policies' ? ' set' : ''}`}</small>
      )}
    </a>
  ))
}

/** Returns the panel named in the page's URL; the first panel if none is, or if a partner opens the operator's panel. */
function currentPanel(): PanelDefinition {
  const named = PANELS.find(({ id }) => id === query.value['panel']) ?? PANELS[0]
  return named.isForOperator && keyWorld.value !== undefined ? PANELS[0] : named
}

/** Title of the HTML document, before the panel's title is added. */
const PAGE_TITLE = document.title

export function PanelView() {
  const { id, title, Panel } = currentPanel()
  useEffect(() => {
    document.title = `${title} · ${PAGE_TITLE}`
  }, [title])
  // Each world has its own instance of the panel.
  const key = `${id} of ${currentWorld.value}`
  useLayoutEffect(() => document.querySelector('main')?.scrollTo(0, 0), [key])
  return (
    <ErrorBoundary key={key}>
      <Panel />
    </ErrorBoundary>
  )
}

/** Shows an error in place of a panel that fails to render. The rest of the page stays. */
class ErrorBoundary extends Component<{ children: ComponentChildren }, { message?: string }> {
  override componentDidCatch(error: unknown): void {
    this.setState({ message: sentenceOf(error) })
  }

  override render(): ComponentChildren {
    const { message } = this.state
    return message === undefined ? this.props.children : <ErrorState message={message} />
  }
}

const shown = signal<'settings' | 'more' | null>(null)

function show(dialog: 'settings' | 'more' | null): void {
  shown.value = dialog
}

const LIST_KEYS = [{ keys: '?', does: 'List the keys', press: () => show('settings') }]

/** Keys that the focused or open element handles without a binding, for the list of shortcuts. */
const OTHER_KEYS = [
  { keys: 'ArrowUp+ArrowDown', does: 'Move in a table, also Home and End; Enter opens a row' },
  { keys: 'ArrowLeft+ArrowRight', does: 'Move between tabs or reports, or change a time range' },
  { keys: 'Escape', does: 'Close a dialog or the request, or leave the preview' },
]

const KEY_SYMBOLS: Record<string, string> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
}

/** The open dialog: settings and shortcuts, or on a phone everything that has no room beside the panel. */
export function FrameDialog() {
  useKeys(LIST_KEYS)
  if (shown.value === null) return null
  const close = (): void => show(null)
  if (shown.value === 'more') return <MoreDialog close={close} />
  const bound = keyBindings.value.filter(({ keys }) => keys !== 'Escape')
  return (
    <Dialog title="Settings" onClose={close} isSheet>
      <ThemeChoice />
      <h3>Shortcuts</h3>
      <dl class="pairs keys">
        {[...bound, ...OTHER_KEYS].map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.split('+').map((key) => (
                <kbd key={key}>{KEY_SYMBOLS[key] ?? key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

function ThemeChoice() {
  return (
    <>
      <h3>Theme</h3>
      <Segments
        label="Theme"
        value={theme.value}
        options={Object.entries(THEMES)}
        onSelect={(name) => setTheme(name as keyof typeof THEMES)}
      />
    </>
  )
}

function MoreDialog({ close }: { close: () => void }) {
  const counts = useCounts()
  const panels = useGroups().flatMap((group) => group.panels)
  return (
    <Dialog title="More" onClose={close} isSheet>
      <div onClick={({ target }) => target instanceof Element && target.closest('a') && close()}>
        <Entries panels={panels.filter((panel) => !isInPhoneRow(panel))} counts={counts} />
      </div>
      {mayWriteTests() && (
        <button type="button" class="entry" onClick={() => (close(), showCode())}>
          <Icon of={Code} />
          As a test
        </button>
      )}
      <WorldBar />
      <ThemeChoice />
    </Dialog>
  )
}
