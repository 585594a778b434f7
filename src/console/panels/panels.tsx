import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { ApiError } from '../api/api-error.ts'
import { Unread } from '../parts/placeholders.tsx'
import { useResource } from '../state/resource.ts'
import { OverviewPanel } from './overview/overview-panel.tsx'
import { TrafficPanel } from './traffic/traffic-panel.tsx'

type LazyPanels = typeof import('./lazy-panels.ts')
type Title = keyof LazyPanels extends `${infer Name}Panel` ? Name : never

const lazyPanels = createLazyScript(() => import('./lazy-panels.ts'))
const partners = createLazyScript(() => import('./partners/partners-panel.tsx'))

/** A panel whose code is loaded when it is shown, or once the page is there. */
function lazyPanel(title: Title): ComponentType {
  return createLazyPanel(title, lazyPanels, (script) => script[`${title}Panel`])
}

/** The panel of the operator, whose code nobody else loads. */
const LazyPartnersPanel = createLazyPanel('Partners', partners, (panel) => panel.PartnersPanel)

interface LazyScript<Script> {
  /** Undefined until it was loaded. */
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

/** Loads the panels that anybody may open, before one is opened. Where they could not be loaded, whoever opens one sees why. */
export function loadAhead(): Promise<void> {
  const loaded = lazyPanels.load()
  loaded.catch(() => undefined)
  return loaded
}

/** A panel of the page. */
export interface PanelDefinition {
  /** In the address, as `?panel=`. */
  id: string
  title: string
  Panel: ComponentType
  /** True for a panel that only the operator of a server with a store sees. */
  isForOperator?: boolean
}

/** The panels in the order of the navigation, in which those that everybody has are shown by the keys from 1 on. */
export const PANELS: readonly [PanelDefinition, ...PanelDefinition[]] = [
  define('Overview', OverviewPanel),
  defineLazy('World'),
  defineLazy('Connect'),
  define('Traffic', TrafficPanel),
  defineLazy('Faults'),
  defineLazy('Policies'),
  defineLazy('Scenarios'),
  defineLazy('Reference'),
  { ...define('Partners', LazyPartnersPanel), isForOperator: true },
]

function defineLazy(title: Parameters<typeof lazyPanel>[0]): PanelDefinition {
  return define(title, lazyPanel(title))
}

function define(title: string, Panel: ComponentType): PanelDefinition {
  return { id: title.toLowerCase(), title, Panel }
}
