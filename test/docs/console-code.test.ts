import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { createSandbox } from 'seo-sandbox'
import { startServer } from 'seo-sandbox/server'
import type { ServerOptions } from 'seo-sandbox/server'
import { afterAll, describe, expect, test } from 'vitest'
import type { ClientRequest, Command, WorldOrigin } from '../../src/console/api/types.ts'
import { testCodeOf } from '../../src/console/code/code-of.ts'
import type { CodeLanguage } from '../../src/console/code/code-of.ts'
import { faultedRequests } from '../../src/console/code/faulted-requests.ts'
import type { RecordedAction } from '../../src/console/code/test-steps.ts'
import { ACTIONS } from '../support/console-actions.ts'
import { runConsoleTest } from '../support/run-console-test.ts'

/** The console's code for recorded actions, run unchanged. */

const run = promisify(execFile)

const KEY = 'a-key-of-16-letters'

const RUNNERS = {
  python: ['python3', 'test_as_in_the_console()'],
  curl: ['sh', ''],
} as const

function runCode(language: keyof typeof RUNNERS, code: string) {
  const [program, call] = RUNNERS[language]
  const env = { ...process.env, SEO_SANDBOX_ADMIN_KEY: KEY }
  return run(program, ['-c', `${code}\n${call}`], { env })
}

test.each(['python', 'curl'] as const)(
  'the test in %s holds against a server whose world has moved on, and leaves that alone',
  async (language) => {
    await using server = await start({ frozen: true })
    await server.sandbox.clock.advance('P3M')
    const before = server.sandbox.clock.read().now
    const code = testCodeOf(language, ACTIONS, {
      origin: server.url,
      world: 'default',
      needsKey: true,
    })
    await runCode(language, code)
    const broken = code.replaceAll(/\b401\b/g, '200')
    await expect(runCode(language, broken)).rejects.toThrow()
    expect(server.sandbox.clock.read().now).toBe(before)
    expect(server.sandbox.world.journal.commands).toHaveLength(1)
  },
)

