import type { SandboxOptions } from '../sandbox/sandbox.ts'

/** Contents of `site.json`, which `seo-sandbox export` writes for a static site. */
export interface Site {
  /** Release of seo-sandbox that exported the site. */
  version: string
  title: string
  /** Short digest of `options`, and so of the world with which each tab starts. */
  digest: string
  options: SandboxOptions
}

/** Message from the service worker to a page, sent with a port for the request. */
export interface PageQuestion {
  /** World named in the path of the requested report page; null for any other request. */
  world: string | null
}

/** Shared content: the fragment of a link, or the text of a session file. */
export type SharedText = { link: string } | { file: string }

/**
 * Calls from a page to its worker, and their replies. Each call is sent with a port for its reply. A message that is not a call
 * passes on the port of a request.
 */
export interface TabCalls {
  /**
   * Starts the sandbox. `screen` is the query of the console's URL with which shared content opens; null or empty for any other
   * world. `refusal` is the reason why the saved world is not continued; null if it is continued, or if none is saved.
   */
  start: { ask: TabPlace; reply: { screen: string | null; refusal: string | null } }
  /** Reads shared content. `difference` is a warning to show before the content is run; null if no warning is needed. */
  read: { ask: TabPlace & { shared: SharedText }; reply: { difference: string | null } }
  /** Saves the shared content that was last read, so that the next start of the tab begins with it. */
  take: { ask: object; reply: object }
  /** Returns the session of the tab as the fragment of a link, or as a session file if the session exceeds a limit of links. */
  share: { ask: { screen: string }; reply: { link: string } | { file: string } }
  /** Deletes the saved world, so that the tab begins afresh at its next start. */
  forget: { ask: object; reply: object }
}

export interface TabPlace {
  id: string
  /** URL of the site, without a trailing slash. */
  base: string
}

export type TabCall = {
  [Name in keyof TabCalls]: { call: Name } & TabCalls[Name]['ask']
}[keyof TabCalls]

export type TabReply<Name extends keyof TabCalls> =
  | { value: TabCalls[Name]['reply'] }
  /** Reason why the call failed, as a sentence for the user. */
  | { refusal: string }
