import type { SandboxOptions } from '../sandbox/sandbox.ts'

/** Contents of `site.json`, written by `seo-sandbox export`: the worlds of a static site. */
export interface Site {
  /** Release of seo-sandbox with which the site was exported. */
  version: string
  title: string
  /** Digest of the initial worlds, as a short text. */
  digest: string
  /** Options of the sandbox in each tab. */
  options: SandboxOptions
}

/** Message from the service worker to a page, with the port of a request. */
export interface PageQuestion {
  /** World in the path of a report page; null for any other request. */
  world: string | null
}

/** Shared content: the fragment of a link, or the text of a session file. */
export type SharedText = { link: string } | { file: string }

/**
 * Calls from a page to its worker, sent with a port for the reply, and the replies. A message without a call has the port of a
 * request.
 */
export interface TabCalls {
  /**
   * Starts the sandbox. The reply has the screen to show if shared content was opened, and the reason if a world could not be
   * continued.
   */
  start: { ask: TabPlace; reply: { screen: string | null; refusal: string | null } }
  /** Reads shared content. The reply has the warning to show before it runs; null if there is none. */
  read: { ask: TabPlace & { shared: SharedText }; reply: { difference: string | null } }
  /** Makes the tab begin with the content last read, at its next start. */
  take: { ask: object; reply: object }
  /** Returns the session of the tab as the fragment of a link, or as a session file if it is too large for a link. */
  share: { ask: { screen: string }; reply: { link: string } | { file: string } }
  /** Makes the tab begin anew at its next start. */
  forget: { ask: object; reply: object }
}

/** A tab, and the address of its site. */
export interface TabPlace {
  id: string
  /** Address of the site, without a trailing slash. */
  base: string
}

export type TabCall = {
  [Name in keyof TabCalls]: { call: Name } & TabCalls[Name]['ask']
}[keyof TabCalls]

export type TabReply<Name extends keyof TabCalls> =
  | { value: TabCalls[Name]['reply'] }
  /** A sentence to show. */
  | { refusal: string }
