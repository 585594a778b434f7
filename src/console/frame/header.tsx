import type { JSX } from 'preact'
import { api } from '../api/client.ts'
import { currentWorld, DEFAULT_WORLD, pickWorld } from '../state/current-world.ts'
import { hrefWith } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { ClockBar } from './clock-bar.tsx'

export function Header(): JSX.Element {
  return (
    <header class="top">
      <a class="name" href={hrefWith({ panel: undefined })}>
        seo-sandbox
      </a>
      <WorldSelect />
      <ClockBar />
    </header>
  )
}

/** Chooses a world, where there are several. */
function WorldSelect(): JSX.Element | null {
  const worlds = useResource((signal) => api.get('/worlds', {}, signal), [])
  const current = currentWorld.value
  const others = worlds.value?.map(({ id }) => id) ?? []
  const ids = [...new Set([DEFAULT_WORLD, ...others, current])]
  if (ids.length === 1) return null
  return (
    <select
      class="field"
      aria-label="World"
      value={current}
      onChange={(event) => pickWorld(event.currentTarget.value)}
    >
      {ids.map((id) => (
        <option key={id} value={id}>
          {id === DEFAULT_WORLD ? 'Default world' : `World ${id}`}
        </option>
      ))}
    </select>
  )
}
