import type { RunningServer } from '../server/serve-backend.ts'
import type { StoreServer } from '../server/serve-store.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_RATE_LIMITS, toRateLimits } from '../contract/limits.ts'
import type { RateLimits } from '../contract/limits.ts'
import type { TokenRecord } from '../contract/token.ts'
import { withoutControls } from '../contract/text.ts'
import { listShowcase } from '../world/list-showcase.ts'
import { VERSION } from '../contract/version.ts'
import { quote } from './print.ts'
import { count } from '../wording/count.ts'
import type { colorsFor } from './print.ts'
import { findUsableToken } from '../world/usable-token.ts'

interface BannerOptions {
  server: RunningServer | StoreServer
  /** True if the world continues from a state or a snapshot, which has its own time. */
  isContinued: boolean
  source: string
  configFile: string | null
  /** Path of the server's CA certificate; null if there is none. */
  ca: string | null
  rateLimits: RateLimits | undefined
  colors: ReturnType<typeof colorsFor>
}

const SHOWN_TOKENS = 12

/** Formats the text that is printed when the server begins to listen: its URLs, the data, the tokens, and a first request. */
export function createBanner({
  server,
  isContinued,
  source,
  configFile,
  ca,
  rateLimits,
  colors,
}: BannerOptions): string {
  const { url, host, port, world, control } = server
  const { bold, dim, cyan } = colors
  const { records, clock } = world
  const tokens = records
    .all('tokens')
    .filter((token) => !('admits' in server) || server.admits(token))
  const isClosed = 'isDefaultClosed' in server && server.isDefaultClosed
  const width = Math.max(0, ...tokens.slice(0, SHOWN_TOKENS).map(({ token }) => token.length))
  const lines = tokens
    .slice(0, SHOWN_TOKENS)
    .map(
      (token) => `${cyan(token.token.padEnd(width))}  ${describeToken(token, world, rateLimits)}`,
    )
  if (tokens.length > SHOWN_TOKENS) lines.push(dim(`and ${tokens.length - SHOWN_TOKENS} more`))
  if (tokens.length === 0) lines.push(dim('none: every request gets a 401'))

  const counts = [
    count(records.all('agencies').length, 'agency', 'agencies'),
    count(records.all('projects').length, 'project'),
  ].join(', ')
  const curl = ca === null ? 'curl' : `curl --cacert ${quote(ca)}`
  const running = clock.frozen ? 'frozen' : 'running'
  const rows = [
    ...(server.console === undefined ? [] : [['Console', bold(server.console)]]),
    ['Base URL', bold(`${url}/api/v1`)],
    ...(ca === null ? [] : [['CA', `${withoutControls(ca)}, for clients to trust`]]),
    ...(configFile === null
      ? []
      : [['Config', `${withoutControls(configFile)}; it listens on ${host}, port ${port}`]]),
    ['World', `${withoutControls(source)} (${counts})`],
    ['Clock', `${clock.now}, ${running}`],
    ['Tokens', lines.join(`\n${' '.repeat(INDENT)}`)],
    ...(isClosed ? [['Closed', CLOSED]] : []),
    ['Try', `${curl} ${firstRequest(url, tokens)}`],
    ...(isContinued ? [] : showcaseRows(server, curl)),
    ...(control
      ? [['Control', `${control.url}, ${control.needsKey ? WITH_KEY : WITHOUT_KEY}`]]
      : []),
  ]
  const body = rows.map(([label = '', text]) => `  ${dim(label.padEnd(INDENT - 2))}${text}`)
  return `\n  ${bold('seo-sandbox')} ${VERSION}\n\n${body.join('\n')}\n\n  ${dim('Ctrl-C stops it.')}\n\n`
}

function showcaseRows({ world, control }: RunningServer, curl: string): string[][] {
  const showcase = listShowcase(world.options.seed.generate)
  if (showcase.length === 0) return []
  const lines = showcase.map(({ project, shows }) => {
    const name = world.records.get('projects', project)?.name ?? ''
    return `${project}  ${withoutControls(name)}: ${shows}`
  })
  const rows = [['Look at', lines.join(`\n${' '.repeat(INDENT)}`)]]
  if (control && !control.needsKey) {
    rows.push(['Next week', `${curl} ${control.url}/clock -d '{ "advance": "P7D" }'`])
  }
  return rows
}

const INDENT = 13

const CLOSED =
  'built-in tokens and pages of this world, because other machines reach the server; seo-sandbox partners add NAME opens another world'
const WITH_KEY = 'with the admin key'
const WITHOUT_KEY = 'from this machine; behind a proxy, set --admin-key'

function describeToken(
  { name, agency, status, allowed_ips, rate_limit }: TokenRecord,
  world: World,
  rateLimits: RateLimits = DEFAULT_RATE_LIMITS,
): string {
  const { records } = world
  const scope =
    agency === null ? 'super-admin' : (records.get('agencies', agency)?.name ?? 'no agency')
  const visible = records.projectsOf({ agency: agency ?? undefined, status: undefined })
  const projects = count(visible.length, 'project')
  const notes = [`${scope} (${projects})`, describeLimits(toRateLimits(rate_limit, rateLimits))]
  if (status === 'disabled') notes.push('disabled')
  if (allowed_ips !== undefined) notes.push(`only from ${allowed_ips.join(', ') || 'nowhere'}`)
  return withoutControls(`${name}: ${notes.join(', ')}`)
}

function describeLimits({ per_minute, per_hour }: RateLimits): string {
  if (per_minute === 'unlimited' && per_hour === 'unlimited') return 'unlimited'
  return `${per_minute}/min and ${per_hour}/h`
}

function firstRequest(url: string, tokens: readonly TokenRecord[]): string {
  const bearer = findUsableToken(tokens)?.token ?? 'TOKEN'
  const header = `Authorization: Bearer ${bearer}`
  const isPlain = /^[\w.~+/=|:-]+$/.test(bearer)
  const quoted = isPlain ? `"${header}"` : quote(header, 'linux')
  return `-H ${quoted} ${url}/api/v1/projects`
}
