import type { SandboxOptions } from '../sandbox/sandbox.ts'

/** What `seo-sandbox export` writes to `site.json`: the worlds of a static site. */
export interface Site {
  /** The release of seo-sandbox that the site is of. */
  version: string
  title: string
  /** A digest of what its worlds begin with, as a short text. */
  digest: string
  /** The options of the sandbox of each tab. */
  options: SandboxOptions
}

/** What the service worker asks a page, with the port of a request. */
export interface PageQuestion {
  /** The world in the path of a report page; null for any other request. */
  world: string | null
}

/** What somebody has shared: the fragment of a link, or the text of a session file. */
export type SharedText = { link: string } | { file: string }

/**
 * What a page asks its worker, with a port for the reply, and what the reply is. A message with none of these has the port of a
 * request.
 */
export interface TabCalls {
  /**
   * Starts the sandbox. The reply has the screen to show if something shared was opened, and why a world could not be continued.
   */
  start: { ask: TabPlace; reply: { screen: string | null; refusal: string | null } }
  /** Reads what somebody has shared. The reply has what to say before it runs. */
  read: { ask: TabPlace & { shared: SharedText }; reply: { difference: string | null } }
  /** Makes the tab begin with what was read when it starts next. */
  take: { ask: object; reply: object }
  /** What is in the tab, as the fragment of a link; if it is too large for one, as a session file. */
  share: { ask: { screen: string }; reply: { link: string } | { file: string } }
  /** Makes the tab begin anew when it starts next. */
  forget: { ask: object; reply: object }
}

/** A tab, and where its site is. */
export interface TabPlace {
  id: string
  /** The address of the site, without a slash at its end. */
  base: string
}

export type TabCall = {
  [Name in keyof TabCalls]: { call: Name } & TabCalls[Name]['ask']
}[keyof TabCalls]

export type TabReply<Name extends keyof TabCalls> =
  | { value: TabCalls[Name]['reply'] }
  /** A sentence to show. */
  | { refusal: string }
