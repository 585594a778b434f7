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

/** What a page tells its worker first. */
export interface TabStart {
  id: string
  /** The address of the site, without a slash at its end. */
  base: string
}

/** What the worker tells its page, once. */
export type TabStarted =
  | { type: 'ready'; site: Omit<Site, 'options'>; isContinued: boolean }
  | { type: 'failed'; message: string }
