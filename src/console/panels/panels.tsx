import { signal } from '@preact/signals'
import { Activity, Book, House, Globe, List, Plug, SlidersHorizontal, Users, Zap } from 'lucide'
import type { IconNode } from 'lucide'
import type { ComponentType } from 'preact'
import { ApiError } from '../api/api-error.ts'
import { Unread } from '../parts/placeholders.tsx'
import { useResource } from '../state/resource.ts'
import { OverviewPanel } from './overview/overview-panel.tsx'

/** Components of the panels loaded so far, by export name. */
const loadedPanels = signal<Readonly<Record<string, ComponentType>>>({})

type Script = () => Promise<object>

const LAZY_PANELS = () => import('./lazy-panels.ts')
const PARTNERS_PANEL = () => import('./partners/partners-panel.tsx')

async function loadScript(script: Script): Promise<void> {
  try {
    const panels = await script()
    loadedPanels.value = { ...loadedPanels.peek(), ...panels }
  } catch {
    throw new ApiError(0, 'not_loaded', 'This panel could not be loaded. Reload the page.')
  }
}

function lazyPanel(title: string, script: Script): ComponentType {
  return function LazyPanel() {
    const Panel = loadedPanels.value[`${title}Panel`]
    return Panel ? <Panel /> : <Loading title={title} script={script} />
  }
}

function Loading({ title, script }: { title: string; script: Script }) {
  const loading = useResource(() => loadScript(script), [])
  return (
    <>
      <h1>{title}</h1>
      <Unread of={loading} />
    </>
  )
}

/** Loads the panels of `lazy-panels.ts` before they are opened. Rejects if that fails; an opened panel then tries again. */
export function loadAhead(): Promise<void> {
  const loaded = loadScript(LAZY_PANELS)
  loaded.catch(() => undefined)
  return loaded
}

export interface PanelDefinition {
  /** Value of `panel` in the URL of the page: `world`. */
  id: string
  title: string
  icon: IconNode
  Panel: ComponentType
  /** True for a panel that the navigation offers only to the operator of a server with a store. */
  isForOperator?: boolean
}

const OVERVIEW = define('Overview', House, OverviewPanel)

export const PANEL_GROUPS: readonly { title?: string; panels: readonly PanelDefinition[] }[] = [
  { panels: [OVERVIEW, defineLazy('World', Globe)] },
  {
    title: 'The API',
    panels: [defineLazy('Connect', Plug), defineLazy('Traffic', Activity)],
  },
  {
    title: 'Change it',
    panels: [
      defineLazy('Faults', Zap),
      defineLazy('Policies', SlidersHorizontal),
      defineLazy('Scenarios', List),
    ],
  },
  { title: 'Read', panels: [defineLazy('Reference', Book)] },
  {
    title: 'This server',
    panels: [
      {
        ...define('Partners', Users, lazyPanel('Partners', PARTNERS_PANEL)),
        isForOperator: true,
      },
    ],
  },
]

export const PANELS: readonly [PanelDefinition, ...PanelDefinition[]] = [
  OVERVIEW,
  ...PANEL_GROUPS.flatMap(({ panels }) => panels).slice(1),
]

type LazyTitle = keyof Awaited<ReturnType<typeof LAZY_PANELS>> extends `${infer Title}Panel`
  ? Title
  : never

function defineLazy(title: LazyTitle, icon: IconNode): PanelDefinition {
  return define(title, icon, lazyPanel(title, LAZY_PANELS))
}

function define(title: string, icon: IconNode, Panel: ComponentType): PanelDefinition {
  return { id: title.toLowerCase(), title, icon, Panel }
}
