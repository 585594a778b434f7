import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openFetch } from '../support/transports.ts'
import type { Client, TestResponse } from '../support/transports.ts'
import { AGENCY, aProject, aWorld, SUPER } from '../support/worlds.ts'
import { runs } from '../support/depth.ts'

const PATH = '/api/v1/projects'

/** Follows a page link exactly as it is in the response. */
async function follow(client: Client, link: string, token: string): Promise<TestResponse> {
  expect(link.startsWith(`${PATH}?`)).toBe(true)
  const query = link.slice(PATH.length + 1)
  const response = await client.send({ path: '/projects', query, token })
  expect(response.status).toBe(200)
  return response
}

/** The bodies from a link on, following the next or previous links. */
async function pagesFrom(
  client: Client,
  { link, direction, token }: { link: string; direction: 'next' | 'prev'; token: string },
): Promise<any[]> {
  const { body } = await follow(client, link, token)
  const beyond = body.links[direction]
  if (beyond === null) return [body]
  return [body, ...(await pagesFrom(client, { link: beyond, direction, token }))]
}

function idsOf(body: any): number[] {
  return body.data.map(({ id }: any) => id)
}

const clients = new Map<number, Promise<Client>>()

/** A client of a world of that many projects, with unsorted ids. Tests only read it, so it is created once per size. */
function clientOf(count: number): Promise<Client> {
  const [early, late] = [idsOfWorld(count).slice(0, count / 2), idsOfWorld(count).slice(count / 2)]
  const projects = [...late.toReversed(), ...early].map((id) => aProject({ id }))
  const client = clients.get(count) ?? openFetch({ fixtures: aWorld({ projects }) })
  clients.set(count, client)
  return client
}

/** The ids of that many projects, in ascending order. */
function idsOfWorld(count: number): number[] {
  return Array.from({ length: count }, (_, index) => 3 * index + 1)
}

/** G-034 to G-036: an integer from 1 is used, anything else is ignored. */
function countBySpecification(text: string | undefined, otherwise: number): number {
  return text !== undefined && /^[1-9][0-9]*$/.test(text) ? Number(text) : otherwise
}

const NEAR_MISSES = [
  '',
  '0',
  '00',
  '01',
  '-1',
  '1.5',
  '2e0',
  '0x2',
  'two',
  '100',
  '101',
  '٣',
  'NaN',
]

/** A page parameter: a likely number, a large one, a near miss, any text, or absent. */
const pageTexts = fc.option(
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 12 }).map(String) },
    { weight: 2, arbitrary: fc.integer({ min: -2, max: 1000 }).map(String) },
    fc.constantFrom(...NEAR_MISSES),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  ),
  { nil: undefined },
)

/** The parameters that have a value. */
function toQuery(parameters: Record<string, string | undefined>): Record<string, string> {
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return Object.fromEntries(given)
}

describe('pages of GET /projects', () => {
  const requests = fc.record({
    count: fc.integer({ min: 0, max: 30 }),
    page: pageTexts,
    per_page: pageTexts,
  })

  test('4.3 any page and per_page return the slice and the numbers that the rules require', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async ({ count, page, per_page }) => {
        const client = await clientOf(count)
        const query = toQuery({ page, per_page })
        const { status, body } = await client.send({ path: '/projects', query, token: AGENCY })
        expect(status).toBe(200)

        const currentPage = countBySpecification(page, 1)
        const perPage = Math.min(countBySpecification(per_page, 100), 100)
        const lastPage = count === 0 ? 1 : Math.floor((count - 1) / perPage) + 1
        expect(body.meta).toStrictEqual({
          current_page: currentPage,
          per_page: perPage,
          total: count,
          last_page: lastPage,
        })
        const isOnPage = (_: number, index: number) =>
          Math.floor(index / perPage) + 1 === currentPage
        expect(idsOf(body)).toEqual(idsOfWorld(count).filter(isOnPage))
      }),
      { numRuns: runs(100) },
    )
  })

  test('4.3(4) prev and next are null exactly when that page does not exist, and links keep the query (G-033)', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async ({ count, page, per_page }) => {
        const client = await clientOf(count)
        const query = toQuery({ page, per_page })
        const { body } = await client.send({ path: '/projects', query, token: AGENCY })

        const { current_page, last_page } = body.meta
        const linkTo = (target: number) => {
          const kept = toQuery({ per_page })
          return `${PATH}?${new URLSearchParams({ ...kept, page: String(target) }).toString()}`
        }
        const linkIfThere = (target: number) =>
          target >= 1 && target <= last_page ? linkTo(target) : null
        expect(body.links).toStrictEqual({
          first: linkTo(1),
          last: linkTo(last_page),
          prev: linkIfThere(current_page - 1),
          next: linkIfThere(current_page + 1),
        })
      }),
      { numRuns: runs(100) },
    )
  })

  test('4.3(4) following next from first, or prev from last, returns every project once', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async ({ count, page, per_page }) => {
        const client = await clientOf(count)
        const query = toQuery({ page, per_page })
        const { body } = await client.send({ path: '/projects', query, token: AGENCY })
        const walk = (link: string, direction: 'next' | 'prev') =>
          pagesFrom(client, { link, direction, token: AGENCY })

        const pages = await walk(body.links.first, 'next')
        expect(pages.flatMap(idsOf)).toEqual(idsOfWorld(count))
        expect(pages).toHaveLength(body.meta.last_page)
        expect((await walk(body.links.last, 'prev')).toReversed()).toEqual(pages)
      }),
      { numRuns: runs(60) },
    )
  })

  test.each([
    [0, undefined, [0]],
    [1, undefined, [1]],
    [99, undefined, [99]],
    [100, undefined, [100]],
    [101, undefined, [100, 1]],
    [200, '1000', [100, 100]],
    [201, '0', [100, 100, 1]],
    [201, '67', [67, 67, 67]],
    [201, '68', [68, 68, 65]],
  ])('4.3, 8 %i projects with per_page %s are in pages of %j', async (count, per_page, sizes) => {
    const client = await clientOf(count)
    const query = toQuery({ per_page })
    const { body } = await client.send({ path: '/projects', query, token: AGENCY })
    const link: string = body.links.first
    const pages = await pagesFrom(client, { link, direction: 'next', token: AGENCY })
    expect(pages.map(({ data }) => data.length)).toEqual(sizes)
    expect(new Set(pages.flatMap(idsOf)).size).toBe(count)
    for (const { meta } of pages) expect(meta).toMatchObject({ total: count })
  })

  test.each([
    ['2 to the power of 53 and more', '9007199254740993'],
    ['400 digits', '1'.repeat(400)],
  ])('4.3 any page number past the last is an empty page, however large: %s', async (_, page) => {
    const client = await clientOf(3)
    const query = { page, per_page: '2' }
    const { status, body } = await client.send({ path: '/projects', query, token: AGENCY })
    expect(status).toBe(200)
    expect(body.data).toEqual([])
    expect(body.links).toMatchObject({ prev: null, next: null })
    expect(body.meta.current_page).toSatisfy(Number.isSafeInteger)
  })
})

