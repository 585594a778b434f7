import type { Haproxy } from './haproxy.js'

export interface HostingHaproxy extends Haproxy {
  /** The URL of the address that only redirects. */
  insecureUrl: string
  /** File of the certificate, as that of an authority. */
  caFile: string
}

export interface HostingOptions {
  /** Number of requests of an address that are answered in ten seconds; that of the configuration if omitted. */
  requestsPerAddress?: number
}

export function startHostingHaproxy(
  ports: readonly number[],
  options?: HostingOptions,
): Promise<HostingHaproxy>
