import { useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import type { Command, FaultStatus } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { StateWord } from '../../parts/state-word.tsx'
import { toMinute } from '../../parts/times.ts'
import { Unread } from '../../parts/unread.tsx'
import { journal } from '../../state/journal.ts'
import { useGet } from '../../state/resource.ts'
import type { Token } from '../../state/tokens.ts'

/** The faults that are armed, with what each has done so far. */
export function ArmedFaults({ tokens }: { tokens: readonly Token[] }) {
  const armed = useGet('/faults', useAffected())
  const faults = armed.value
  return (
    <Card
      title="Armed"
      class="armed"
      aside={faults && faults.length > 0 && <Button onPress={disarmAll}>Disarm all</Button>}
    >
      <Unread of={armed} lines={3} />
      {faults?.length === 0 && (
        <EmptyState title="No faults are armed">
          Arm one with the form, and see how a client takes it.
        </EmptyState>
      )}
      <ul>
        {faults?.map((fault) => (
          <li key={fault.id}>
            <div>
              <strong>{describeKind(fault)}</strong>
              <p class="soft">{describeTarget(fault, tokens)}</p>
              <p class="small">
                <StateWord state={fault.exhausted ? 'completed' : 'running'}>
                  {fault.exhausted ? 'done' : 'armed'}
                </StateWord>
                {`; affected ${fault.fired.toLocaleString('en')} of ${fault.matched.toLocaleString('en')} requests that it selects`}
              </p>
            </div>
            <Button label={`Disarm fault ${fault.id}`} onPress={() => disarm(fault)}>
              Disarm
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  )
}

async function disarm(fault: FaultStatus): Promise<void> {
  const { id } = fault
  const undo = await arming((one) => one.id === id)
  const sentence = `Disarmed fault ${id}: ${describeKind(fault)}`
  await api.command({ type: 'fault.remove', id }, sentence, undo)
}

async function disarmAll(): Promise<void> {
  const undo = await arming(() => true)
  await api.command({ type: 'fault.set', faults: [] }, 'Disarmed all faults', undo)
}

/** What arms faults again; nothing where one of them has counted requests, which would begin again. */
async function arming(isMeant: (fault: FaultStatus) => boolean): Promise<Command[]> {
  const faults = (await api.get('/faults')).filter(isMeant)
  if (faults.some(({ matched, schedule }) => matched > 0 && schedule !== undefined)) return []
  return faults.map(
    ({ id: _id, matched: _matched, fired: _fired, exhausted: _over, ...fault }) => ({
      type: 'fault.add',
      fault,
    }),
  )
}

/** Counts are read again after requests that a fault affected, at most once for each batch of them. */
function useAffected(): number {
  const { entries } = journal.value
  const seen = useRef({ sequence: 0, affected: 0 })
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at]
    if (!entry || entry.sequence <= seen.current.sequence) break
    if (entry.kind === 'request' && entry.faults.length > 0) {
      seen.current.affected += 1
      break
    }
  }
  seen.current.sequence = entries.at(-1)?.sequence ?? 0
  return seen.current.affected
}

/** What a fault does: `status 503, Retry-After 30`. */
export function describeKind(fault: { kind: string }): string {
  const own = Object.entries(fault).filter(([name]) => !COMMON_FIELDS.includes(name))
  return [fault.kind, ...own.map(([name, value]) => toWords(name, value))].join(' ')
}

/** Those of every fault, which are shown apart. */
const COMMON_FIELDS = 'kind endpoint token project schedule id matched fired exhausted'.split(' ')

function toWords(name: string, value: unknown): string {
  return name === 'status' ? String(value) : `${name.replaceAll('_', ' ')} ${String(value)}`
}

function describeTarget(
  { endpoint, token, project, schedule = {} }: FaultStatus,
  tokens: readonly Token[],
): string {
  const name = tokens.find(({ id }) => id === token)?.name ?? `token ${token ?? ''}`
  const which = [
    `Requests for ${endpoint ?? 'any endpoint'}`,
    ...(token === undefined ? [] : [`by ${name.slice(0, 80)}`]),
    ...(project === undefined ? [] : [`about project ${project}`]),
  ].join(' ')
  return `${which}: ${describeSchedule(schedule)}.`
}

function describeSchedule(schedule: NonNullable<FaultStatus['schedule']>): string {
  const { first, every, nth, from, until, share } = schedule as Record<string, number | string>
  if (first !== undefined) return `the first ${first}`
  if (every !== undefined) return every === 1 ? 'all' : `every one at a multiple of ${every}`
  if (nth !== undefined) return `only number ${nth}`
  if (share !== undefined) return `a share of ${share}`
  const times = [
    ...(from === undefined ? [] : [`from ${toMinute(from)}`]),
    ...(until === undefined ? [] : [`until ${toMinute(until)}`]),
  ]
  return times.length > 0 ? `all ${times.join(' ')}` : 'all'
}
