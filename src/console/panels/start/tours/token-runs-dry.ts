import { api } from '../../../api/client.ts'
import type { ClientResponse } from '../../../api/client.ts'
import { takeClock } from '../../../state/clock.ts'
import { isUsable, listTokens } from '../../../state/tokens.ts'
import type { Plan, Tour } from './tour.ts'
import type { Token } from '../../../state/tokens.ts'

/** Few enough to be used up by hand, and to be read as a test. */
const PER_MINUTE = 5

export const tokenRunsDry: Tour = {
  id: 'token-runs-dry',
  title: 'The token runs dry',
  shows: 'What a 429 looks like, which header says how long to wait, and when it works again.',
  plan: async () => {
    const [tokens, limits] = await Promise.all([listTokens(), api.get('/rate-limits')])
    const token = tokens.find((one) => {
      const gauges = limits.tokens.find(({ token_id }) => token_id === one.id)
      return isUsable(one) && gauges?.minute && (gauges.hour?.remaining ?? PER_MINUTE * 4) > 0
    })
    if (token) return planWith(token)
    return {
      unsuitable: 'No token in this world is active and has a limit.',
      scenario: 'minute-exhausted',
    }
  },
}

function planWith({ id, name, token }: Token): Plan {
  let waitSeconds = 60
  const ask = (sentence: string): Promise<ClientResponse> =>
    api.request({ path: '/api/v1/me', token }, sentence)
  return {
    steps: [
      {
        text: `Every token may send so many requests a minute and an hour, 60 and 1,000 where nothing else is agreed. For a short tour, give “${name.slice(0, 60)}” ${PER_MINUTE} a minute.`,
        section: '8',
        act: `Give it ${PER_MINUTE} a minute`,
        run: async () => {
          await api.command(
            {
              type: 'record.patch',
              collection: 'tokens',
              id,
              patch: { rate_limit: { per_minute: PER_MINUTE } },
            },
            `Gave token ${id} ${PER_MINUTE} requests a minute`,
          )
          // A window that has begun keeps what was used of it.
          return `The token has ${PER_MINUTE} requests a minute.`
        },
      },
      {
        text: 'Every response says how much of the minute is left.',
        section: '8',
        act: 'Send one request',
        run: async () => {
          const response = await ask('Asked who the token is')
          return `${response.status}, and ${header(response, 'X-RateLimit-Remaining') ?? 'no'} of ${header(response, 'X-RateLimit-Limit') ?? PER_MINUTE} are left.`
        },
      },
      {
        text: 'Send on until the token is refused, as a client does that polls too often.',
        section: '8',
        act: 'Send until it is refused',
        run: async () => {
          let sent = 0
          let response: ClientResponse
          do {
            sent += 1
            response = await ask('Asked again')
          } while (response.status < 400 && sent < 3 * PER_MINUTE)
          if (response.status !== 429) return `The answer is ${response.status}.`
          waitSeconds = Math.max(1, Number(header(response, 'Retry-After') ?? waitSeconds))
          return `429 after ${sent} more. Retry-After says that it works again in ${waitSeconds} seconds.`
        },
      },
      {
        text: 'A client waits for as long as Retry-After says, and does not guess. Here the clocks can be moved instead.',
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
        text: 'A new minute has begun, with all of its requests.',
        section: '8',
        act: 'Send it again',
        run: async () => {
          const response = await ask('Asked once more after the wait')
          return `${response.status}, and ${header(response, 'X-RateLimit-Remaining') ?? 'no'} of ${header(response, 'X-RateLimit-Limit') ?? PER_MINUTE} are left.`
        },
      },
    ],
  }
}

function header({ headers }: ClientResponse, name: string): string | undefined {
  return headers.find(([one]) => one === name.toLowerCase())?.[1]
}
