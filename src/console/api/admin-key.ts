import { signal } from '@preact/signals'
import { ApiError } from './api-error.ts'
import { notify } from '../state/notices.ts'
import type { ErrorBody } from './types.ts'

/** The key that the page was given: in memory, and nowhere else. */
let key: string | undefined

/** The world that the key opens, and nothing else; undefined for the admin key, and without one. */
export const ownWorld = signal<string | undefined>(undefined)

/** What is open while a key is asked for; null otherwise. */
export const keyPrompt = signal<{ message: string } | null>(null)

/** Whether the key was asked for, and not given: requests fail then, without asking again. */
export const isLocked = signal(false)

/** Why the link that opened the page is of no use: what the dialog for a key says, too, which covers the notices. */
let uselessLink: string | undefined

let waiting: PromiseWithResolvers<void> | undefined

/** The header that shows the key; empty without one. */
export function keyHeaders(): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` }
}

/** The key that requests are sent with now. */
export function currentKey(): string | undefined {
  return key
}

/**
 * Asks for the key, once for all requests that were refused. Resolves when another key than the one that was refused
 * is there.
 *
 * @throws ApiError where the dialog is closed without one, or was before.
 */
export async function askForKey(refused: string | undefined, message: string): Promise<void> {
  if (key !== refused) return
  if (isLocked.value) throw keyRequired()
  if (!waiting) {
    waiting = Promise.withResolvers()
    // Those that are refused after it may be told that there were too many.
    keyPrompt.value = { message: uselessLink ?? message }
    uselessLink = undefined
  }
  await waiting.promise
}

/**
 * What the dialog calls: with the key, or without one where it is closed. One request tries the key before all that
 * wait for it do: the server counts wrong ones.
 */
export async function answerKeyPrompt(given?: string): Promise<void> {
  if (given !== undefined) {
    const headers = { authorization: `Bearer ${given}` }
    const response = await fetch('/_sandbox/clock', { headers }).catch(() => undefined)
    if (response && !response.ok) {
      const { error } = (await response.json()) as ErrorBody
      keyPrompt.value = { message: error.message }
      return
    }
  }
  const asked = waiting
  waiting = undefined
  keyPrompt.value = null
  if (!asked) return
  if (given === undefined) {
    isLocked.value = true
    asked.reject(keyRequired())
    return
  }
  takeKey(given)
  asked.resolve()
}

/** Exchanges the code of a partner's link, where the address has one, for a key. A key that is lost is not given again. */
export async function claimLink(): Promise<void> {
  const [, code] = /^#claim=(.+)/.exec(location.hash) ?? []
  if (code === undefined) return
  const body = JSON.stringify({ code })
  const response = await fetch('/_sandbox/partners/claim', { method: 'POST', body })
  history.replaceState(null, '', '/')
  const reply = (await response.json()) as ErrorBody & { key: string }
  if (response.ok) {
    takeKey(reply.key)
    notify(
      'Keep this key: the link works once, and the page forgets the key when it is loaded again.',
      { secret: reply.key },
    )
  } else {
    uselessLink = reply.error.message
    notify(uselessLink, { isError: true })
  }
}

function takeKey(given: string): void {
  key = given
  ownWorld.value = /^world-key~(w\d+)/.exec(given)?.[1]
}

function keyRequired(): ApiError {
  return new ApiError(401, 'admin_key_required', 'This server needs its admin key.')
}
