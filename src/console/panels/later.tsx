import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { ApiError } from '../api/api-error.ts'
import { Unread } from '../parts/unread.tsx'
import { useResource } from '../state/resource.ts'

type Others = typeof import('./others.ts')
type Title = keyof Others extends `${infer Name}Panel` ? Name : never

const others = laterScript(() => import('./others.ts'))
const partners = laterScript(() => import('./partners/partners-panel.tsx'))

/** A panel whose code is loaded when it is shown, or once the page is there. */
export function later(title: Title): ComponentType {
  return laterPanel(title, others, (script) => script[`${title}Panel`])
}

/** The panel of the operator, whose code nobody else loads. */
export const LaterPartners = laterPanel('Partners', partners, (panel) => panel.PartnersPanel)

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
