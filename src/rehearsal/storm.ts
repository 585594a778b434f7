import { toEndpoint } from '../contract/routes.ts'
import type { OperationId } from '../contract/routes.ts'
import { createRandom } from '../records/random.ts'
import { CHECKS } from '../review/checks/index.ts'
import { isOfClient } from '../review/reviewed-request.ts'
import type { CheckResult } from '../review/review.ts'
import type { FaultInput } from '../world/faults/fault.ts'
import type { World } from '../world/world.ts'
import { BROKEN_RESPONSES, REPORT_ENDPOINTS, DISTURBANCE_KINDS } from './disturbances.ts'
import type { Disturbance } from './disturbances.ts'

interface StormRun extends Disturbance {
  /** Time by which both clocks are advanced before the run, as an ISO 8601 duration. */
  advance?: string
}

/**
 * Plans the three runs of a storm. In the first, every request is refused. In the second, some requests fail, some are
 * told to wait, and some get broken responses, in an order that depends on the seed. In the third, a day later, all is
 * calm.
 */
export function planStorm(seed: string): StormRun[] {
  const random = createRandom(seed, 'storm')
  const told = random.integer(4, 5)
  const shift = random.integer(0, BROKEN_RESPONSES.length - 1)
  const broken = REPORT_ENDPOINTS.flatMap((endpoint) =>
    BROKEN_RESPONSES.map((_, index): FaultInput => {
      const kind = BROKEN_RESPONSES[(index + shift) % BROKEN_RESPONSES.length]!
      // Leaves requests between the broken ones, so that the client can repeat a failed one.
      return { kind, endpoint, schedule: { nth: 2 + 3 * index } }
    }),
  )
  return [
    {
      text: 'its token is refused',
      faults: [{ kind: 'status', status: 401 }],
      isOutage: true,
    },
    {
      text: 'the API fails now and then',
      faults: [
        { kind: 'status', status: 503, schedule: { first: 2 } },
        { kind: 'status', status: 429, retry_after: 2, schedule: { nth: told } },
        { kind: 'html', status: 502, schedule: { nth: told + random.integer(2, 3) } },
        ...broken,
      ],
    },
    { text: 'all is calm, a day later', faults: [], advance: 'P1D' },
  ]
}

/**
 * Returns the noun phrase for a fault that also disturbs rehearsals: `a 429`. Undefined for any other, such as the 401
 * that refuses the token.
 */
export function nameFault({ kind, ...fault }: FaultInput): string | undefined {
  const id = 'status' in fault && kind === 'status' ? String(fault.status) : kind
  return DISTURBANCE_KINDS.find((known) => known.id === id)?.nounPhrase
}

export interface Requested {
  endpoints: Set<OperationId>
  hasQuery: boolean
  stop: () => void
}

/** Records the endpoints that the client of a world requests, and any use of a query, until `stop` is called. */
export function noteRequested(world: Pick<World, 'subscribe'>): Requested {
  const requested: Requested = { endpoints: new Set(), hasQuery: false, stop: () => {} }
  requested.stop = world.subscribe({
    onRequest: ({ sender, target: { operation }, query }) => {
      if (!isOfClient({ sender }) || operation === undefined) return
      requested.endpoints.add(operation)
      requested.hasQuery ||= query !== ''
    },
  })
  return requested
}

/** Explains, in a sentence, why a client never met the situation that a check needs. */
export function explainUnmet(
  id: CheckResult['id'],
  { endpoints, hasQuery }: Omit<Requested, 'stop'>,
): string {
  const sees = CHECKS.find((check) => check.id === id)?.sees ?? 'all'
  if (sees === 'queries' && !hasQuery) return 'The client sent no query.'
  if (typeof sees !== 'string') {
    const seen = sees.filter((one) => one !== 'unknown')
    if (!seen.some((operation) => endpoints.has(operation)))
      return `The client never requested ${seen.map(toEndpoint).join(' or ')}.`
  }
  return 'No request of the client led to this situation, whatever failed.'
}
