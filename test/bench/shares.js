/** Requests that are meant to cost much: what they cost, and what they cost the other clients. */
import { createSandbox } from 'seo-sandbox'
import { PINNING, startServed } from './support/processes.js'
import { atMost, interleave, median, medianRatio } from './support/report.js'
import { toRequest } from './support/requests.js'
import { longestWait, openClient, pause, toText } from './support/waits.js'

export async function measure({ isShort }) {
  return [
    await measureBearers({ rounds: isShort ? 25 : 101 }),
    await measureSearches(),
    await measureStall({ rounds: isShort ? 3 : 11 }),
  ]
}

const TOKENS = [1, 1000]
const BEARER_LENGTH = 15_000

/** How much more a wrong bearer value may cost with many tokens than with one. */
const BEARER_BAR = 1.5

/** What a wrong bearer value costs, which is refused before it is counted. */
async function measureBearers({ rounds }) {
  const sandboxes = []
  for (const count of TOKENS) sandboxes.push(await createSandbox({ fixtures: withTokens(count) }))
  const results = await interleave(sandboxes, { rounds, warmUp: 5 }, (sandbox, round) => {
    const token = `${round}`.padEnd(BEARER_LENGTH, 'x')
    return timeRequest(sandbox, toRequest('/api/v1/me', { token }), 401)
  })
  const ratio = medianRatio(results[1], results[0])
  return {
    title: `A wrong bearer value of ${BEARER_LENGTH.toLocaleString('en')} characters, by the number of tokens`,
    about: `medians of ${rounds} requests in process, in microseconds`,
    columns: ['', ...TOKENS.map((count) => count.toLocaleString('en')), 'ratio'],
    rows: [['/me', ...results.map(median), ratio]],
    bars: [atMost(BEARER_BAR, `a long bearer value, ${TOKENS[1]} tokens against 1`, ratio)],
  }
}

function withTokens(count) {
  const tokens = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    name: `Token ${index + 1}`,
    token: `bench-token-${index + 1}`,
  }))
  return { version: 1, tokens }
}

const PROJECTS = 100_000

/** A text of three letters can be spelled in so many ways. */
const SPELLINGS = 8

/** Texts that find none, few, many and most projects, and patterns that could make a comparison slow. */
const TEXTS = {
  substring: ['zzz', 'x'.repeat(8000), 'que', 'bicycle', 'the'],
  like: [
    'zzz',
    'que',
    'a_z',
    'n_g_r',
    '%a%a%a%a%a',
    '%a'.repeat(500),
    '_'.repeat(8000),
    'bicycle',
    's%f',
  ],
}

/** What the first use of a text costs. */
async function measureSearches() {
  const rows = []
  for (const [match, texts] of Object.entries(TEXTS)) {
    const sandbox = await createSandbox({
      generate: { projects: PROJECTS },
      rateLimit: 'unlimited',
      policies: { 'search-match': match },
    })
    for (const text of texts) {
      const results = []
      for (let round = 0; round < SPELLINGS; round += 1) {
        const spelled = match === 'like' ? text + '%'.repeat(round) : spell(text, round)
        results.push(search(sandbox, spelled))
      }
      const [ms, { found }] = [median(results.map((result) => result.ms)), results[0]]
      const name = `${match}, ${text.length > 20 ? `${text.slice(0, 4)}… of ${text.length}` : text}`
      rows.push([name, found, ms])
    }
  }
  return {
    title: `Searches of ${PROJECTS.toLocaleString('en')} projects`,
    about: `medians of ${SPELLINGS} requests in process, in milliseconds; a page has one project`,
    columns: ['', 'found', 'ms'],
    rows,
    bars: [],
  }
}

/** The same text, spelled differently in each round, so that its results are not cached. */
function spell(text, round) {
  return [...text]
    .map((character, index) => ((round >> index) & 1 ? character.toUpperCase() : character))
    .join('')
}

function search(sandbox, text) {
  const query = new URLSearchParams({ search: text, per_page: '1' })
  const request = toRequest(`/api/v1/projects?${query}`, { token: 'sandbox-super' })
  const start = performance.now()
  const { status, body } = sandbox.answer(request)
  const ms = performance.now() - start
  if (status !== 200) throw new Error(`A search responds with ${status}.`)
  return { ms, found: JSON.parse(Buffer.from(body).toString()).meta.total }
}

/** Microseconds of a request. */
function timeRequest(sandbox, request, expected) {
  const start = performance.now()
  const { status } = sandbox.answer(request)
  const microseconds = (performance.now() - start) * 1000
  if (status !== expected) throw new Error(`${request.path} responds with ${status}.`)
  return microseconds
}

/** As many requests as fit into what Node reads from a connection at a time. */
const PIPELINED = 668

/** The longest that another client waits, of the time that the searches take. */
const STALL_BAR = 0.25

/** How long another client waits for a response while a client sends many searches in one write. */
async function measureStall({ rounds }) {
  const settings = { generate: { projects: PROJECTS }, rateLimit: 'unlimited' }
  const server = await startServed('sandbox', settings)
  const [own, other] = [await openClient(server.port), await openClient(server.port)]
  const [alone, waits, totals] = [[], [], []]
  for (let round = -1; round < rounds; round += 1) {
    const quiet = await longestWait(other, pause(200))
    const searches = Array.from({ length: PIPELINED }, (_, index) =>
      toText(`/api/v1/projects?per_page=1&search=a${round + 1}x${index}`),
    )
    const start = performance.now()
    const done = own.ask(searches.join(''), PIPELINED)
    const busy = await longestWait(other, done)
    // The first round is a warm-up.
    if (round < 0) continue
    alone.push(quiet)
    waits.push(busy)
    totals.push((await done) - start)
  }
  own.close()
  other.close()
  await server.stop()
  const share = medianRatio(waits, totals)
  return {
    title: `The wait of another client during one write of ${PIPELINED} searches of ${PROJECTS.toLocaleString('en')} projects`,
    about: `medians of ${rounds} rounds in milliseconds, ${PINNING}; the other client asks for /me again and again, and the longest of its waits counts`,
    columns: ['', 'ms'],
    rows: [
      ['the longest wait without the searches', median(alone)],
      ['the longest wait during the searches', median(waits)],
      ['all searches', median(totals)],
      ['ratio of these', share],
    ],
    bars: [atMost(STALL_BAR, 'the wait of another client, of the time of the searches', share)],
  }
}
