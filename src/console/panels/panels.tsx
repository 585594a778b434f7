import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { ApiError } from '../api/api-error.ts'
import { Unread } from '../parts/placeholders.tsx'
import { useResource } from '../state/resource.ts'
import { OverviewPanel } from './overview/overview-panel.tsx'
import { TrafficPanel } from './traffic/traffic-panel.tsx'

type Others = typeof import('./others.ts')
type Title = keyof Others extends `${infer Name}Panel` ? Name : never

const others = laterScript(() => import('./others.ts'))
const partners = laterScript(() => import('./partners/partners-panel.tsx'))

/** A panel whose code is loaded when it is shown, or once the page is there. */
function later(title: Title): ComponentType {
  return laterPanel(title, others, (script) => script[`${title}Panel`])
}

/** The panel of the operator, whose code nobody else loads. */
const LaterPartners = laterPanel('Partners', partners, (panel) => panel.PartnersPanel)

interface LaterScript<Script> {
  /** Undefined until it was loaded. */
  readonly value: Script | undefined
  load: () => Promise<void>
}

function laterScript<Script>(read: () => Promise<Script>): LaterScript<Script> {
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

function laterPanel<Script>(
  title: string,
  script: LaterScript<Script>,
  panelOf: (script: Script) => ComponentType,
): ComponentType {
  return function Later() {
    const { value } = script
    if (!value) return <Loading title={title} load={script.load} />
    const Panel = panelOf(value)
    return <Panel />
  }
}

function Loading({ title, load }: { title: string; load: () => Promise<void> }) {
  const reading = useResource(load, [])
  return (
    <>
      <h1>{title}</h1>
      <Unread of={reading} />
    </>
  )
}

/** Loads the panels that anybody may open, before one is opened. Where they could not be loaded, whoever opens one sees why. */
export function loadAhead(): Promise<void> {
  const loaded = others.load()
  loaded.catch(() => undefined)
  return loaded
}

/** A panel of the page. */
export interface PanelDefinition {
  /** In the address, as `?panel=`. */
  id: string
  title: string
  Panel: ComponentType
  /** Whether it is for the operator of a server with a store alone. */
  isForOperator?: boolean
}

/** The panels in the order of the navigation, in which those that everybody has are shown by the keys from 1 on. */
export const PANELS: readonly [PanelDefinition, ...PanelDefinition[]] = [
  define('Overview', OverviewPanel),
  defineLater('World'),
  defineLater('Connect'),
  define('Traffic', TrafficPanel),
  defineLater('Faults'),
  defineLater('Policies'),
  defineLater('Scenarios'),
  defineLater('Reference'),
  { ...define('Partners', LaterPartners), isForOperator: true },
]

function defineLater(title: Parameters<typeof later>[0]): PanelDefinition {
  return define(title, later(title))
}

function define(title: string, Panel: ComponentType): PanelDefinition {
  return { id: title.toLowerCase(), title, Panel }
}
