import { transport } from '../api/transport.ts'
import { Select } from '../parts/select.tsx'
import { currentWorld, pickWorld } from '../state/current-world.ts'
import { hrefWith } from '../state/location.ts'
import { worldsToChoose } from '../state/worlds.ts'
import { ClockBar } from './clock-bar.tsx'
import { PartnerBar } from './partner-bar.tsx'

export function Header() {
  const { Bar } = transport()
  return (
    <header class="top">
      <a class="name" href={hrefWith({ panel: undefined })}>
        seo-sandbox
      </a>
      <WorldSelect />
      <PartnerBar />
      {Bar && <Bar />}
      <ClockBar />
    </header>
  )
}

/** Chooses a world, where there are several. */
function WorldSelect() {
  const worlds = worldsToChoose()
  if (worlds.length === 1) return null
  return <Select label="World" value={currentWorld.value} options={worlds} onSelect={pickWorld} />
}
