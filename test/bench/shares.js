/** Expensive requests. `test/soak/host.js` measures their cost for other clients. */
import { createSandbox } from 'seo-sandbox'
import { atMost, interleave, median, medianRatio } from './support/report.js'
import { toRequest } from './support/requests.js'

export async function measure({ isShort }) {
  return [await measureBearers({ rounds: isShort ? 25 : 101 }), await measureSearches()]
}

const TOKENS = [1, 1000]
const BEARER_LENGTH = 15_000

/** Maximum cost of a wrong bearer value with many tokens, relative to one token. */
const BEARER_BAR = 1.5

/** The cost of a wrong bearer value, which is refused before it is counted. */
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

/** Number of ways to spell a text of three letters. */
const SPELLINGS = 8

/** Texts that match no, few, many and most projects, and patterns that could make a comparison slow. */
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

/** The cost of the first use of a search text. */
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
