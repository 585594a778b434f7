import type { Haproxy } from './haproxy.js'

export interface HostingHaproxy extends Haproxy {
  /** Of the address that only redirects. */
  insecureUrl: string
  /** The certificate, as that of an authority. */
  caFile: string
}

export interface HostingOptions {
  /** How many requests of an address are answered in ten seconds; as the configuration says if omitted. */
  requestsPerAddress?: number
}

export function startHostingHaproxy(
  ports: readonly number[],
  options?: HostingOptions,
): Promise<HostingHaproxy>
