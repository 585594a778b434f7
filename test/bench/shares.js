/** Requests that are meant to cost much: what they cost, and what they cost the other clients. */
import { createSandbox } from 'seo-sandbox'
import { atMost, interleave, median, medianRatio } from './support/report.js'
import { toRequest } from './support/requests.js'

export async function measure({ isShort }) {
  return [await measureBearers({ rounds: isShort ? 25 : 101 })]
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

/** Microseconds of a request. */
function timeRequest(sandbox, request, expected) {
  const start = performance.now()
  const { status } = sandbox.answer(request)
  const microseconds = (performance.now() - start) * 1000
  if (status !== expected) throw new Error(`${request.path} responds with ${status}.`)
  return microseconds
}
