import { expect } from 'vitest'
import { ask } from './replica.ts'

/** The key of the control API in tests of partners. */
export const ADMIN_KEY = 'an-admin-key-of-24-chars'

/** An invitation of a partner, over HTTP. */
export interface Invited {
  id: string
  name: string
  world: string
  tokens: Record<string, string>
  key: string
  link: string
  expires_at: string
}

/** Invites a partner. The body may have the options of the world. */
export async function invite(
  { url }: { url: string },
  body: { name: string; [option: string]: unknown },
): Promise<Invited> {
  const invited = await ask(`${url}/_sandbox/partners`, { token: ADMIN_KEY, body })
  expect(invited.status, invited.text).toBe(201)
  return invited.body as Invited
}

export function claim({ url }: { url: string }, { link }: { link: string }) {
  const [, code] = link.split('#claim=')
  return ask(`${url}/_sandbox/partners/claim`, { body: { code } })
}

/** The status of a request to the API with a token of the world. */
export async function statusOf({ url }: { url: string }, { tokens }: Invited): Promise<number> {
  return (await ask(`${url}/api/v1/me`, { token: tokens['sandbox-agency']! })).status
}

/** The status of reading the clock with a key. */
export async function opens({ url }: { url: string }, key: string): Promise<number> {
  return (await ask(`${url}/_sandbox/clock`, { token: key })).status
}
