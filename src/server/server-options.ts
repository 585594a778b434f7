import type { MiddlewareOptions } from '../adapters/node.ts'
import type { GetResponse, MswHandler } from '../adapters/user-handlers.ts'
import { refuseInput } from '../contract/read-fields.ts'
import type { Reader } from '../contract/read-fields.ts'
import { parseUrl } from '../contract/url.ts'
import type { SandboxOptions } from '../sandbox/sandbox.ts'
import type { WorldLimits } from '../store/store-options.ts'
import { listOption, option, toInteger } from '../world/options/parse-option.ts'

export interface ServerOptions extends SandboxOptions, MiddlewareOptions {
  /** The port to listen on: 4010 if omitted; 0 picks a free one. */
  port?: number
  /** The address to listen on: 127.0.0.1 if omitted. */
  host?: string
  /**
   * True to serve HTTPS. If omitted, HTTPS is served only with `httpsCert`. Without `httpsCert`, a certificate is created at the
   * start for `localhost`, 127.0.0.1, ::1, `host` and the host of `publicUrl`; clients that have the `ca` of the server trust it.
   */
  https?: boolean
  /** A file with a certificate of your own as PEM, with its chain. Requires `httpsKey`. */
  httpsCert?: string
  /** A file with the private key of the certificate in `httpsCert` as PEM, unencrypted. Requires `httpsCert`. */
  httpsKey?: string
  /** The key of the control API. Required behind a proxy, and on an address that other machines can reach. */
  adminKey?: string
  /**
   * True to serve the control API; true if omitted. If false, only its health checks (`health` and `ready`) respond.
   */
  control?: boolean
  /** True to serve the console, a web page for browsers, at `/`; true if omitted. Requires the control API. */
  console?: boolean
  /**
   * The URL at which clients reach the server, such as that of a proxy in front of it. Links to report pages, and to other pages of
   * a list, begin with this URL. If omitted, they begin with the origin of each request, from its `Host` header or the
   * headers of a trusted proxy.
   */
  publicUrl?: string
  /**
   * True to serve metrics for Prometheus at GET `/_sandbox/metrics`; false if omitted. Requires the package
   * `prom-client` and the control API.
   */
  metrics?: boolean
  /** Origins whose pages may call the API, or `*` for any. No origins if omitted. */
  cors?: string | readonly string[]
  /** Your own request handlers of msw 2 or 3, tried before the API. */
  handlers?: readonly MswHandler[]
  /**
   * A file with a snapshot from which the world continues at the start; a reset returns to the fixtures, `now` and
   * `frozen`. Not used if the file of `state` exists.
   */
  snapshot?: string
  /**
   * A file that keeps the world across restarts. If it exists, the server continues from it; a reset returns to the
   * fixtures, `now` and `frozen`. The file contains bearer values.
   */
  state?: string
  /**
   * Called with a sentence about a client that could not connect, at most once a minute for each reason: the client spoke TLS to
   * plain HTTP, spoke plain HTTP to HTTPS, or did not trust the certificate.
   */
  onConnectionError?: (message: string) => void
  /**
   * Called with a sentence if the server continues from the file of `state`, but the disk is too full to save the state at the
   * start. The server runs nevertheless.
   */
  onStateError?: (message: string) => void
  /** The `getResponse` of the msw that created the handlers; that of the installed msw if omitted. */
  getResponse?: GetResponse
}

/** Options of a server that shares its worlds with other servers through a store. */
export interface StoreServerOptions extends Omit<
  ServerOptions,
  'snapshot' | 'state' | 'onStateError' | 'delays'
> {
  /**
   * The URL of Redis 7 or newer, or of Valkey, which orders the requests and commands of all servers: `redis://`, `rediss://`,
   * `valkey://` or `valkeys://`. The store contains bearer values. Requires the package `redis`.
   */
  store: string
  /**
   * Limits of the store's worlds, such as `{ requests: 20 }`. The default world has only the limit `bytes`; `loaded` is a limit of
   * this server. An omitted limit is the one that the store has or, in a new store, the documented default.
   */
  limits?: Partial<WorldLimits>
  /**
   * True to use a new world with these options in place of the default world of the store; false if omitted. The new world serves
   * all requests without another world's token, and control requests that name no world. It is dropped when the server stops.
   */
  ownWorld?: boolean
  /** Called with a sentence about an error that no client caused. The server continues. */
  onStoreError?: (message: string) => void
}

export const DEFAULT_PORT = 4010
export const DEFAULT_HOST = '127.0.0.1'

export const PortOption = option<number, number>((input) => toInteger(input, 65_535), {
  noun: 'a port',
  remedy: 'use 0 to 65535, where 0 picks a free one',
})

export const HostOption = option<string, string>(
  (input) => (typeof input === 'string' && /^[\w.:-]+$/.test(input) ? input : undefined),
  { noun: 'an address or a host name', remedy: 'use one like 127.0.0.1 or localhost' },
)

export const OriginsOption = listOption(isOrigin, {
  noun: 'an origin',
  remedy: 'use one like https://app.example.com, without a path, or * for any',
})

function isOrigin(text: string): boolean {
  return text === '*' || parseUrl(text)?.origin === text
}

/** The URL of a server, without a trailing slash. */
export const PublicUrlOption = option<string, string>(toPublicUrl, {
  noun: 'the URL of a server',
  remedy: 'use one like https://seo.example.com, without a query',
})

function toPublicUrl(input: unknown): string | undefined {
  if (typeof input !== 'string' || !/^https?:\/\/[^?#@\s]+$/i.test(input)) return undefined
  const url = parseUrl(input)
  return url && `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

export const StateFileOption = option<string, string>(
  (input) => (typeof input === 'string' && input.endsWith('.json') ? input : undefined),
  { noun: 'the path of a state file', remedy: 'use one that ends in .json, like state.json' },
)

export const SnapshotFileOption = option<string, string>(
  (input) => (typeof input === 'string' && input !== '' ? input : undefined),
  { noun: 'the path of a snapshot', remedy: 'use one like world.json' },
)

export const PemFileOption = option<string, string>(
  (input) => (typeof input === 'string' && input !== '' ? input : undefined),
  { noun: 'the path of a file', remedy: 'use one like localhost.pem' },
)

const MINIMUM_KEY_LENGTH = 16

/** The key of the control API, long enough that it cannot be guessed. Messages do not repeat it. */
export const AdminKeyOption: Reader<string> = (input) => {
  if (typeof input !== 'string') return refuseInput('An admin key is a text. Write it in quotes.')
  if (/^[!-~]+$/.test(input) && input.length >= MINIMUM_KEY_LENGTH) return { value: input }
  return refuseInput(
    `An admin key has at least ${MINIMUM_KEY_LENGTH} letters, digits and symbols, and no spaces. openssl rand -hex 16 creates one.`,
  )
}
