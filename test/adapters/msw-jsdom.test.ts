// @vitest-environment jsdom
import axios from 'axios'
import type { AxiosRequestConfig } from 'axios'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { FaultInput, SandboxOptions } from '../../src/index.ts'
import { lastHeldResponse } from '../../src/sandbox/delivery.ts'
import { MSWS } from '../support/msw.ts'

/** XMLHttpRequest and axios in jsdom, with the handlers for MSW. The origin of the page is that of the API: jsdom applies CORS. */

const TEN_MINUTES = 600_000
const headers = { authorization: 'Bearer sandbox-agency' }

/** The members that the test needs; the types of Node lack them. */
interface Xhr extends EventTarget {
  timeout: number
  open: (method: string, url: string) => void
  send: () => void
}

describe.each(MSWS.map((msw) => [msw.name, msw] as const))('%s', (_, msw) => {
  async function start(fault?: FaultInput, options: SandboxOptions = {}) {
    const sandbox = await createSandbox(options)
    if (fault) await sandbox.faults.add(fault)
    const server = msw.intercept(msw.handlers(sandbox))
    onTestFinished(() => server.close())
    return sandbox
  }

  /** The result of axios. */
  function get(config: AxiosRequestConfig = {}): Promise<string> {
    return axios.get<{ id: number }>('/api/v1/me', { headers, ...config }).then(
      ({ status, data }) => `${status} ${data.id}`,
      ({ code }: { code: string }) => code,
    )
  }

  const limited = { timeout: 50 }

  test.each<[what: string, fault: FaultInput | undefined, config: AxiosRequestConfig, string]>([
    ['a response', undefined, {}, '200 1'],
    ['a response in time', { kind: 'latency', ms: 1 }, { timeout: TEN_MINUTES }, '200 1'],
    ['a slow body', { kind: 'slow-body', ms: 20 }, {}, '200 1'],
    ['no response in time', { kind: 'latency', ms: TEN_MINUTES }, limited, 'ECONNABORTED'],
    ['no body in time', { kind: 'slow-body', ms: TEN_MINUTES }, limited, 'ECONNABORTED'],
    ['no response at all', { kind: 'no-answer' }, limited, 'ECONNABORTED'],
    ['a body that breaks off', { kind: 'truncated-body' }, {}, 'ERR_NETWORK'],
    ['a connection that is reset', { kind: 'reset' }, {}, 'ERR_NETWORK'],
    ['an error', { kind: 'status', status: 503 }, {}, 'ERR_BAD_RESPONSE'],
  ])('axios gets %s', async (_what, fault, config, expected) => {
    await start(fault)
    expect(await get(config)).toBe(expected)
  })

  test('a response that came too late is one that its client did not get', async () => {
    const sandbox = await start({ kind: 'latency', ms: TEN_MINUTES })
    await get(limited)
    await vi.waitFor(() =>
      expect([...sandbox.world.journal.details()]).toMatchObject([{ aborted: true }]),
    )
  })

  test('the time limit of an XMLHttpRequest holds no response back', async () => {
    await start()
    const before = lastHeldResponse()
    expect(await get({ timeout: TEN_MINUTES })).toBe('200 1')
    expect(lastHeldResponse()).toBe(before)
  })

  test('an XMLHttpRequest is told of its time limit', async () => {
    await start({ kind: 'no-answer' })
    const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest: new () => Xhr }
    const request = new XMLHttpRequest()
    request.open('GET', '/api/v1/me')
    request.timeout = 50
    const told = new Promise((resolve) => {
      for (const event of ['load', 'error', 'timeout'])
        request.addEventListener(event, () => resolve(event))
    })
    request.send()
    expect(await told).toBe('timeout')
  })
})

// With msw 3 the time limit is that of jsdom, which has timers of its own.
test("MSW 2: with delays: 'timers' the time limit of axios follows the timers of the test too", async () => {
  const [{ intercept, handlers }] = MSWS
  const sandbox = await createSandbox({ latency: 60_000, delays: 'timers' })
  const server = intercept(handlers(sandbox))
  onTestFinished(() => server.close())
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const arrived = new Promise((resolve) => sandbox.requests.follow(resolve))
  const failed = axios.get('/api/v1/me', { headers, timeout: 10_000 }).catch((error) => error)
  await arrived
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await failed).toMatchObject({ code: 'ECONNABORTED' })
})
