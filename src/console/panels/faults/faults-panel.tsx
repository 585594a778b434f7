import { Unread } from '../../parts/unread.tsx'
import { useGet, useResource } from '../../state/resource.ts'
import { listTokens } from '../../state/tokens.ts'
import { ArmForm } from './arm-form.tsx'
import { ArmedFaults } from './armed-faults.tsx'
import { Presets } from './presets.tsx'
import './faults.css'

/** Errors, delays and broken responses: the common ones in words, which are armed, what they did, and a form for others. */
export function FaultsPanel() {
  const forms = useGet('/faults/kinds')
  const tokens = useResource(listTokens, [])
  return (
    <>
      <h1>Faults</h1>
      <p class="sub">
        What goes wrong between a client and a real service. A fault affects the requests that it
        selects, until it is disarmed or the world is reset.
      </p>
      <Presets />
      <div class="two">
        <ArmedFaults tokens={tokens.value ?? []} />
        {forms.value && tokens.value ? (
          <ArmForm forms={forms.value} tokens={tokens.value} />
        ) : (
          <Unread of={forms.value ? tokens : forms} />
        )}
      </div>
    </>
  )
}