test.each<[schedule: object | undefined, ofClient: number]>([
  [{ first: 1 }, 1],
  [{ first: 2 }, 3],
  [{ nth: 2 }, 2],
  [{ every: 3 }, 6],
  [undefined, 2],
])(
  'a test with a fault that answered the client, by the schedule %j after %i requests, holds',
  async (schedule, ofClient) => {
    await using server = await start({ now: '2026-03-15T12:00:00Z', frozen: true })
    const { sandbox, url } = server
    const request = { path: '/api/v1/me', token: 'sandbox-agency' }
    const send = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${request.token}` }
      return (await fetch(url + request.path, { headers })).status
    }
    const noted = {
      world: 'default',
      origin: null,
      clocks: { worldMs: Date.parse('2026-03-15T12:00:00Z'), rateMs: 0, isFrozen: true },
      sentence: 'Did something',
    }
    const fault = { kind: 'status' as const, status: 503 as const, ...(schedule && { schedule }) }
    const armed: RecordedAction = {
      ...noted,
      id: 1,
      kind: 'command',
      command: { type: 'fault.add', fault },
      result: await sandbox.faults.add(fault),
    }
    for (let count = 0; count < ofClient; count += 1) await send()
    const entries = sandbox.requests.all().map((one) => ({ ...one, kind: 'request' as const }))
    const [faulted, ...others] = faultedRequests([armed], entries, entries.at(-1)!.sequence)
    expect([faulted?.step, faulted?.request.status, others]).toEqual([1, 503, []])
    const { times } = faulted!
    const again = await send()
    const place = { origin: url, world: 'default', needsKey: true }
    const actions: RecordedAction[] = [
      armed,
      { ...noted, id: 3, kind: 'request', request, status: 503, times },
      { ...noted, id: 2, kind: 'request', request, status: again },
    ]
    await runConsoleTest(testCodeOf('typescript', actions, place), createSandbox)
    for (const language of ['python', 'curl'] as const) {
      await runCode(language, testCodeOf(language, actions, place))
    }
    if (!('first' in (schedule ?? {}))) return
    const without = testCodeOf('typescript', [armed, actions[2]!], place)
    await expect(runConsoleTest(without, createSandbox)).rejects.toThrow('503')
  },
)

async function start(options: ServerOptions) {
  const server = await startServer({ port: 0, adminKey: KEY, ...options })
  return {
    url: server.url,
    sandbox: server.sandbox,
    [Symbol.asyncDispose]: () => server.close(),
  }
}

/** A response of the API, without the signatures of links, which differ between worlds. */
interface Answer {
  status: number
  body: string
}

function toAnswer(status: number, text: string): Answer {
  return { status, body: text.replaceAll(/https?:[^"]*/g, 'a link') }
}

/** Passes everything on to a server, and keeps the answers of its API. */
async function spyOn(target: string) {
  const answers: Answer[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts)
    const passed = await fetch(target + request.url, {
      method: request.method ?? 'GET',
      headers: Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
        ['authorization', 'accept', 'content-type'].includes(name) ? [[name, String(value)]] : [],
      ),
      ...(body.length > 0 && { body }),
    })
    const text = await passed.text()
    if (request.url?.startsWith('/api/')) answers.push(toAnswer(passed.status, text))
    const retry = passed.headers.get('retry-after')
    response.writeHead(passed.status, retry === null ? {} : { 'retry-after': retry }).end(text)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** Worlds that tests are written for. */
const WORLDS: Record<string, ServerOptions> = {
  'the default world': {},
  'the demo in German, with policies and a latency': {
    demo: true,
    locale: 'de',
    seed: 7,
    policies: { 'missing-token': '403', 'page-past-the-end': '404' },
    latency: 1,
  },
  'the demo in Danish and English, with limits': {
    demo: true,
    locale: ['da', 'en'],
    rateLimit: '9/min',
  },
  'a scenario': { scenario: 'month-rollover' },
}

describe.each(Object.entries(WORLDS))('a test of %s', async (_, options) => {
  const server = await start({ now: '2026-03-15T12:00:00Z', frozen: true, ...options })
  afterAll(() => server[Symbol.asyncDispose]())
  // A usual state: the clock has moved on since the load, and a policy is set.
  await server.sandbox.clock.set('2026-03-28T09:30:00Z')
  // A reset drops it.
  const policies = { 'unknown-parameter-body': 'envelope' }
  await server.sandbox.command({ type: 'policy.set', policies })
  const { actions, answers } = await actIn(server)

  test.each(['typescript', 'python', 'curl'] satisfies CodeLanguage[])(
    'in %s gets the answers that the console got',
    async (language) => {
      await using spy = await spyOn(server.url)
      const code = testCodeOf(language, actions, {
        origin: spy.url,
        world: 'default',
        needsKey: true,
      })
      if (language !== 'typescript') {
        await runCode(language, code)
        expect(spy.answers).toEqual(answers)
        return
      }
      const seen: Answer[] = []
      await runConsoleTest(code, async (given: object) => {
        const sandbox = await createSandbox(given)
        const fetchHere: typeof sandbox.fetch = async (input, init) => {
          const response = await sandbox.fetch(input, init)
          seen.push(toAnswer(response.status, await response.clone().text()))
          return response
        }
        return { ...sandbox, fetch: fetchHere }
      })
      expect(seen).toEqual(answers)
    },
  )
})

/** Performs actions of the console by its API, and records them as it does. */
async function actIn({ url, sandbox }: Awaited<ReturnType<typeof start>>) {
  const actions: RecordedAction[] = []
  const answers: Answer[] = []
  const headers = { authorization: `Bearer ${KEY}` }
  const control = async (path: string, body?: object): Promise<unknown> => {
    const method = body ? 'POST' : 'GET'
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    return (await fetch(`${url}/_sandbox${path}`, sent)).json()
  }
  const note = async () => {
    const { now, frozen } = sandbox.clock.read()
    return {
      id: actions.length + 1,
      world: 'default',
      origin: (await control('/origin')) as WorldOrigin,
      clocks: { worldMs: Date.parse(now), rateMs: 0, isFrozen: frozen },
      sentence: `Did step ${actions.length + 1}`,
    }
  }
  const ask = async (path: string, token?: string): Promise<void> => {
    const noted = await note()
    const request: ClientRequest = { path: `/api/v1${path}`, ...(token && { token }) }
    const response = await fetch(url + request.path, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })
    answers.push(toAnswer(response.status, await response.text()))
    actions.push({ ...noted, kind: 'request', request, status: response.status })
  }
  const command = async (sent: Command): Promise<void> => {
    const noted = await note()
    const result = await control('/commands', sent)
    actions.push({ ...noted, kind: 'command', command: sent, result })
  }
  const [project] = sandbox.world.records.all('projects')
  const { token } = sandbox.world.records
    .all('tokens')
    .find(({ agency, status, allowed_ips, spent }) => {
      const isOpen = status === 'active' && allowed_ips === undefined && spent === undefined
      return isOpen && agency === project!.agency
    })!
  const reports = `/projects/${project!.id}/reports`
  await ask('/projects?page=99', token)
  await ask(reports, token)
  await ask(`${reports}/latest`, token)
  await ask('/me')
  await ask('/projects?perPage=9', token)
  await command({ type: 'clock.advance', by: 'P1M' })
  await ask(`${reports}/latest`, token)
  await ask(`/projects/${project!.id}/keywords`, token)
  await command({ type: 'report.create', project: project!.id })
  await ask(reports, token)
  await command({ type: 'fault.add', fault: { kind: 'status', status: 502 } })
  await ask('/me', token)
  const { id } = sandbox.faults.list().find(({ kind }) => kind === 'status')!
  await command({ type: 'fault.remove', id })
  await ask('/me', token)
  await command({ type: 'reset' })
  await ask('/projects?perPage=9', token)
  return { actions, answers }
}
