import { Select } from '../parts/select.tsx'
import { currentWorld, DEFAULT_WORLD, pickWorld } from '../state/current-world.ts'
import { hrefWith } from '../state/location.ts'
import { worldsToChoose } from '../state/worlds.ts'
import { ClockBar } from './clock-bar.tsx'

export function Header() {
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
function WorldSelect() {
  const ids = worldsToChoose()
  if (ids.length === 1) return null
  return (
    <Select
      label="World"
      value={currentWorld.value}
      options={ids.map((id) => [id, id === DEFAULT_WORLD ? 'Default world' : `World ${id}`])}
      onSelect={pickWorld}
    />
  )
}
