import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reviewOf, toSessionReview } from '../../src/review/record-review.ts'
import type { Review } from '../../src/review/review.ts'
import { reviewSession } from '../../src/sandbox/review-session.ts'
import { sessionOf } from '../../src/session/session-recorder.ts'
import { runs } from '../support/depth.ts'
import type { Change } from '../../src/world/change.ts'
import { AGENCY } from '../support/worlds.ts'
import { DrivenWorld, Seeds } from '../world/stored-world.ts'
import { failedIn, resultOf, reviewedWorld } from './client.ts'

/**
 * In a store, the end of a response is an entry of the log. It may come after the next attempt, if another server has that one.
 */

const START = Date.parse('2026-03-15T12:00:00Z')
const DRIVEN = {
  options: { fixtures: reviewedWorld({}) },
  tokenSuffix: '',
  journalSize: 1000,
}

const LIST = '/projects/1/reports'
const CONTENT = `${LIST}/1/content`

interface EndOptions {
  tookMs?: number
  /** The last request that its server had seen by then; the request itself if omitted. */
  after?: number
}

/** A world of a store, as a server applies its log. */
class LoggedWorld {
  readonly seeds = new Seeds()
  driven: DrivenWorld
  nowMs = START

  private constructor(driven: DrivenWorld) {
    this.driven = driven
  }

  static async start(driven = DRIVEN): Promise<LoggedWorld> {
    return new LoggedWorld(await DrivenWorld.create(driven, START))
  }

  get sequence(): number {
    return this.driven.world.journal.sequence
  }

  /** Logs a request. Returns a function that logs the end of its response by its server. */
  async ask(path: string): Promise<(how: 'sent' | 'aborted', end?: EndOptions) => Promise<void>> {
    await this.driven.apply({
      atMs: this.nowMs,
      request: {
        method: 'GET',
        path: `/api/v1${path}`,
        query: '',
        clientIp: '127.0.0.1',
        origin: 'http://localhost',
        authorization: `Bearer ${AGENCY}`,
        accept: 'application/json',
      },
    })
    const { sequence, nowMs: arrivedMs } = this
    return async (how, { tookMs = this.nowMs - arrivedMs, after = sequence } = {}) => {
      const end = {
        sequence,
        arrived_ms: arrivedMs,
        after,
        ended_ms: arrivedMs + tookMs,
        ...(how === 'aborted' && { aborted: true as const }),
      }
      await this.driven.apply({ atMs: this.nowMs, end })
    }
  }

  command(command: object): Promise<void> {
    return this.change({ command })
  }

  async change(change: Change): Promise<void> {
    await this.driven.apply({ atMs: this.nowMs, change })
  }

  fail(status: number, retryAfter?: number): Promise<void> {
    const waits = retryAfter === undefined ? {} : { retry_after: retryAfter }
    const fault = { kind: 'status', status, ...waits, schedule: { first: 1 } }
    return this.command({ type: 'fault.add', fault })
  }

  /** Continues the world on another server. */
  async move(): Promise<void> {
    this.driven = await DrivenWorld.resume(DRIVEN, await this.driven.store(this.seeds), this.seeds)
  }

  /** Returns the review, which must be the same when the session is replayed, and on a server that loads the world now. */
  async review(): Promise<Review> {
    const { world } = this.driven
    const review = reviewOf(world)
    const session = await sessionOf(world, { toReview: toSessionReview })
    expect(await reviewSession(JSON.parse(JSON.stringify(session)))).toEqual(review)
    const text = await this.driven.store(this.seeds)
    const other = await DrivenWorld.resume(DRIVEN, text, this.seeds)
    expect(reviewOf(other.world)).toEqual(review)
    return review
  }
}

test.each(['before', 'after'])(
  'a report whose response did not arrive is delivered once, where that is logged %s the retry',
  async (when) => {
    const world = await LoggedWorld.start()
    await world.ask(LIST)
    const end = await world.ask(CONTENT)
    world.nowMs += 2500
    if (when === 'before') await end('aborted', { tookMs: 2000 })
    await world.move()
    await world.ask(CONTENT)
    world.nowMs += 100
    if (when === 'after') {
      expect((await world.review()).ledger).toMatchObject([{ fetches: 2, state: 'twice' }])
      await end('aborted', { tookMs: 2000 })
    }
    const review = await world.review()
    expect(review.ledger).toMatchObject([{ fetches: 1, state: 'delivered' }])
    expect(failedIn(review)).toEqual([])
    expect(resultOf(review, 'missing-after-error')).toEqual(['passed'])
  },
)

