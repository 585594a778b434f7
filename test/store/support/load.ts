import { tryToAsk } from './replica.ts'

/** Makes the journals of a store's worlds keep all requests of a load, however fast they are answered. */
export const LONG_JOURNAL = ['--journal', '100000', '--limits', 'journal=100000']

/** Requests to a world that continue until `end` is called. */
export interface Load {
  /** Numbers of the requests that were answered with 200; each is the `n` of a query. */
  acknowledged: Set<number>
  /** All other statuses; 0 for a connection that ended without an answer. */
  refused: Set<number>
  /** Ends the load; resolves when the last request has been answered. */
  end: () => Promise<void>
}

interface LoadOptions {
  /** Number of requests that are under way at a time. */
  atOnce?: number
  last?: number
  /** Sends a request to a server; undefined if the connection ends without an answer. */
  ask?: typeof tryToAsk
}

/** Sends requests to servers in turn, some of them at once; their numbers start after `last`. */
export function startLoad(
  servers: readonly { url: string }[],
  token: string,
  { atOnce = 8, last = 0, ask = tryToAsk }: LoadOptions = {},
): Load {
  const acknowledged = new Set<number>()
  const refused = new Set<number>()
  const state = { isEnding: false }
  let count = last
  const send = async () => {
    while (!state.isEnding) {
      count += 1
      const n = count
      const { url } = servers[n % servers.length]!
      const answer = await ask(`${url}/api/v1/me?n=${n}`, { token })
      if (answer?.status === 200) acknowledged.add(n)
      else refused.add(answer?.status ?? 0)
    }
  }
  const senders = Promise.all(Array.from({ length: atOnce }, send))
  return {
    acknowledged,
    refused,
    end: async () => {
      state.isEnding = true
      await senders
    },
  }
}

/** The numbers of requests that {@link startLoad} has sent. */
export function numbersOf(requests: readonly { query: string }[]): number[] {
  return requests.map(({ query }) => Number(new URLSearchParams(query).get('n')))
}
