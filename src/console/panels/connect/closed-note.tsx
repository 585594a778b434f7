import { currentWorld, DEFAULT_WORLD } from '../../state/current-world.ts'
import { hrefWith } from '../../state/location.ts'
import { useGet } from '../../state/resource.ts'

/** Where the default world of a host is shown, which nobody may ask. */
export function ClosedNote() {
  const { default_world: standing } = useGet('/health').value ?? {}
  if (standing !== 'closed' || currentWorld.value !== DEFAULT_WORLD) return null
  return (
    <p class="note">
      The default world is closed: its built-in tokens get a 401. Invite{' '}
      <a href={hrefWith({ panel: 'partners' })}>partners</a>.
    </p>
  )
}