test('clocks that move together, without notice to the review, change no finding of the requests that wait', async () => {
  const moves = [
    { type: 'clock.advance', by: 'P1M' },
    { type: 'clock.set', now: '2026-08-01T00:00:00Z' },
    { type: 'clock.freeze', frozen: true },
  ] as const
  const reviewAfter = async (changes: Change[]): Promise<Review> => {
    const world = await LoggedWorld.start()
    const end = await world.ask('/me')
    for (const path of [LIST, CONTENT, CONTENT, '/projects/1/reports/latest', '/projects/77']) {
      await (
        await world.ask(path)
      )('sent')
      world.nowMs += 100
    }
    await end('sent')
    for (const change of changes) await world.change(change)
    await (
      await world.ask(CONTENT)
    )('sent')
    return world.review()
  }
  const review = await reviewAfter([{ move_clock: moves }])
  expect(failedIn(review)).not.toEqual([])
  expect(review.ledger).toMatchObject([{ first_fetched_at: expect.stringMatching(/^2026-03-15/) }])
  expect(await reviewAfter(moves.map((command) => ({ command })))).toEqual(review)
})

test('what did not arrive and was not requested again is missing', async () => {
  const world = await LoggedWorld.start()
  await world.ask(LIST)
  const end = await world.ask(CONTENT)
  await end('aborted')
  const review = await world.review()
  expect(review.ledger).toMatchObject([{ fetches: 0, state: 'missing' }])
  expect(failedIn(review)).toEqual(['missing-after-error'])
})

test.each([
  ['at once', undefined, 'failed'],
  ['at once, which is logged', 0, 'failed'],
  ['5 s later', 5000, 'failed'],
  ['only after the next attempt', 30_000, 'not-exercised'],
])('a wait begins when its response was sent: %s', async (_, tookMs, result) => {
  const world = await LoggedWorld.start()
  await world.command({ type: 'clock.advance', by: 'PT1H' })
  await world.fail(429, 20)
  const end = await world.ask(LIST)
  // Another server has the next attempt, whose entry comes first.
  world.nowMs += tookMs === 5000 ? 22_000 : 10_000
  await world.ask(LIST)
  world.nowMs += 25_000
  if (tookMs !== undefined) await end('sent', { tookMs })
  expect(resultOf(await world.review(), 'retry-after')[0]).toBe(result)
})

test('a clock that is moved before the end is logged moves no wait', async () => {
  const world = await LoggedWorld.start()
  await world.fail(429, 20)
  const end = await world.ask(LIST)
  await world.command({ type: 'clock.advance', by: 'PT20S' })
  await end('sent', { tookMs: 60 })
  world.nowMs += 100
  await world.ask(LIST)
  expect(resultOf(await world.review(), 'retry-after')).toEqual(['passed'])
})

test('two workers that ask for the same at once do not repeat what the other was refused', async () => {
  const world = await LoggedWorld.start()
  await world.fail(429, 20)
  const end = await world.ask(LIST)
  await world.ask(LIST)
  await end('sent', { after: world.sequence })
  expect(resultOf(await world.review(), 'retry-after')).toEqual(['not-exercised'])
})

test.each([
  [250, 'missing'],
  [251, 'delivered'],
])('an end that is logged after %i further requests leaves a report %s', async (count, state) => {
  const world = await LoggedWorld.start()
  await world.ask(LIST)
  const end = await world.ask(CONTENT)
  for (let n = 0; n < count; n += 1) await world.ask('/me')
  await end('aborted')
  expect((await world.review()).ledger).toMatchObject([{ state }])
})

test('an end is of its own request alone, and not of one with its number after a reset', async () => {
  const world = await LoggedWorld.start()
  await world.ask(LIST)
  const end = await world.ask(CONTENT)
  world.nowMs += 10
  await world.command({ type: 'reset' })
  await world.ask(CONTENT)
  await end('aborted')
  expect(await world.review()).toMatchObject({ verdict: 'passed', ledger: [{ fetches: 1 }] })
})

const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      path: fc.constantFrom(
        CONTENT,
        LIST,
        `${LIST}/latest`,
        '/projects',
        '/me',
        `${LIST}/9/content`,
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      end: fc.nat(9),
      how: fc.constantFrom<('sent' | 'aborted')[]>('sent', 'aborted'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ waitMs: fc.constantFrom(0, 10, 2000, 40_000, 70_000) }) },
  { weight: 1, arbitrary: fc.record({ failure: fc.constantFrom(429, 503) }) },
  { weight: 1, arbitrary: fc.constant({ moves: true as const }) },
  { weight: 1, arbitrary: fc.constantFrom('complete' as const, 'reset' as const) },
)

test('a review is the same live, on another server and replayed, whenever ends are logged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), async (steps) => {
      const world = await LoggedWorld.start()
      const open: Awaited<ReturnType<LoggedWorld['ask']>>[] = []
      for (const step of steps) {
        if (step === 'reset') await world.command({ type: 'reset' })
        else if (step === 'complete')
          await world.command({ type: 'report.complete', report: { project: 1, report_number: 2 } })
        else if ('path' in step) open.push(await world.ask(step.path))
        else if ('waitMs' in step) world.nowMs += step.waitMs
        else if ('failure' in step) await world.fail(step.failure, 20)
        else if ('moves' in step) await world.move()
        else for (const end of open.splice(step.end % (open.length || 1), 1)) await end(step.how)
      }
      await world.review()
    }),
    { numRuns: runs(600) },
  )
})