describe('filters of GET /projects', () => {
  /**
   * Few letters, so that texts often match; some with a capital, an accent, or a special meaning in
   * patterns.
   */
  const LETTERS = ['a', 'A', 'b', 'B', 'æ', 'Æ', 'é', 'É', '%', '_', '.', '*', '\\', ' ', '+', '&']
  const texts = fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 5 })
  const statuses = fc.constantFrom('active', 'Active', 'paused', 'active ')

  const projects = fc.uniqueArray(
    fc.record({
      id: fc.integer({ min: 1, max: 999 }),
      agency: fc.constantFrom(1, 2),
      name: texts,
      domain: fc.option(texts),
      status: statuses,
    }),
    { selector: ({ id }) => id, maxLength: 15 },
  )

  const filters = fc.record({
    search: fc.option(
      fc.oneof(
        texts,
        texts.map((text) => text.slice(0, 2)),
      ),
      { nil: undefined },
    ),
    status: fc.option(fc.oneof(statuses, fc.constantFrom('', 'a', 'ACTIVE')), { nil: undefined }),
    agency_id: fc.option(fc.constantFrom('', '1', '2', '3'), { nil: undefined }),
    per_page: fc.constantFrom('1', '2', '5', '100'),
  })

  /** 4.3 with G-040 to G-042: filters that are not empty must match, ignoring case. */
  function isListed(
    project: { agency: number; name: string; domain: string | null; status: string },
    { search, status, agency_id }: Record<'search' | 'status' | 'agency_id', string | undefined>,
  ): boolean {
    if (agency_id && String(project.agency) !== agency_id) return false
    if (status && project.status !== status) return false
    if (!search) return true
    const holds = (text: string) => text.toUpperCase().split(search.toUpperCase()).length > 1
    return holds(project.name) || (project.domain !== null && holds(project.domain))
  }

  test('4.3 status, search and agency_id together list what matches all of them, page by page, by id', async () => {
    const sizes = new Set<number>()
    await fc.assert(
      fc.asyncProperty(projects, filters, async (records, filter) => {
        await using client = await openFetch({
          fixtures: aWorld({ projects: records.map((record) => aProject(record)) }),
        })
        const query = toQuery(filter)
        const { status, body } = await client.send({ path: '/projects', query, token: SUPER })
        expect(status).toBe(200)

        const fitting = records.filter((record) => isListed(record, filter)).map(({ id }) => id)
        sizes.add(fitting.length)
        expect(body.meta.total).toBe(fitting.length)
        const link: string = body.links.first
        const pages = await pagesFrom(client, { link, direction: 'next', token: SUPER })
        expect(pages.flatMap(idsOf)).toEqual(fitting.toSorted((one, other) => one - other))
      }),
      { numRuns: 100 },
    )
    expect(sizes.size).toBeGreaterThan(3)
  })

  test("4.3 no search with an agency's token finds anything of another agency", async () => {
    await fc.assert(
      fc.asyncProperty(projects, filters, async (records, { search, status, per_page }) => {
        await using client = await openFetch({
          fixtures: aWorld({ projects: records.map((record) => aProject(record)) }),
        })
        const query = toQuery({ search, status, per_page })
        const { body } = await client.send({ path: '/projects', query, token: AGENCY })
        const own = { search, status, agency_id: '1' }
        const fitting = records.filter((record) => isListed(record, own))
        expect(body.meta.total).toBe(fitting.length)
        const foreign = records.filter(({ agency }) => agency === 2).map(({ id }) => id)
        for (const id of idsOf(body)) expect(foreign).not.toContain(id)
      }),
      { numRuns: runs(60) },
    )
  })
})
