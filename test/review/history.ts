import type { Sandbox } from '../../src/index.ts'
import { reviewSession } from '../../src/sandbox/review-session.ts'
import type { Review } from '../../src/review/review.ts'
import { expect } from 'vitest'
import { recordLines, reviewOfLines } from '../support/session-lines.ts'
import { Client } from './client.ts'
import type { Sending } from './client.ts'

/** A step in the history of a client: a request, a pause, or what happens to the world. */
export type Step = (client: Client) => unknown
export type History = readonly (Step | History)[]

/** A request, and its response to the last byte. */
export function ask(target: string, sending?: Sending): Step {
  return (client) => client.send(target, sending)()
}

/** A request whose client goes before it gets the response, and waits that long for it. */
export function giveUp(target: string, sending?: Sending): Step {
  return (client) => client.send(target, sending)('aborted')
}

/** A request whose response is still under way during another step. */
export function askDuring(
  target: string,
  step: Step | History,
  { how, ...sending }: Sending & { how?: 'sent' | 'aborted' } = {},
): Step {
  return async (client) => {
    const finish = client.send(target, sending)
    await play(client, step)
    finish(how)
  }
}

export function wait(ms: number): Step {
  return (client) => client.wait(ms / 1000)
}

/** Has the next requests fail. */
export function fail(status: 429 | 500 | 503, count = 1, retryAfter?: number): Step {
  return (client) => client.fail(status, count, retryAfter)
}

/** The steps that a number from 0 gives, so many times. */
export function times(count: number, steps: (index: number) => Step | History): History {
  return Array.from({ length: count }, (_, index) => steps(index))
}

export async function play(client: Client, history: Step | History): Promise<void> {
  if (typeof history === 'function') await history(client)
  else for (const step of history) await play(client, step)
}

/** The review of a client with a history, which is the same when its session is replayed, of whatever form. */
export async function reviewOfHistory(...given: Parameters<typeof playOn>): Promise<Review> {
  const { sandbox, review } = await playOn(...given)
  expect(await reviewSession(await sandbox.session())).toEqual(review)
  return review
}

/** The same for a history with more steps than a session in memory keeps. */
export async function reviewOfLongHistory(...given: Parameters<typeof playOn>): Promise<Review> {
  return (await playOn(...given)).review
}

async function playOn(
  history: History,
  ...world: Parameters<typeof Client.start>
): Promise<{ sandbox: Sandbox; review: Review }> {
  const client = await Client.start(...world)
  const { sandbox } = client
  const endLines = recordLines(sandbox)
  await play(client, history)
  const review = sandbox.review()
  expect(await reviewOfLines(await endLines())).toEqual(review)
  return { sandbox, review }
}
