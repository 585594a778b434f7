import type { Reader, ValueOf } from '../contract/read-fields.ts'
import { TrustedHops } from '../adapters/trusted-hops.ts'
import {
  AdminKeyOption,
  DEFAULT_HOST,
  DEFAULT_PORT,
  HostOption,
  OriginsOption,
  PemFileOption,
  PortOption,
  PublicUrlOption,
  SnapshotFileOption,
  StateFileOption,
} from '../server/server-options.ts'
import { StoreUrlOption, LimitsOption } from '../store/store-options.ts'
import { option, Switch } from '../world/options/parse-option.ts'
import { flagNameOf, optionOf, WORLD_OPTION_NAMES } from '../world/options/table.ts'
import type { FlagText, WorldFlagValues } from '../world/options/table.ts'

/** An option of the command line that is not an option of a world. */
export interface FlagDefinition extends FlagText {
  read: Reader<unknown, unknown>
}

const ADDRESS_FLAGS = {
  port: {
    page: 'docs/any-language.md',
    value: '<number>',
    description: 'port to listen on; 0 picks a free one',
    read: PortOption,
    default: DEFAULT_PORT,
  },
  host: {
    page: 'docs/hosting/README.md',
    value: '<address>',
    description: 'address to listen on',
    read: HostOption,
    default: DEFAULT_HOST,
  },
} as const satisfies Record<string, FlagDefinition>

/** `--policies`: a file with policies. `--policy` takes precedence. */
export const POLICIES_OPTION = {
  page: 'docs/compare.md',
  value: '<file>',
  description: 'a file written by compare --lock, with policies observed in the real service',
  read: option<string>((input) => (typeof input === 'string' && input !== '' ? input : undefined), {
    noun: 'the path of a file',
    remedy: 'use one like policies.lock.yaml',
  }),
} as const satisfies FlagDefinition

const SERVER_FLAGS = {
  https: {
    page: 'docs/any-language.md',
    description: 'serve HTTPS, with a certificate for this machine created at the start',
    read: Switch,
  },
  'https-cert': {
    page: 'docs/any-language.md',
    value: '<file>',
    description: 'serve HTTPS with a certificate of your own: a PEM file, including its chain',
    read: PemFileOption,
  },
  'https-key': {
    page: 'docs/any-language.md',
    value: '<file>',
    description: 'the private key of that certificate: an unencrypted PEM file',
    read: PemFileOption,
  },
  policies: POLICIES_OPTION,
  'trust-proxy': {
    page: 'docs/hosting/README.md',
    value: '[hops]',
    description:
      'take client address, scheme and host from X-Forwarded-For, -Proto and -Host, behind this number of proxies',
    read: TrustedHops,
  },
  'public-url': {
    page: 'docs/hosting/README.md',
    value: '<url>',
    description:
      'the URL at which clients reach the server, for links to its pages; the URL of each request if omitted',
    read: PublicUrlOption,
  },
  cors: {
    page: 'docs/test-runners.md',
    value: '<origin>',
    repeats: true,
    description: 'an origin whose pages may call the API, or *',
    read: OriginsOption,
  },
  'admin-key': {
    page: 'docs/hosting/README.md',
    value: '<key>',
    description: 'key of the control API, required if other machines can reach it',
    read: AdminKeyOption,
  },
  'no-control': {
    page: 'docs/hosting/README.md',
    description: 'disable the control API, except for health and ready',
    read: Switch,
  },
  metrics: {
    page: 'docs/hosting/README.md',
    description: 'show metrics for Prometheus at /_sandbox/metrics; needs the package prom-client',
    read: Switch,
  },
  'no-console': { description: 'serve no web page at /, only the API', read: Switch },
  handlers: {
    page: 'docs/test-runners.md',
    value: '<file>',
    description: 'a module with your own MSW handlers, which take precedence over the API',
    read: option<string>(
      (input) => (typeof input === 'string' && /\.[cm]?[jt]s$/.test(input) ? input : undefined),
      { noun: 'the path of a module', remedy: 'use one like overrides.mjs' },
    ),
  },
  snapshot: {
    page: 'docs/any-language.md',
    value: '<file>',
    description: 'a snapshot from which the world continues, like world.json',
    read: SnapshotFileOption,
  },
  state: {
    page: 'docs/hosting/README.md',
    value: '<file>',
    description: 'a file that keeps the world across restarts, like state.json',
    read: StateFileOption,
  },
  store: {
    page: 'docs/hosting/several-servers.md',
    value: '<url>',
    description:
      'the Redis 7 or Valkey through which several servers share their worlds, like redis://127.0.0.1:6379',
    read: StoreUrlOption,
  },
  limits: {
    page: 'docs/hosting/README.md',
    value: '<name=number>',
    repeats: true,
    description: 'a limit of each world of a store except the default one, like requests=20',
    read: LimitsOption,
  },
  watch: {
    page: 'docs/fixtures.md',
    description: 'reload the fixtures when they change; clocks and rate limits continue',
    read: Switch,
  },
  'stdin-close': {
    page: 'docs/any-language.md',
    description: 'stop when standard input, a pipe or a socket, closes',
    read: Switch,
  },
  json: { description: 'log as JSON, one object per line; the first has url', read: Switch },
  quiet: { description: 'print only the base URL', read: Switch },
} as const satisfies Record<string, FlagDefinition>

const WORLD_FLAGS = Object.fromEntries(
  WORLD_OPTION_NAMES.map((name) => [flagNameOf(name), optionOf(name).flag]),
) as Record<keyof WorldFlagValues, FlagText>

/** Every option of `serve`, for the command line, the environment and the config file, in the order of the help. */
export const SERVE_OPTIONS = { ...ADDRESS_FLAGS, ...WORLD_FLAGS, ...SERVER_FLAGS }

export type ServeOptionName = keyof typeof SERVE_OPTIONS
export const SERVE_OPTION_NAMES = Object.keys(SERVE_OPTIONS) as ServeOptionName[]

/** Returns the reader of an option. Readers of world options are loaded on demand, with the schemas that validate them. */
export async function loadReader(name: ServeOptionName): Promise<Reader<unknown, unknown>> {
  const flag: FlagText | FlagDefinition = SERVE_OPTIONS[name]
  if ('read' in flag) return flag.read
  const { flagReaderOf } = await import('../world/options/parse-settings.ts')
  return flagReaderOf(WORLD_OPTION_NAMES.find((own) => flagNameOf(own) === name)!)
}

export function pickServeOptions(names: readonly ServeOptionName[]): Record<string, FlagText> {
  return Object.fromEntries(names.map((name) => [name, SERVE_OPTIONS[name]]))
}

type OwnFlags = typeof ADDRESS_FLAGS & typeof SERVER_FLAGS

/** Values of the options of `serve` that are set. */
export type ServeSettings = WorldFlagValues & {
  -readonly [Name in keyof OwnFlags]?: ValueOf<OwnFlags[Name]['read']>
}

export const ENVIRONMENT_PREFIX = 'SEO_SANDBOX_'

/** Returns the environment variable of an option: `SEO_SANDBOX_RATE_LIMIT`. */
export function environmentName(name: ServeOptionName): string {
  return `${ENVIRONMENT_PREFIX}${name.toUpperCase().replaceAll('-', '_')}`
}
