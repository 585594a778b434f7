import { Component } from 'preact'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { ownWorld } from '../api/key.ts'
import { sentenceOf } from '../api/api-error.ts'
import { PANELS } from '../panels/panels.ts'
import type { PanelDefinition } from '../panels/panels.ts'
import { ErrorState } from '../parts/empty-state.tsx'
import { currentWorld } from '../state/current-world.ts'
import { query } from '../state/location.ts'

/** The panel that the address names; the first where it names none. */
export function currentPanel(): PanelDefinition {
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
