import { vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { FixtureInput, Sandbox } from '../../src/index.ts'
import type { CheckId } from '../../src/review/checks/index.ts'
import type { Finding, Review } from '../../src/review/review.ts'
import { aProject, aReport, aToken, aWorld, AGENCY, SUPER } from '../support/worlds.ts'

type FixtureChanges = Partial<FixtureInput>

/** Start of every client, by every clock. Clients wait by setting the time. */
const START = Date.parse('2026-03-15T12:00:00Z')

/** A token of 5 requests a minute and 12 an hour. */
export const LIMITED = 'limited-token'
export const DISABLED = 'disabled-token'
/** A token for another address. */
export const ELSEWHERE = 'elsewhere-token'

/** Projects 1 to 5, each with a completed report 1, a running report 2 and a pending report 3; seven languages. */
export function reviewedWorld(changes: FixtureChanges) {
  const ids = [1, 2, 3, 4, 5]
  return aWorld({
    frozen: false,
    languages: [1, 2, 3, 4, 5, 6, 7].map((id) => ({ id, label: `Language ${id}` })),
    tokens: [
      aToken({ id: 1, token: AGENCY }),
      aToken({ id: 2, token: SUPER, agency: null }),
      aToken({ id: 3, token: LIMITED, rate_limit: { per_minute: 5, per_hour: 12 } }),
      aToken({ id: 4, token: DISABLED, status: 'disabled' }),
      aToken({ id: 5, token: ELSEWHERE, allowed_ips: ['192.0.2.1'] }),
    ],
    projects: ids.map((id) =>
      aProject({
        id,
        reports: [
          aReport({ id: id * 10 + 1, report_number: 1, status: 'completed' }),
          aReport({
            id: id * 10 + 2,
            report_number: 2,
            status: 'running',
            date_to_create_texts: '2026-03-10',
            date_to_send_to_client: '2026-03-20',
          }),
          aReport({ id: id * 10 + 3, report_number: 3, date_to_create_texts: '2026-04-10' }),
        ],
      }),
    ),
    ...changes,
  })
}

/** Options of a request; `tookMs` is the time until the last byte of its response is sent. */
export interface Sending {
  method?: string
  /** The bearer value; null for a request without an Authorization header. */
  token?: string | null
  /** null for a request without an Accept header. */
  accept?: string | null
  pageOrigin?: string
  range?: string
  /** The number of the connection; unknown if omitted. */
  connection?: number
  openConnections?: number
  tookMs?: number
}

/** A client whose pauses move the machine's clock. */
export class Client {
  readonly sandbox: Sandbox

  private constructor(sandbox: Sandbox) {
    this.sandbox = sandbox
  }

  static async start(
    changes: FixtureChanges = {},
    startMs = START,
    options: { journal?: number } = {},
  ): Promise<Client> {
    vi.useFakeTimers({ toFake: ['Date'], now: startMs })
    return new Client(await createSandbox({ fixtures: reviewedWorld(changes), ...options }))
  }

  /** Requests a path below `/api/v1`. */
  request(
    path: string,
    {
      token = AGENCY,
      headers = {},
    }: { token?: string | undefined; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const sent = { Accept: 'application/json', Authorization: `Bearer ${token}`, ...headers }
    return this.sandbox.fetch(`/api/v1${path}`, { headers: sent })
  }

  /**
   * Sends a request whose response takes some time to be sent. Returns a function that reports the end: the last byte was sent,
   * or the client went.
   */
  send(target: string, sending: Sending = {}): (how?: 'sent' | 'aborted') => void {
    const { method = 'GET', token = AGENCY, accept = 'application/json', connection } = sending
    const { openConnections = 0 } = sending
    const headers = new Map([
      ['accept', accept ?? undefined],
      ['authorization', token === null ? undefined : `Bearer ${token}`],
      ['origin', sending.pageOrigin],
      ['range', sending.range],
    ])
    const [path = '', query = ''] = target.split('?')
    const { onEnd } = this.sandbox.answer({
      method,
      path: `/api/v1${path}`,
      query,
      header: (name) => headers.get(name),
      clientIp: '127.0.0.1',
      origin: 'http://localhost',
      connection,
      openConnections,
      observesEnd: 'all',
    })
    return (how = 'sent') => {
      this.wait((sending.tookMs ?? 0) / 1000)
      onEnd?.(how)
    }
  }

  /** Requests a path below `/api/v1`. Returns the status; 0 if no response arrives. */
  async ask(path: string, options?: Parameters<Client['request']>[1]): Promise<number> {
    return this.request(path, options).then(
      ({ status }) => status,
      () => 0,
    )
  }

  /** Requests a path repeatedly, with these pauses in seconds before each request. */
  async askAfter(pauses: readonly number[], path: string, token?: string): Promise<void> {
    for (const seconds of pauses) {
      this.wait(seconds)
      await this.ask(path, { token })
    }
  }

  wait(seconds: number): void {
    vi.setSystemTime(Date.now() + seconds * 1000)
  }

  /** Makes the next requests fail. */
  async fail(status: 429 | 500 | 503, times: number, retry_after?: number): Promise<void> {
    const schedule = { first: times }
    await this.sandbox.faults.add({
      kind: 'status',
      status,
      schedule,
      ...(retry_after !== undefined && { retry_after }),
    })
  }
}

/** The result of a check, with the requests of its findings. */
export function resultOf({ checks }: Review, id: CheckId): [string, ...number[][]] {
  const { result, findings } = checks.find((check) => check.id === id)!
  return [result, ...findings.map(sequencesOf)]
}

/** The requests that a finding names. */
export function sequencesOf({ requests }: Pick<Finding, 'requests'>): number[] {
  return requests.map(({ sequence }) => sequence)
}

/** The ids of the checks that failed. */
export function failedIn({ checks }: Review): Review['checks'][number]['id'][] {
  return checks.filter(({ result }) => result === 'failed').map(({ id }) => id)
}
