import { computed, signal } from '@preact/signals'
import { ApiError, unreachable } from './api-error.ts'
import { transport } from './transport.ts'
import { notice, showNotice } from '../state/notices.ts'
import type { ErrorBody } from './types.ts'

/** Session storage key for a world's key. The admin key is only in memory. */
const STORAGE_KEY = 'seo-sandbox.world-key'

/** Local storage key for the last user, `partner` or `operator`, which selects the words of the key dialog. */
const LAST_USER_KEY = 'seo-sandbox.last'

const key = signal(sessionStorage.getItem(STORAGE_KEY) ?? undefined)

/** Id of the only world that the key opens; undefined for the admin key, and without a key. */
export const keyWorld = computed(() => worldOf(key.value))

type Refusal = Pick<ApiError, 'code' | 'message'>

/** State of the key dialog; null while it is closed. */
export const keyPrompt = signal<{
  /** Reason for asking again; undefined the first time. */
  refusal: Refusal | undefined
  /** `partner` or `operator`; null if unknown. */
  lastUser: string | null
} | null>(null)

/**
 * Code of the invitation link that opened the page; undefined without such a link. A code works once, and mail scanners load
 * pages too, so only a click uses the code.
 */
export const invitation = signal(codeIn(location.hash))

/** Refusal of the invitation link, for the key dialog. */
let refusedLink: Refusal | undefined

let waiting: PromiseWithResolvers<void> | undefined

const opened = Promise.withResolvers<void>()

/** Returns a promise that resolves once the world of the invitation is open; undefined without an invitation. */
export function whenOpened(): Promise<void> | undefined {
  return invitation.peek() === undefined ? undefined : opened.promise
}

export function keyHeaders(): Record<string, string> {
  return key.value === undefined ? {} : { authorization: `Bearer ${key.value}` }
}

export function currentKey(): string | undefined {
  return key.value
}

/** Waits while the dialog asks for a key, because the server counts every request with a refused one. */
export function whenAnswered(): Promise<void> | undefined {
  return waiting?.promise
}

/** Asks the user for a key, in one dialog for all refused requests. Resolves once the page has a key other than `refused`. */
export async function askForKey(refused: string | undefined, error: ApiError): Promise<void> {
  if (key.value !== refused) return
  if (!waiting) {
    waiting = Promise.withResolvers()
    sessionStorage.removeItem(STORAGE_KEY)
    const isPartner = refusedLink !== undefined || worldOf(refused) !== undefined
    keyPrompt.value = {
      refusal: refusedLink ?? (refused === undefined ? undefined : error),
      lastUser: isPartner ? 'partner' : localStorage.getItem(LAST_USER_KEY),
    }
    refusedLink = undefined
  }
  await waiting.promise
}

/**
 * Handles the answer to the key dialog: a key or an invitation link. One request tests a key before the waiting requests use it,
 * because the server counts wrong keys.
 */
export async function answerKeyPrompt(entered: string): Promise<void> {
  const code = codeIn(entered)
  const found = code === undefined ? await tryKey(entered) : await claim(code)
  if ('refusal' in found) {
    keyPrompt.value = { refusal: found.refusal, lastUser: keyPrompt.peek()?.lastUser ?? null }
    return
  }
  // Removes the refused link from the address and the notice bar.
  history.replaceState(null, '', location.search || location.pathname)
  notice.value = null
  takeKey(found.key)
  keyPrompt.value = null
  waiting?.resolve()
  waiting = undefined
}

type KeyResult = { key: string } | { refusal: Refusal }

async function tryKey(entered: string): Promise<KeyResult> {
  const headers = { authorization: `Bearer ${entered}` }
  try {
    const response = await transport().fetch('/_sandbox/clock', { headers })
    return response.ok
      ? { key: entered }
      : { refusal: ((await response.json()) as ErrorBody).error }
  } catch {
    const message = 'This is a shortened key. Copy the whole of it.'
    return { refusal: entered.includes('…') ? { code: 'shortened', message } : unreachable() }
  }
}

function codeIn(link: string): string | undefined {
  return /#claim=(\S+)/.exec(link)?.[1]
}

/** Exchanges the code of an invitation link for a key. A code works once. */
async function claim(code: string): Promise<KeyResult> {
  const body = JSON.stringify({ code })
  try {
    const response = await transport().fetch('/_sandbox/partners/claim', { method: 'POST', body })
    const reply = (await response.json()) as ErrorBody & { key: string }
    return response.ok ? { key: reply.key } : { refusal: reply.error }
  } catch {
    const message =
      'The server did not respond. Try again; if the link then counts as used, ask whoever invited you for another.'
    return { refusal: { code: NOT_CLAIMED, message } }
  }
}

const NOT_CLAIMED = 'not_claimed'

/**
 * Opens the world of the invitation. A refusal is shown by the key dialog, or by a notice if no key is needed.
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
  sessionStorage.removeItem(STORAGE_KEY)
  // The browser may restore this page from its back/forward cache.
  key.value = undefined
  location.assign(location.pathname)
}

function takeKey(newKey: string): void {
  key.value = newKey
  const isPartner = keyWorld.value !== undefined
  localStorage.setItem(LAST_USER_KEY, isPartner ? 'partner' : 'operator')
  if (isPartner) sessionStorage.setItem(STORAGE_KEY, newKey)
}

function worldOf(worldKey = ''): string | undefined {
  return /^world-key~(w\d+)/.exec(worldKey)?.[1]
}
