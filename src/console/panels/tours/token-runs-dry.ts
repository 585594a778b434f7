import { api } from '../../api/client.ts'
import type { ClientResponse } from '../../api/client.ts'
import { record } from '../../state/current-world.ts'
import { clocks } from '../../state/shown-clocks.ts'
import { isUnrestricted, listTokens } from '../../state/client-requests.ts'
import type { TourPlan, StepResult, Tour } from './tour.ts'
import type { Token } from '../../state/client-requests.ts'

/** Requests that the new limit leaves in the current minute; few, so that the tour is short. */
const REQUESTS_LEFT = 5

export const tokenRunsDry: Tour = {
  id: 'token-runs-dry',
  title: 'The token runs dry',
  shows: 'What a 429 says, and when calls work again.',
  plan: async () => {
    const [tokens, limits] = await Promise.all([listTokens(), api.get('/rate-limits')])
    const limited = tokens.filter(isUnrestricted).flatMap((token) => {
      const { minute, hour } = limits.tokens.find(({ token_id }) => token_id === token.id) ?? {}
      return minute && hour?.remaining !== 0 ? { token, minute } : []
    })
    // Prefers a token with requests left, because a used-up token would need a higher limit than it has.
    const chosen = limited.find(({ minute }) => minute.remaining > 0) ?? limited[0]
    if (chosen) {
      const { token, minute } = chosen
      // A new limit does not reset the current window, so the requests already used are added.
      return planWith(token, minute.limit - minute.remaining + REQUESTS_LEFT)
    }
    return {
      unsuitable: 'No token in this world is active and has a limit.',
      scenario: 'minute-exhausted',
    }
  },
}

function planWith({ id, name, token }: Token, perMinute: number): TourPlan {
  let waitSeconds = 60
  const request = { path: '/api/v1/me', token }
  const ask = async (): Promise<StepResult> =>
    describeResponse(await api.request(request, 'Asked who the token is'))
  return {
    steps: [
      {
        text: `A token has 60 requests a minute and 1,000 an hour, unless something else is agreed. For a short tour, give “${name.slice(0, 60)}” ${perMinute} a minute${perMinute > REQUESTS_LEFT ? `, of which ${perMinute - REQUESTS_LEFT} are used` : ''}. Every response says how many are left.`,
        section: '8',
        button: `Give it ${perMinute} a minute`,
        run: async () => {
          const patch = { rate_limit: { per_minute: perMinute } }
          const sentence = `Limited ${name.slice(0, 60)} to ${perMinute} requests a minute`
          await api.command({ type: 'record.patch', collection: 'tokens', id, patch }, sentence)
          return ask()
        },
      },
      {
        text: 'Keep sending requests until one is refused, like a client that polls too often.',
        section: '8',
        button: 'Send until one is refused',
        run: async () => {
          const before = clocks.peek()
          let sent = 0
          let response: ClientResponse
          do {
            sent += 1
            response = await api.requestUnrecorded(request)
          } while (response.status < 400 && sent < 3 * perMinute)
          const { status } = response
          const sentence = `Sent requests until one got a ${status}`
          // The generated test starts with an unused minute, so it sends one request more than the limit.
          const times = perMinute + 1
          record({ kind: 'request', request, status, times, sentence, clocks: before })
          const seen = describeResponse(response)
          if (status !== 429) return seen
          waitSeconds = Math.max(1, Number(header(response, 'Retry-After') ?? waitSeconds))
          const text = `${sent - 1} more were answered, and the next one got a 429. Retry-After: the token works again in ${waitSeconds} seconds.`
          return { ...seen, text }
        },
      },
      {
        text: 'A client waits as long as Retry-After says. Here the clocks can be moved instead: a new minute begins, and the same request is answered.',
        section: '8',
        button: 'Skip the wait, and ask again',
        run: async () => {
          const by = `PT${waitSeconds}S`
          const sentence = `Skipped the wait of ${waitSeconds} s`
          await api.command({ type: 'clock.advance', by }, sentence)
          const seen = await ask()
          return { ...seen, text: `${waitSeconds} seconds later: ${seen.text}` }
        },
      },
    ],
  }
}

function describeResponse(response: ClientResponse): StepResult {
  const { status } = response
  const [limit, left] = HEADERS.map((name) => header(response, name) ?? null)
  return {
    text: `${status}, and ${left ?? 'no'} of ${limit ?? 'no'} requests are left this minute.`,
    answer: {
      endpoint: '/me',
      result: String(status),
      fields: {
        status,
        ...Object.fromEntries(HEADERS.map((name) => [name, header(response, name)])),
      },
      alwaysShown: ['status', ...HEADERS],
    },
    quota: { remaining: Number(left ?? 0), limit: Number(limit ?? 1) },
  }
}

const HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'Retry-After']

function header({ headers }: ClientResponse, name: string): string | undefined {
  return headers.find(([one]) => one === name.toLowerCase())?.[1]
}
