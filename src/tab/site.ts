import type { SandboxOptions } from '../sandbox/sandbox.ts'

/** What `seo-sandbox export` writes to `site.json`: the worlds of a static site. */
export interface Site {
  /** The release of seo-sandbox that the site is of. */
  version: string
  title: string
  /** What its worlds begin with, as one short text that differs where anything of that does. */
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

/** What a page asks its worker, with the port of the reply, and what that is. Without any of these the port is of a request. */
export interface TabCalls {
  /** Starts the sandbox; for the screen to show, where it is of something shared, and for what could not be continued. */
  start: { ask: TabPlace; reply: { screen: string | null; refusal: string | null } }
  /** Reads what somebody has shared, for what is to be said before it runs. */
  read: { ask: TabPlace & { shared: SharedText }; reply: { difference: string | null } }
  /** Has the tab begin with that when it starts next. */
  take: { ask: object; reply: object }
  /** What is in the tab, as the fragment of a link; where it is too much for one, as a session file. */
  share: { ask: { screen: string }; reply: { link: string } | { file: string } }
  /** Has the tab begin anew when it starts next. */
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
