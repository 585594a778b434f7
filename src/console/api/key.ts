import { computed, signal } from '@preact/signals'
import { ApiError, unreachable } from './api-error.ts'
import { transport } from './transport.ts'
import { notice, showNotice } from '../state/notices.ts'
import type { ErrorBody } from './types.ts'

/** Session storage key for the key of a world. The admin key is kept only in memory. */
const STORED = 'seo-sandbox.world-key'

/** Local storage key for the last user of the page, `partner` or `operator`, so that the key dialog addresses the right one. */
const LAST_USER = 'seo-sandbox.last'

const key = signal(sessionStorage.getItem(STORED) ?? undefined)

/** Id of the only world that the key opens; undefined for the admin key, and without a key. */
export const ownWorld = computed(() => worldOf(key.value))

type Refusal = Pick<ApiError, 'code' | 'message'>

/** State of the key dialog; null while it is closed. */
export const keyPrompt = signal<{
  /** Reason for asking again; undefined the first time. */
  refusal: Refusal | undefined
  /** The last user of the page, `partner` or `operator`; null if unknown. */
  lastUser: string | null
} | null>(null)

/** True if the user closed the key dialog without a key: requests then fail instead of asking again. */
export const isLocked = signal(false)

/**
 * Code of the invitation link that opened the page; undefined without such a link. It is used only after a click, because mail
 * scanners load pages too and a code works once.
 */
export const invitation = signal(codeIn(location.hash))

/** Refusal of the invitation link that opened the page, to be shown by the key dialog. */
let refusedLink: Refusal | undefined

let waiting: PromiseWithResolvers<void> | undefined

const opened = Promise.withResolvers<void>()

/** Returns a promise that resolves once the world of the invitation is open; undefined without an invitation. */
export function whenOpened(): Promise<void> | undefined {
  return invitation.peek() === undefined ? undefined : opened.promise
}

/** Returns the header that carries the key; empty without a key. */
export function keyHeaders(): Record<string, string> {
  return key.value === undefined ? {} : { authorization: `Bearer ${key.value}` }
}

export function currentKey(): string | undefined {
  return key.value
}

/**
 * Asks for a key, once for all refused requests. Resolves when the page has a key other than the refused one.
 *
 * @throws ApiError if the user closes the dialog without a key, or has closed it before
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
      lastUser: isPartner ? 'partner' : localStorage.getItem(LAST_USER),
    }
    refusedLink = undefined
  }
  await waiting.promise
}

/**
 * Takes the answer to the key dialog: a key or an invitation link; undefined if the dialog was closed. One request tries a key
 * before the waiting requests use it, because the server counts wrong keys.
 */
export async function answerKeyPrompt(given?: string): Promise<void> {
  if (given === undefined) {
    const pending = closeKeyPrompt()
    isLocked.value = pending !== undefined
    pending?.reject(keyRequired())
    return
  }
  const code = codeIn(given)
  const found = code === undefined ? await tryKey(given) : await claim(code)
  if ('refusal' in found) {
    keyPrompt.value = { refusal: found.refusal, lastUser: keyPrompt.peek()?.lastUser ?? null }
    return
  }
  // Removes the refused link from the address and the notice bar.
  history.replaceState(null, '', location.search || location.pathname)
  notice.value = null
  takeKey(found.key)
  closeKeyPrompt()?.resolve()
}

/** Closes the key dialog. Returns the promise that the refused requests await; undefined if none waits. */
function closeKeyPrompt(): PromiseWithResolvers<void> | undefined {
  const pending = waiting
  waiting = undefined
  keyPrompt.value = null
  return pending
}

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

/** Exchanges the code of an invitation link for a key. A code works once. */
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
 * Opens the world of the invitation. A refused link is reported once: by the key dialog, or by a notice without a need for a key.
 *
 * @throws ApiError if the server does not respond, so that the user can try again
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

/** Forgets the key of a world, and reloads the page without a key. */
export function forgetKey(): void {
  sessionStorage.removeItem(STORED)
  // The browser may restore this page from its back/forward cache.
  key.value = undefined
  location.assign(location.pathname)
}

function takeKey(given: string): void {
  key.value = given
  const isPartner = ownWorld.value !== undefined
  localStorage.setItem(LAST_USER, isPartner ? 'partner' : 'operator')
  if (isPartner) sessionStorage.setItem(STORED, given)
}

function worldOf(given = ''): string | undefined {
  return /^world-key~(w\d+)/.exec(given)?.[1]
}

function keyRequired(): ApiError {
  return new ApiError(401, 'admin_key_required', 'This server needs a key.')
}
