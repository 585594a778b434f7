import { computed, signal } from '@preact/signals'
import { ApiError, unreachable } from './api-error.ts'
import { transport } from './transport.ts'
import { notice, showNotice, notifyOf } from '../state/notices.ts'
import type { ErrorBody } from './types.ts'

/** Where the key of a world is kept: in this tab, until *Leave*, or until the server refuses it. The admin key is in memory alone. */
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

/** Why the link that opened the page was refused. */
let refusedLink: Refusal | undefined

let waiting: PromiseWithResolvers<void> | undefined

/** Settles when the link that opened the page was exchanged for a key, which all requests wait for. */
let opening: Promise<void> | undefined

export function whenOpened(): Promise<void> | undefined {
  return opening
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
 * What the dialog calls: with the key, or without one where it is closed. One request tries the key before those that
 * wait for it, because the server counts wrong keys.
 */
export async function answerKeyPrompt(given?: string): Promise<void> {
  if (given !== undefined) {
    const refusal = await tryKey(given)
    if (refusal) {
      keyPrompt.value = { refusal, asked: keyPrompt.peek()?.asked ?? null }
      return
    }
    // Nothing is left of a link that was refused.
    history.replaceState(null, '', location.search || location.pathname)
    notice.value = null
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

/** Why a key does not open anything; undefined where it does. */
async function tryKey(given: string): Promise<Refusal | undefined> {
  const link = given.indexOf('#claim=')
  if (link >= 0) {
    location.hash = given.slice(link)
    location.reload()
    return { code: 'link', message: 'This is a link: it is being opened.' }
  }
  const headers = { authorization: `Bearer ${given}` }
  try {
    const response = await transport().fetch('/_sandbox/clock', { headers })
    return response.ok ? undefined : ((await response.json()) as ErrorBody).error
  } catch {
    return given.includes('…')
      ? { code: 'shortened', message: 'This is a shortened key. Copy the whole of it.' }
      : unreachable()
  }
}

/**
 * Exchanges the code of a partner's link, where the address has one, for a key. It works once, so that is done when the
 * page is `loaded` and somebody looks at it: what only fetches or prepares a page does not use it up.
 */
export function openLink(loaded: Promise<void>): void {
  const [, code] = /^#claim=(.+)/.exec(location.hash) ?? []
  if (code === undefined) return
  opening = loaded
    .then(untilVisible)
    .then(() => claim(code))
    .catch(notifyOf)
    .finally(() => (opening = undefined))
}

function untilVisible(): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.visibilityState !== 'visible') return
      document.removeEventListener('visibilitychange', look)
      resolve()
    }
    document.addEventListener('visibilitychange', look)
    look()
  })
}

async function claim(code: string): Promise<void> {
  const body = JSON.stringify({ code })
  const response = await transport()
    .fetch('/_sandbox/partners/claim', { method: 'POST', body })
    .catch(() => {
      const message =
        'The server did not respond. Reload the page; if it then says that the link was used, ask whoever invited you for another one.'
      throw new ApiError(0, 'not_claimed', message)
    })
  const reply = (await response.json()) as ErrorBody & { key: string }
  if (response.ok) {
    history.replaceState(null, '', location.pathname)
    takeKey(reply.key)
    return
  }
  showNotice(reply.error.message, { isError: true })
  if (key.value === undefined) refusedLink = reply.error
  // The key that the tab has already stays in use.
  else history.replaceState(null, '', location.pathname)
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
