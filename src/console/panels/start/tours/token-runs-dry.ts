import { api } from '../../../api/client.ts'
import type { ClientResponse } from '../../../api/client.ts'
import { record } from '../../../state/acts.ts'
import { clocks, takeClock } from '../../../state/clock.ts'
import { isUsable, listTokens } from '../../../state/tokens.ts'
import type { Plan, Tour } from './tour.ts'
import type { Token } from '../../../state/tokens.ts'

/** Few enough to be used up by hand. */
const FEW = 5

export const tokenRunsDry: Tour = {
  id: 'token-runs-dry',
  title: 'The token runs dry',
  shows: 'What a 429 looks like, which header says how long to wait, and when it works again.',
  plan: async () => {
    const [tokens, limits] = await Promise.all([listTokens(), api.get('/rate-limits')])
    const limited = tokens.filter(isUsable).flatMap((token) => {
      const { minute, hour } = limits.tokens.find(({ token_id }) => token_id === token.id) ?? {}
      return minute && hour?.remaining !== 0 ? { token, minute } : []
    })
    // One that is used up already would need as many requests again.
    const chosen = limited.find(({ minute }) => minute.remaining > 0) ?? limited[0]
    if (chosen) {
      const { token, minute } = chosen
      // A window that has begun keeps what was used of it.
      return planWith(token, minute.limit - minute.remaining + FEW)
    }
    return {
      unsuitable: 'No token in this world is active and has a limit.',
      scenario: 'minute-exhausted',
    }
  },
}

function planWith({ id, name, token }: Token, perMinute: number): Plan {
  let waitSeconds = 60
  const request = { path: '/api/v1/me', token }
  const ask = async (): Promise<string> =>
    describe(await api.request(request, 'Asked who the token is'))
  return {
    steps: [
      {
        text: `A token has 60 requests a minute and 1,000 an hour, where nothing else is agreed. For a short tour, give “${name.slice(0, 60)}” ${perMinute} a minute.`,
        section: '8',
        act: `Give it ${perMinute} a minute`,
        run: async () => {
          await api.command(
            {
              type: 'record.patch',
              collection: 'tokens',
              id,
              patch: { rate_limit: { per_minute: perMinute } },
            },
            `Gave token ${id} ${perMinute} requests a minute`,
          )
          return `The token has ${perMinute} requests a minute.`
        },
      },
      {
        text: 'Every response says how much of the minute is left.',
        section: '8',
        act: 'Send one request',
        run: ask,
      },
      {
        text: 'Send on until one is refused, like a client that polls too often.',
        section: '8',
        act: 'Send until one is refused',
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
          // In a test the minute begins with the first of them.
          const times = perMinute + 1
          record({ kind: 'request', request, status, times, sentence, clocks: before })
          if (status !== 429) return `The answer is ${status}.`
          waitSeconds = Math.max(1, Number(header(response, 'Retry-After') ?? waitSeconds))
          return `${sent - 1} more were answered, and the next one got a 429. Retry-After: the token works again in ${waitSeconds} seconds.`
        },
      },
      {
        text: 'A client waits as long as Retry-After says. Here the clocks can be moved instead.',
        section: '8',
        act: 'Wait until then',
        run: async () => {
          const by = `PT${waitSeconds}S`
          const sentence = `Advanced both clocks by ${waitSeconds} seconds`
          takeClock(await api.command({ type: 'clock.advance', by }, sentence))
          return `${waitSeconds} seconds later.`
        },
      },
      {
        text: 'A new minute has begun.',
        section: '8',
        act: 'Send it again',
        run: ask,
      },
    ],
  }
}

/** What a response says about the window. */
function describe(response: ClientResponse): string {
  const left = header(response, 'X-RateLimit-Remaining') ?? 'no'
  const limit = header(response, 'X-RateLimit-Limit')
  return `${response.status}, and ${left} of ${limit ?? 'no'} requests are left this minute.`
}

function header({ headers }: ClientResponse, name: string): string | undefined {
  return headers.find(([one]) => one === name.toLowerCase())?.[1]
}
