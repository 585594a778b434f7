import { signal } from '@preact/signals'
import {
  Activity,
  BookOpen,
  House,
  Layers,
  List,
  Plug,
  SlidersHorizontal,
  Users,
  Zap,
} from 'lucide'
import type { IconNode } from 'lucide'
import type { ComponentType } from 'preact'
import { ApiError } from '../api/api-error.ts'
import { Unread } from '../parts/placeholders.tsx'
import { useResource } from '../state/resource.ts'
import { OverviewPanel } from './overview/overview-panel.tsx'

type LazyPanels = typeof import('./lazy-panels.ts')
type Title = keyof LazyPanels extends `${infer Name}Panel` ? Name : never

const lazyPanels = createLazyScript(() => import('./lazy-panels.ts'))
const partners = createLazyScript(() => import('./partners/partners-panel.tsx'))

/** Creates a panel whose code is loaded once the page is ready, or earlier if the panel is opened. */
function lazyPanel(title: Title): ComponentType {
  return createLazyPanel(title, lazyPanels, (script) => script[`${title}Panel`])
}

const LazyPartnersPanel = createLazyPanel('Partners', partners, (panel) => panel.PartnersPanel)

interface LazyScript<Script> {
  readonly value: Script | undefined
  load: () => Promise<void>
}

function createLazyScript<Script>(read: () => Promise<Script>): LazyScript<Script> {
  const script = signal<Script | undefined>(undefined)
  return {
    get value() {
      return script.value
    },
    load: async () => {
      try {
        script.value = await read()
      } catch {
        throw new ApiError(0, 'not_loaded', 'This panel could not be loaded. Reload the page.')
      }
    },
  }
}

function createLazyPanel<Script>(
  title: string,
  script: LazyScript<Script>,
  panelOf: (script: Script) => ComponentType,
): ComponentType {
  return function LazyPanel() {
    const { value } = script
    if (!value) return <Loading title={title} load={script.load} />
    const Panel = panelOf(value)
    return <Panel />
  }
}

function Loading({ title, load }: { title: string; load: () => Promise<void> }) {
  const script = useResource(load, [])
  return (
    <>
      <h1>{title}</h1>
      <Unread of={script} />
    </>
  )
}

/** Loads all panels but the operator's ahead of use. If that fails, the next opened panel shows the reason. */
export function loadAhead(): Promise<void> {
  const loaded = lazyPanels.load()
  loaded.catch(() => undefined)
  return loaded
}

export interface PanelDefinition {
  /** Id in the address, as `?panel=`. */
  id: string
  title: string
  icon: IconNode
  Panel: ComponentType
  /** True for a panel that only the operator of a server with a store sees. */
  isForOperator?: boolean
}

const OVERVIEW = define('Overview', House, OverviewPanel)

/** Panels by purpose, in the order of the navigation. The digit keys, from 1 on, open all panels but the operator's. */
export const PANEL_GROUPS: readonly { title?: string; panels: readonly PanelDefinition[] }[] = [
  { panels: [OVERVIEW, defineLazy('World', Layers)] },
  {
    title: 'Your client',
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
  { title: 'Read', panels: [defineLazy('Reference', BookOpen)] },
  {
    title: 'This server',
    panels: [{ ...define('Partners', Users, LazyPartnersPanel), isForOperator: true }],
  },
]

export const PANELS: readonly [PanelDefinition, ...PanelDefinition[]] = [
  OVERVIEW,
  ...PANEL_GROUPS.flatMap(({ panels }) => panels).slice(1),
]

function defineLazy(title: Parameters<typeof lazyPanel>[0], icon: IconNode): PanelDefinition {
  return define(title, icon, lazyPanel(title))
}

function define(title: string, icon: IconNode, Panel: ComponentType): PanelDefinition {
  return { id: title.toLowerCase(), title, icon, Panel }
}
