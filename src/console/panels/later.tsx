import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { ApiError } from '../api/api-error.ts'
import { Unread } from '../parts/unread.tsx'
import { useResource } from '../state/resource.ts'

type Others = typeof import('./others.ts')
type Title = keyof Others extends `${infer Name}Panel` ? Name : never

const others = signal<Others | undefined>(undefined)

/** A panel whose code is loaded when it is shown, or once the page is there. */
export function later(title: Title): ComponentType {
  return function Later() {
    const Panel = others.value?.[`${title}Panel`]
    return Panel ? <Panel /> : <Loading title={title} />
  }
}

function Loading({ title }: { title: string }) {
  const reading = useResource(loadOthers, [])
  return (
    <>
      <h1>{title}</h1>
      <Unread of={reading} />
    </>
  )
}

async function loadOthers(): Promise<void> {
  try {
    others.value = await import('./others.ts')
  } catch {
    throw new ApiError(0, 'not_loaded', 'This panel could not be loaded. Reload the page.')
  }
}

/** Loads them before one is opened. Whoever opens one sees why it could not be loaded. */
export function loadAhead(): void {
  loadOthers().catch(() => undefined)
}
