import type { ComponentType } from 'preact'

/** How the page reaches the sandbox: over HTTP, or in the page itself. */
export interface Transport {
  /** The address of the site, which the URLs of the API begin with, without a slash at its end. */
  base: string
  /** Whether other pages of this browser show the same worlds. */
  isShared: boolean
  /** Like the global `fetch`, for a path below that address. */
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** What else the header shows; nothing where omitted. */
  Bar?: ComponentType
}

const HTTP: Transport = {
  base: location.origin,
  isShared: true,
  // A path may begin with two slashes, which alone would name another host.
  fetch: (path, init) => fetch(`${location.origin}${path}`, init),
}

let used = HTTP

export function transport(): Readonly<Transport> {
  return used
}

/** Uses another transport, before the first request. */
export function useTransport(other: Transport): void {
  used = other
}
