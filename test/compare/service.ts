import { Asker } from '../../src/compare/ask.ts'
import type { AskingClock, Rate, Send } from '../../src/compare/ask.ts'
import type { ComparisonReport } from '../../src/compare/comparison-report.ts'
import { runComparison } from '../../src/compare/comparison.ts'
import type { Comparison } from '../../src/compare/comparison.ts'
import { Answers } from '../../src/compare/question.ts'
import type { Contents } from '../../src/compare/reading.ts'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox, SandboxOptions } from '../../src/index.ts'
import { loadFixtures } from '../../src/server.ts'

/** A sandbox in place of the real service, without sockets and on a clock that waiting moves. */

export const ORIGIN = 'http://service.example'

export interface Service {
  sandbox: Sandbox
  send: Send
  clock: AskingClock
}

export async function aService(options: SandboxOptions, token: string): Promise<Service> {
  const sandbox = await createSandbox(options)
  let offsetMs = 0
  return {
    sandbox,
    clock: {
      now: () => Date.now() + offsetMs,
      wait: async (ms) => {
        offsetMs += ms
        await sandbox.clock.advance(Math.ceil(ms))
      },
    },
    send: async ({ path, acceptsJson, authorization }) => {
      const scheme = authorization === 'lower-case' ? 'bearer' : 'Bearer'
      const response = await sandbox.fetch(ORIGIN + path, {
        redirect: 'manual',
        headers: {
          accept: acceptsJson === false ? '*/*' : 'application/json',
          ...(authorization !== 'none' && { authorization: `${scheme} ${token}` }),
        },
      })
      const { status, headers } = response
      return { status, headers: Object.fromEntries(headers), body: await response.text() }
    },
  }
}

const UNLIMITED: Rate = { perMinute: Infinity, perHour: Infinity }

interface Wanted {
  rate?: Rate
  share?: number
  contents?: Contents
  fixtures?: string
  answers?: Answers
  /** Times of the requests so far, which is continued. */
  sent?: number[]
  /** Interrupts the comparison while it waits for the answer to a request with this number, counted from 1. */
  interruptAt?: number
  isRaw?: boolean
}

/** Runs a comparison with a service. */
export async function compareWith(
  { send, clock }: Service,
  {
    rate = UNLIMITED,
    share = 0.5,
    contents = 'latest',
    fixtures,
    answers = new Answers(),
    sent = [],
    interruptAt,
    isRaw = true,
  }: Wanted = {},
): Promise<{ comparison: Comparison | undefined; asker: Asker; answers: Answers }> {
  const interruption = new AbortController()
  const { signal } = interruption
  const onSend = async (atMs: number) => {
    sent.push(atMs)
    if (sent.length === interruptAt) interruption.abort()
  }
  const asker = new Asker({ send, clock, rate, share, signal, sent, onSend })
  const comparison = await runComparison({
    asker,
    answers,
    contents,
    ...(fixtures !== undefined && { fixtures: await loadFixtures(fixtures) }),
    origin: ORIGIN,
    isRaw,
    onAnswer: async () => {},
    onProgress: () => {},
  })
  return { comparison, asker, answers }
}

/** The report of a comparison, as the command completes it. */
export function toReport(comparison: Comparison): ComparisonReport {
  const { read: _, ...compared } = comparison
  return {
    version: 1,
    result: 'finished',
    url: 'https://seo.example.com/',
    from: null,
    to: null,
    requests: 1,
    assumed: [],
    ...compared,
  }
}
