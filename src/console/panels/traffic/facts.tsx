import type { ComponentChildren } from 'preact'
import type { JournalRequest } from '../../api/types.ts'
import { delaysAll } from '../../../wording/fault-words.ts'
import { GapList } from '../../parts/gap-list.tsx'
import { toSecond } from '../../../wording/times.ts'
import { hrefWith } from '../../state/location.ts'
import type { Filter } from './filter.ts'
import { NO_FILTER } from './filter.ts'
import { durationOf } from './time.ts'
import { faultOf, foundAt, titleOfFault } from './traffic-state.ts'

/** Why a request got its response, and what else is known of it. */
export function Facts({ request }: { request: JournalRequest }) {
  const { path, token, scheme, route, decided_by, rule, faults, gaps, clock } = request
  const { delay_ms, body_bytes } = request
  const meant = faults.filter((id) => {
    const fault = faultOf(id)
    return !fault || !delaysAll(fault)
  })
  return (
    <dl class="facts">
      <Fact name="Decided by">
        <span class="mono">{decided_by || 'unknown'}</span>
        {rule !== null && `, ${rule}`}
      </Fact>
      {foundAt(request.sequence).map(({ check, message }) => (
        <Fact key={message} name="Finding">
          <bdi>{message}</bdi> <code class="soft">{check.id}</code>
        </Fact>
      ))}
      {gaps.length > 0 && (
        <Fact name="Gaps">
          <GapList ids={gaps} />
        </Fact>
      )}
      {meant.length > 0 && (
        <Fact name="Faults">
          {meant.map((id) => (
            <Only key={id} filter={{ fault: String(id) }}>
              {titleOfFault(id)}
            </Only>
          ))}
        </Fact>
      )}
      <Fact name="Token">
        <Only filter={{ token: token ?? 'none' }}>
          <bdi>
            {token?.slice(0, 200) ?? (scheme === null ? 'Without a token' : 'An unknown token')}
          </bdi>
        </Only>
      </Fact>
      <Fact name="Endpoint">
        <Only filter={{ operation: route ?? 'none' }}>{route ?? 'An unknown path'}</Only>
        <Only filter={{ path }}>This path alone</Only>
      </Fact>
      <Fact name="Clocks">
        {toTime(clock.now)}
        {clock.rate_clock !== clock.now && (
          <span class="soft"> rate {toTime(clock.rate_clock)}</span>
        )}
      </Fact>
      <Fact name="Response">
        {body_bytes.toLocaleString('en')} bytes
        {durationOf(request) !== '–' && ` in ${durationOf(request)}`}
        {delay_ms > 0 && `, delayed by ${durationOf({ delay_ms, duration_ms: 0 })}`}
      </Fact>
    </dl>
  )
}

function toTime(time: string): string {
  return Number.isNaN(Date.parse(time)) ? 'unknown' : toSecond(time)
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A link that narrows the list to what is the same. */
function Only({ filter, children }: { filter: Filter; children: ComponentChildren }) {
  return (
    <a href={hrefWith({ ...NO_FILTER, ...filter })} title="List these alone">
      {children}
    </a>
  )
}
