import { expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { RecordedRequest } from '../../src/journal/recorded-request.ts'
import { createRandom } from '../../src/records/random.ts'
import { rehearse } from '../../src/rehearse.ts'
import type { RehearsedClient, RehearseOptions } from '../../src/rehearse.ts'
import { ReviewQueue } from '../../src/review/record-review.ts'
import type { CheckResult, Review } from '../../src/review/review.ts'
import { Reviewer } from '../../src/review/reviewer.ts'
import type { CommandDefinition } from '../../src/world/commands/command.ts'
import type { CommandEvent, WorldSubscriber } from '../../src/world/world-subscriber.ts'
import type { World } from '../../src/world/world.ts'
import { createRightClient } from '../clients/right-client.ts'
import { WRONG_CLIENTS } from '../clients/wrong-clients.ts'
import { isFullDepth } from '../support/depth.ts'

/**
 * A busy machine only makes things later. So sessions whose requests come up to 5 s later each, with the same responses, show
 * nothing new, and the same wherever a finding rests on order or number.
 */

const LATEST_MS = 5000
/** Checks whose findings rest on a time that was too short, and so may be gone. */
const BY_TIME: readonly CheckResult['id'][] = [
  'retry-after',
  'token-told-to-wait',
  'retry-unauthorised',
  'retry-missing',
  'poll-latest',
  'one-by-one',
  'repeated-read',
  'hour-budget',
]

/** Reviews the requests of a world as if each, and all after it, had come later by `next()` milliseconds. */
class LateReview implements WorldSubscriber {
  readonly keepsRequests = true
  /** The review when the session ended. */
  review: Review | undefined
  readonly #reviewer: Reviewer
  readonly #queue: ReviewQueue
  readonly #next: () => number
  #lateMs = 0

  constructor(world: World, next: () => number) {
    this.#reviewer = new Reviewer(world)
    this.#queue = new ReviewQueue(world, this.#reviewer)
    this.#next = next
  }

  onRequest(recorded: RecordedRequest): void {
    this.#lateMs += this.#next()
    this.#queue.onRequest(this.#later(recorded))
  }

  onResponseEnd(recorded: RecordedRequest): void {
    this.#queue.onResponseEnd(this.#later(recorded))
  }

  onBeforeCommand(definition: CommandDefinition): void {
    this.#queue.onBeforeCommand(definition)
    const { requests } = this.#reviewer.state
    if (definition.startsSession === true && requests > 0) this.review = this.#reviewer.review()
  }

  onCommand(event: CommandEvent): void {
    this.#queue.onCommand(event)
  }

  #later(recorded: RecordedRequest): RecordedRequest {
    const late = recorded.copy()
    late.rateOffsetMs += this.#lateMs
    const { responseEnd } = recorded
    if (responseEnd)
      late.responseEnd = { ...responseEnd, rateMs: responseEnd.rateMs + this.#lateMs }
    return late
  }
}

const CLIENTS: { name: string; create: () => RehearsedClient; options?: RehearseOptions }[] = [
  { name: 'is right', create: () => createRightClient().run },
  ...WRONG_CLIENTS,
]

/** `PROPERTY_DEPTH=1`, as in .ci/nightly, uses all clients with five seeds; otherwise every twelfth one with one. */
const CASES = ['1', '2', '3', '4', '5'].slice(0, isFullDepth ? undefined : 1).flatMap((seed) =>
  CLIENTS.filter((_, index) => isFullDepth || index % 12 === 0).map((client) => ({
    ...client,
    seed,
  })),
)

test.for(CASES)('a client that $name, seed $seed', async ({ create, options, seed }) => {
  const sandbox = await createSandbox({ demo: true, seed })
  const random = createRandom(seed)
  const reviews = [
    () => 0,
    ...Array.from({ length: 3 }, () => () => random.integer(0, LATEST_MS)),
  ].map((next) => new LateReview(sandbox.world, next))
  for (const one of reviews) sandbox.world.subscribe(one)
  await rehearse(create(), { profile: 'smoke', start: '2026-01-01', ...options, seed, sandbox })
  const [inTime, ...late] = reviews.map(({ review }) => review!.checks)
  for (const checks of late) {
    for (const [index, check] of checks.entries()) {
      const before = inTime![index]!
      // In process the growth of pauses is judged, because the client's clock does not depend on the machine.
      if (check.id === 'backoff') continue
      if (!BY_TIME.includes(check.id)) expect(messagesOf(check)).toEqual(messagesOf(before))
      else if (check.result === 'failed') expect(messagesOf(before)).toContain('failed')
      expect(check.findings.length).toBeLessThanOrEqual(before.findings.length)
    }
  }
})

/** Returns the facts of a check that depend on no clock. */
function messagesOf({ id, result, findings }: CheckResult): string[] {
  return [id, result, ...findings.map(({ message }) => message)]
}
