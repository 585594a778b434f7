import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { reviewSession } from '../../src/sandbox/review-session.ts'
import { runs } from '../support/depth.ts'
import { Client, failedIn } from './client.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Choices of a right client. */
const behaviour = fc.record({
  perPage: fc.constantFrom(1, 2, 3, 100, undefined),
  status: fc.constantFrom('active', undefined),
  /** True if it requests the pages after the first at the same time, in any order. */
  pagesAtOnce: fc.boolean(),
  order: fc.shuffledSubarray([1, 2, 3, 4, 5], { minLength: 1 }),
  detects: fc.constantFrom('list', 'last-generated'),
  showsLatest: fc.boolean(),
  readsReferences: fc.boolean(),
  readsKeywords: fc.boolean(),
  firstPauseSeconds: fc.constantFrom(0.2, 1, 2),
  randomness: fc.array(fc.double({ min: 0, max: 0.5, noNaN: true }), {
    minLength: 8,
    maxLength: 8,
  }),
  pausesBetweenRuns: fc.array(fc.integer({ min: 61, max: 7200 }), { minLength: 1, maxLength: 4 }),
})
type Behaviour = typeof behaviour extends fc.Arbitrary<infer Value> ? Value : never

/** Events of the world, one ahead of each run. */
const events = fc.array(
  fc.constantFrom('complete', 'regenerate', '503', '429', 'broken', 'reset connection', 'nothing'),
  { minLength: 4, maxLength: 4 },
)

/** Lists, reads new content, waits as it is told, retries with growing pauses, and keeps the contents it has. */
class RightClient {
  readonly #client: Client
  readonly #how: Behaviour
  /** The ids of the reports whose content it has, by project and number. */
  readonly #delivered = new Map<string, number>()

  constructor(client: Client, how: Behaviour) {
    this.#client = client
    this.#how = how
  }

  async sync(): Promise<void> {
    const { order, readsReferences, readsKeywords, showsLatest } = this.#how
    if (readsReferences) await this.#read('/languages')
    await this.#readProjects()
    for (const project of order) {
      if (readsKeywords) await this.#read(`/projects/${project}/keywords`)
      if (showsLatest) await this.#read(`/projects/${project}/reports/latest`)
      await this.#readNew(project)
    }
  }

  async #readProjects(): Promise<void> {
    const { perPage, status, pagesAtOnce, randomness } = this.#how
    const query = new URLSearchParams()
    if (status !== undefined) query.set('status', status)
    if (perPage !== undefined) query.set('per_page', String(perPage))
    const first = await this.#read(query.size > 0 ? `/projects?${query.toString()}` : '/projects')
    if (!pagesAtOnce) {
      for (let page = first; page.links.next !== null;)
        page = await this.#read(page.links.next.replace('/api/v1', ''))
      return
    }
    const rest = Array.from({ length: first.meta.last_page - 1 }, (_, index) => index + 2)
    const shuffled = rest.toSorted((one, other) => randomness[one]! - randomness[other]!)
    await Promise.all(
      shuffled.map((page) => {
        query.set('page', String(page))
        return this.#read(`/projects?${query.toString()}`)
      }),
    )
  }

  async #readNew(project: number): Promise<void> {
    const path = `/projects/${project}/reports`
    const shown =
      this.#how.detects === 'list'
        ? (await this.#read(path)).data
        : [(await this.#read(`${path}/last-generated`)).data]
    for (const { id, report_number, status } of shown) {
      const key = `${project} ${report_number}`
      if (status !== 'completed' || this.#delivered.get(key) === id) continue
      await this.#read(`${path}/${report_number}/content`)
      this.#delivered.set(key, id)
    }
  }

  /** Reads the JSON of a path, in as many attempts as it takes. */
  async #read(path: string): Promise<any> {
    let pause = this.#how.firstPauseSeconds
    for (let attempt = 0; ; attempt += 1) {
      const response = await this.#client.request(path).catch(() => undefined)
      const body = await response?.json().catch(() => undefined)
      if (response?.ok && body) return body
      const told = response?.headers.get('Retry-After')
      this.#client.wait(told ? Number(told) : pause * (1 + this.#how.randomness[attempt % 8]!))
      pause *= 2
    }
  }
}

async function happen(client: Client, event: string, project: number): Promise<void> {
  const { reports, faults } = client.sandbox
  const schedule = { first: 2 }
  if (event === 'complete') {
    const open = client.sandbox.world.records
      .reportsOf(project)
      .find(({ status }) => status !== 'completed')
    if (open) await reports.complete({ project, report_number: open.report_number })
  }
  if (event === 'regenerate') await reports.regenerate({ project, report_number: 1 })
  if (event === '503') await faults.add({ kind: 'status', status: 503, schedule })
  if (event === '429') await faults.add({ kind: 'status', status: 429, retry_after: 30, schedule })
  if (event === 'broken') await faults.add({ kind: 'malformed-json', schedule })
  if (event === 'reset connection') await faults.add({ kind: 'reset', schedule })
}

/** `PROPERTY_DEPTH=1` runs 200 of these. */
test('no check fires on a right client, whose review is the same when its session is replayed', async () => {
  await fc.assert(
    fc.asyncProperty(behaviour, events, async (how, drawn) => {
      const client = await Client.start()
      const right = new RightClient(client, how)
      await right.sync()
      for (const [index, pause] of how.pausesBetweenRuns.entries()) {
        client.wait(pause)
        await happen(client, drawn[index]!, how.order[0]!)
        await right.sync()
      }
      const review = client.sandbox.review()
      expect(review.checks.flatMap(({ findings }) => findings)).toEqual([])
      expect([failedIn(review), review.verdict]).toEqual([[], 'passed'])
      const states = new Set(review.ledger.map(({ state }) => state))
      const allowed = how.detects === 'list' ? ['delivered'] : ['delivered', 'missing', 'stale']
      expect([...states].filter((state) => !allowed.includes(state))).toEqual([])
      const session = await client.sandbox.session()
      expect(JSON.stringify(await reviewSession(session))).toBe(JSON.stringify(review))
    }),
    { numRuns: runs(200), endOnFailure: true },
  )
}, 300_000)
