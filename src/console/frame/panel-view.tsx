import { Component } from 'preact'
import type { ComponentChildren, ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { sentenceOf } from '../api/api-error.ts'
import { PANELS } from '../panels/panels.ts'
import type { PanelDefinition } from '../panels/panels.ts'
import { ErrorState } from '../parts/empty-state.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { currentWorld } from '../state/current-world.ts'
import { query } from '../state/location.ts'

/** The panel that the address names; the first where it names none. */
export function currentPanel(): PanelDefinition | undefined {
  return PANELS.find(({ id }) => id === query.value['panel']) ?? PANELS[0]
}

/** Those that were loaded, so that they are there at once. */
const loaded = new Map<string, ComponentType>()

export function PanelView(): JSX.Element {
  const panel = currentPanel()
  const id = panel?.id ?? ''
  const [error, setError] = useState<string>()
  const [, redraw] = useState(0)
  useEffect(() => {
    document.title = `${panel?.title ?? ''} · seo-sandbox`
    setError(undefined)
    if (!panel || loaded.has(id)) return
    panel.load().then(
      (component) => {
        loaded.set(id, component)
        redraw((turn) => turn + 1)
      },
      (reason: unknown) => setError(sentenceOf(reason)),
    )
  }, [id])
  const Panel = loaded.get(id)
  if (error !== undefined) return <ErrorState message={error} />
  if (!Panel) return <Skeleton />
  // Another world begins with a new panel.
  return (
    <ErrorBoundary key={`${id} of ${currentWorld.value}`}>
      <Panel />
    </ErrorBoundary>
  )
}

/** A panel that cannot be drawn is no reason for an empty page. */
class ErrorBoundary extends Component<{ children: ComponentChildren }, { message?: string }> {
  override componentDidCatch(error: unknown): void {
    this.setState({ message: sentenceOf(error) })
  }

  override render(): ComponentChildren {
    const { message } = this.state
    return message === undefined ? this.props.children : <ErrorState message={message} />
  }
}
