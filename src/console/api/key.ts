import { computed, signal } from '@preact/signals'
import { ApiError, unreachable } from './api-error.ts'
import { transport } from './transport.ts'
import { notice, showNotice } from '../state/notices.ts'
import type { ErrorBody } from './types.ts'

/** Session storage key for the key of a world, kept until *Leave this world* or a refusal. The admin key is in memory alone. */
const STORED = 'seo-sandbox.world-key'

/** Who used the page last, for the dialog that asks for a key: `partner` or `operator`. */
const LAST = 'seo-sandbox.last'

const key = signal(sessionStorage.getItem(STORED) ?? undefined)

/** The world that the key opens, and nothing else; undefined for the admin key, and without one. */
export const ownWorld = computed(() => worldOf(key.value))

/** Why a key, or a link, was refused. */
type Refusal = Pick<ApiError, 'code' | 'message'>

/** What is open while a key is asked for; null otherwise. */
export const keyPrompt = signal<{
  /** Why it is asked for again; undefined for the first time. */
  refusal: Refusal | undefined
  /** Who is asked, as far as that is known. */
  asked: string | null
} | null>(null)

/** Whether the key was asked for, and not given: requests fail then, without asking again. */
export const isLocked = signal(false)

/** The code of the link that opened the page, until a click opens its world: mail scanners load pages too, and it works once. */
export const invitation = signal(codeIn(location.hash))

/** Refusal of the link that opened the page, for the dialog that asks for a key. */
let refusedLink: Refusal | undefined

let waiting: PromiseWithResolvers<void> | undefined

const opened = Promise.withResolvers<void>()

/** Settles when the world of an invitation is opened: all requests wait for it. Undefined without an invitation. */
export function whenOpened(): Promise<void> | undefined {
  return invitation.peek() === undefined ? undefined : opened.promise
}

/** The header that shows the key; empty without one. */
export function keyHeaders(): Record<string, string> {
  return key.value === undefined ? {} : { authorization: `Bearer ${key.value}` }
}

/** The key that requests are sent with now. */
export function currentKey(): string | undefined {
  return key.value
}

/**
 * Asks for the key, once for all requests that were refused. Resolves when another key than the one that was refused
 * is there.
 *
 * @throws ApiError where the dialog is closed without one, or was before.
 */
export async function askForKey(refused: string | undefined, error: ApiError): Promise<void> {
  if (key.value !== refused) return
  if (isLocked.value) throw keyRequired()
  if (!waiting) {
    waiting = Promise.withResolvers()
    sessionStorage.removeItem(STORED)
    const isPartner = refusedLink !== undefined || worldOf(refused) !== undefined
    keyPrompt.value = {
      refusal: refusedLink ?? (refused === undefined ? undefined : error),
      asked: isPartner ? 'partner' : localStorage.getItem(LAST),
    }
    refusedLink = undefined
  }
  await waiting.promise
}

/**
 * Answers the dialog with a key or a link, or with nothing if it was closed. One request tries the key before the waiting
 * ones, because the server counts wrong keys.
 */
export async function answerKeyPrompt(given?: string): Promise<void> {
  if (given === undefined) {
    const asked = closeKeyPrompt()
    isLocked.value = asked !== undefined
    asked?.reject(keyRequired())
    return
  }
  const code = codeIn(given)
  const found = code === undefined ? await tryKey(given) : await claim(code)
  if ('refusal' in found) {
    keyPrompt.value = { refusal: found.refusal, asked: keyPrompt.peek()?.asked ?? null }
    return
  }
  // Nothing is left of a link that was refused.
  history.replaceState(null, '', location.search || location.pathname)
  notice.value = null
  takeKey(found.key)
  closeKeyPrompt()?.resolve()
}

/** Returns the promise of the waiting requests, if there are any. */
function closeKeyPrompt(): PromiseWithResolvers<void> | undefined {
  const asked = waiting
  waiting = undefined
  keyPrompt.value = null
  return asked
}

/** A key, or why there is none. */
type Found = { key: string } | { refusal: Refusal }

async function tryKey(given: string): Promise<Found> {
  const headers = { authorization: `Bearer ${given}` }
  try {
    const response = await transport().fetch('/_sandbox/clock', { headers })
    return response.ok ? { key: given } : { refusal: ((await response.json()) as ErrorBody).error }
  } catch {
    const message = 'This is a shortened key. Copy the whole of it.'
    return { refusal: given.includes('…') ? { code: 'shortened', message } : unreachable() }
  }
}

function codeIn(link: string): string | undefined {
  return /#claim=(\S+)/.exec(link)?.[1]
}

/** Exchanges the code of a link for a key, which works once. */
async function claim(code: string): Promise<Found> {
  const body = JSON.stringify({ code })
  try {
    const response = await transport().fetch('/_sandbox/partners/claim', { method: 'POST', body })
    const reply = (await response.json()) as ErrorBody & { key: string }
    return response.ok ? { key: reply.key } : { refusal: reply.error }
  } catch {
    const message =
      'The server did not respond. Try again; if it then says that the link was used, ask whoever invited you for another one.'
    return { refusal: { code: NOT_CLAIMED, message } }
  }
}

const NOT_CLAIMED = 'not_claimed'

/**
 * Opens the world of the invitation. A refused link is reported once: by the dialog that asks for a key, or in a notice if
 * the page needs none.
 *
 * @throws ApiError if the server does not respond, so that it can be tried again
 */
export async function openInvitation(): Promise<void> {
  const code = invitation.peek()
  if (code === undefined) return
  const found = await claim(code)
  if ('key' in found) {
    takeKey(found.key)
  } else {
    const { refusal } = found
    if (refusal.code === NOT_CLAIMED) throw new ApiError(0, refusal.code, refusal.message)
    const { ok: isOpen } = await transport().fetch('/_sandbox/clock', { headers: keyHeaders() })
    if (isOpen) showNotice(refusal.message, { isError: true })
    else refusedLink = refusal
  }
  if (!refusedLink) history.replaceState(null, '', location.pathname)
  invitation.value = undefined
  opened.resolve()
}

/** Forgets the key of a world, and begins again without one. */
export function leave(): void {
  sessionStorage.removeItem(STORED)
  // The page may come back from the browser's cache.
  key.value = undefined
  location.assign(location.pathname)
}

function takeKey(given: string): void {
  key.value = given
  const isPartner = ownWorld.value !== undefined
  localStorage.setItem(LAST, isPartner ? 'partner' : 'operator')
  if (isPartner) sessionStorage.setItem(STORED, given)
}

function worldOf(given = ''): string | undefined {
  return /^world-key~(w\d+)/.exec(given)?.[1]
}

function keyRequired(): ApiError {
  return new ApiError(401, 'admin_key_required', 'This server needs a key.')
}
