import { computed, signal } from '@preact/signals'
import { ApiError, unreachable } from './api-error.ts'
import { transport } from './transport.ts'
import { notice, showNotice } from '../state/notices.ts'
import type { ErrorBody } from './types.ts'

/** Item of session storage with a world's key. The admin key is only in memory. */
const STORAGE_KEY = 'seo-sandbox.world-key'

/** Item of local storage with the last kind of user, `partner` or `operator`, which determines the wording of the key dialog. */
const LAST_USER_KEY = 'seo-sandbox.last'

const key = signal(sessionStorage.getItem(STORAGE_KEY) ?? undefined)

/** Id of the only world that the key opens; undefined for the admin key, and without a key. */
export const keyWorld = computed(() => worldOf(key.value))

type Refusal = Pick<ApiError, 'code' | 'message'>

/** State of the key dialog; null while it is closed. */
export const keyPrompt = signal<{
  /** Refusal of the last key or invitation link; undefined if neither was tried. */
  refusal: Refusal | undefined
  /** `partner` or `operator`; null if unknown. */
  lastUser: string | null
} | null>(null)

/**
 * Code of the invitation link that opened the page, until the server accepts or refuses it; otherwise undefined. A code works
 * only once, and mail scanners load pages too, so the page sends the code only on a click.
 */
export const invitation = signal(codeIn(location.hash))

let linkRefusal: Refusal | undefined

let waiting: PromiseWithResolvers<void> | undefined

const opened = Promise.withResolvers<void>()

/**
 * Returns a promise that delays requests until the invitation has been accepted or refused; undefined without an open invitation.
 */
export function whenOpened(): Promise<void> | undefined {
  return invitation.peek() === undefined ? undefined : opened.promise
}

export function keyHeaders(): Record<string, string> {
  return key.value === undefined ? {} : { authorization: `Bearer ${key.value}` }
}

export function currentKey(): string | undefined {
  return key.value
}

/**
 * Returns a promise that delays requests while the key dialog is open, because the server limits requests with a wrong key;
 * undefined while the dialog is closed.
 */
export function whenAnswered(): Promise<void> | undefined {
  return waiting?.promise
}

/**
 * Asks the user for a key, in one dialog for all refused requests. Resolves after the server has accepted the answer, or at once
 * if the page no longer uses the key `refused`.
 */
export async function askForKey(refused: string | undefined, error: ApiError): Promise<void> {
  if (key.value !== refused) return
  if (!waiting) {
    waiting = Promise.withResolvers()
    sessionStorage.removeItem(STORAGE_KEY)
    const isPartner = linkRefusal !== undefined || worldOf(refused) !== undefined
    keyPrompt.value = {
      refusal: linkRefusal ?? (refused === undefined ? undefined : error),
      lastUser: isPartner ? 'partner' : localStorage.getItem(LAST_USER_KEY),
    }
    linkRefusal = undefined
  }
  await waiting.promise
}

/**
 * Handles the user's answer to the key dialog: a key or an invitation link. A single request tests a key before the waiting
 * requests use it, because the server counts wrong keys.
 */
export async function answerKeyPrompt(entered: string): Promise<void> {
  const code = codeIn(entered)
  const found = code === undefined ? await tryKey(entered) : await claim(code)
  if ('refusal' in found) {
    keyPrompt.value = { refusal: found.refusal, lastUser: keyPrompt.peek()?.lastUser ?? null }
    return
  }
  // A refused invitation link may still be in the URL, and its refusal in the notice bar.
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
 * Opens the world of the invitation. If the server refuses the invitation, the key dialog shows the reason, or a notice does if
 * the page needs no key.
 *
 * @throws ApiError if the server does not respond; the user can then try again
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
    else linkRefusal = refusal
  }
  if (!linkRefusal) history.replaceState(null, '', location.pathname)
  invitation.value = undefined
  opened.resolve()
}

/** Forgets the key, and reloads the page without the key and the query parameters. */
export function forgetKey(): void {
  sessionStorage.removeItem(STORAGE_KEY)
  // Otherwise the key would come back with a page that the browser restores from its back/forward cache.
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
