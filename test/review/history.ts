import type { Sandbox } from '../../src/index.ts'
import { reviewSession } from '../../src/sandbox/review-session.ts'
import type { Review } from '../../src/review/review.ts'
import { expect } from 'vitest'
import { recordLines, reviewOfLines } from '../support/session-lines.ts'
import { Client } from './client.ts'
import type { Sending } from './client.ts'

/** A step in the history of a client: a request, a pause, or a change of the world. */
export type Step = (client: Client) => unknown
export type History = readonly (Step | History)[]

/** Requests a target, and receives the response to the last byte. */
export function ask(target: string, sending?: Sending): Step {
  return (client) => client.send(target, sending)()
}

/** Requests a target, and gives up before the response arrives, after `tookMs`. */
export function giveUp(target: string, sending?: Sending): Step {
  return (client) => client.send(target, sending)('aborted')
}

/** Requests a target whose response is still under way during another step. */
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

/** Makes the next requests fail. */
export function fail(status: 429 | 500 | 503, count = 1, retryAfter?: number): Step {
  return (client) => client.fail(status, count, retryAfter)
}

/** Repeats steps; `index` counts from 0. */
export function times(count: number, steps: (index: number) => Step | History): History {
  return Array.from({ length: count }, (_, index) => steps(index))
}

export async function play(client: Client, history: Step | History): Promise<void> {
  if (typeof history === 'function') await history(client)
  else for (const step of history) await play(client, step)
}

/** Reviews a client with a history. The review must be the same when the session is replayed, in either form. */
export async function reviewOfHistory(...given: Parameters<typeof playOn>): Promise<Review> {
  const { sandbox, review } = await playOn(...given)
  expect(await reviewSession(await sandbox.session())).toEqual(review)
  return review
}

/** Reviews a history that has more steps than a session in memory keeps, so that only its recorded lines are replayed. */
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
