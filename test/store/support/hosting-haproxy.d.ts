import type { Haproxy } from './haproxy.js'

export interface HostingHaproxy extends Haproxy {
  /** Of the address that only redirects. */
  insecureUrl: string
  /** The certificate, as that of an authority. */
  caFile: string
}

export function startHostingHaproxy(ports: readonly number[]): Promise<HostingHaproxy>
