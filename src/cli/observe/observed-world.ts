import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { Explanation } from '../../contract/explanation.ts'
import { describe, withoutControls } from '../../contract/text.ts'
import { formatPath } from '../../contract/validation.ts'
import { AppliedCommand } from '../../journal/applied-command.ts'
import { JournalRequest } from '../../journal/journal-request.ts'
import type { RequestFilterInput } from '../../journal/request-filter.ts'
import { atFile, errorCodeOf, isCertificateCode } from '../../server/file-errors.ts'
import { DEFAULT_HOST, DEFAULT_PORT } from '../../server/server-options.ts'
import { replaySession } from '../../session/replay-session.ts'
import { FaultStatuses } from '../../world/faults/fault-status.ts'
import type { FaultStatus } from '../../world/faults/fault-status.ts'
import { OptionError } from '../../world/options/option-error.ts'
import { parseOption } from '../../world/options/parse-option.ts'
import { Requests } from '../../world/requests.ts'
import type { World } from '../../world/world.ts'
import type { Flags } from '../cli-command.ts'
import { CA_VARIABLE, OBSERVE_OPTIONS } from '../command-options.ts'
import { EXEC_VARIABLES } from '../exec/exec-options.ts'
import { readSettings } from '../read-settings.ts'
import { withSession } from '../session-file.ts'

/** Criteria for requests, as strings by name: `{ status: '4xx' }`. */
export type TextFilter = Readonly<Record<string, string>>

/** Read-only access to a world of a running server, or to the world at the end of a session. */
export interface ObservedWorld {
  /** Returns the latest requests, at most `limit`, oldest first, including those for unknown paths. @throws OptionError */
  requests: (filter: TextFilter, limit: number) => Promise<JournalRequest[]>
  commands: () => Promise<readonly AppliedCommand[]>
  faults: () => Promise<readonly FaultStatus[]>
  /**
   * Explains the reports that `latest` and `last-generated` of a project select at the time `at`; at the current time
   * of the world clock if undefined. @throws OptionError
   */
  explain: (project: number, at: string | undefined) => Promise<Explanation>
}

/**
 * Returns the world at the end of a recorded session; without a file, the world of the server that
 * `createControlClient` finds.
 *
 * @throws OptionError
 */
export async function observe(file: string | undefined, flags: Flags): Promise<ObservedWorld> {
  if (file === undefined) return observeServer(await createControlClient(flags))
  requireAlone(flags)
  return observeWorld(await withSession(file, (session) => replay(file, session)))
}

/** @throws OptionError if the flags name a server in addition to a session. */
export function requireAlone(flags: Flags): void {
  const named = ['url', 'ca', 'world', 'admin-key'].find((name) => flags[name] !== undefined)
  if (named === undefined) return
  throw new OptionError(
    `--${named}: This is for a running server. Leave it out, or the file of the session.`,
  )
}

async function replay(file: string, session: Parameters<typeof replaySession>[0]): Promise<World> {
  let replayed: World | undefined
  const { difference } = await replaySession(session, {
    onReview: (world) => {
      replayed = world
    },
  })
  if (replayed && !difference) return replayed
  throw new OptionError(
    `${file}: Step ${difference?.sequence} of this session differs when it is replayed. seo-sandbox replay shows how.`,
  )
}

function observeWorld(world: World): ObservedWorld {
  return {
    requests: async (filter, limit) => {
      const input = filter as RequestFilterInput
      const requests = new Requests(world)
      return latest([...requests.list(input), ...requests.unknown(input)], limit)
    },
    commands: async () => world.journal.commands,
    faults: async () => world.faults,
    explain: async (project, at) => {
      const explanation = world.explain(project, { at })
      if (explanation) return explanation
      throw new OptionError(`There is no project ${project} at the end of this session.`)
    },
  }
}

function observeServer({ get }: ControlClient): ObservedWorld {
  return {
    requests: async (filter, limit) => {
      const query = { ...filter, limit: String(limit) }
      const [known, unknown] = await Promise.all([
        get('/requests', z.array(JournalRequest), query),
        get('/requests', z.array(JournalRequest), { ...query, unknown: 'true' }),
      ])
      return latest([...known, ...unknown], limit)
    },
    commands: () => get('/commands', z.array(AppliedCommand)),
    faults: () => get('/faults', FaultStatuses),
    explain: (project, at) => get(`/explain/projects/${project}`, Explanation, { at }),
  }
}

function latest(requests: readonly JournalRequest[], limit: number): JournalRequest[] {
  return requests.toSorted((one, other) => one.sequence - other.sequence).slice(-limit)
}

type Query = Readonly<Record<string, string | undefined>>

/** Read-only client of the control API, for one world of a server. */
export interface ControlClient {
  /** @throws OptionError if there is no response, the response is an error, or the body does not match the schema. */
  get: <Body>(path: string, schema: z.ZodType<Body>, query?: Query) => Promise<Body>
  /** URL of the server, for messages. */
  url: string
}

/**
 * Creates a client of the server at `--url`, at the URL in the environment, or on this machine, in this order. The admin key
 * comes from the flags, the environment or the config file.
 *
 * @throws OptionError
 */
export async function createControlClient(flags: Flags): Promise<ControlClient> {
  const { url: given, 'admin-key': givenKey } = flags
  const world = flags['world'] as string | undefined
  const { settings } = await readSettings({ 'admin-key': givenKey })
  const { 'admin-key': key, port = DEFAULT_PORT, 'https-cert': cert } = settings
  const scheme = (settings.https ?? cert !== undefined) ? 'https' : 'http'
  const url = findUrl(given, `${scheme}://${DEFAULT_HOST}:${port}`)
  const ca = url.startsWith('https:') ? await readCa(flags) : undefined
  return {
    url,
    get: async (path, schema, query = {}) => {
      const body = await read({ url, key, ca, path, query: { ...query, world } })
      return checked(schema, body, url)
    },
  }
}

function findUrl(given: unknown, local: string): string {
  const named = [
    { url: given, source: '--url' },
    ...[EXEC_VARIABLES.control, EXEC_VARIABLES.url].map((name) => ({
      url: process.env[name],
      source: name,
    })),
  ].find(({ url }) => url !== undefined && url !== '')
  if (!named) return local
  // Users may paste the URL of either API.
  return parseOption(OBSERVE_OPTIONS.url.read, named.url, named.source).replace(
    /\/(?:_sandbox|api\/v1)$/,
    '',
  )
}

async function readCa({ ca: given }: Flags): Promise<string | undefined> {
  const [file, source] =
    typeof given === 'string' ? [given, '--ca'] : [process.env[CA_VARIABLE], CA_VARIABLE]
  if (file === undefined || (file === '' && source === CA_VARIABLE)) return undefined
  return atFile(`${source}: ${file}`, 'read', () => readFile(file, 'utf8'))
}

interface Read {
  url: string
  key: string | undefined
  ca: string | undefined
  path: string
  query: Query
}

async function read({ url, key, ca, path, query }: Read): Promise<unknown> {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, value)
  }
  const asked = `${url}/_sandbox${path}?${search.toString()}`
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const asking =
    ca === undefined
      ? fetch(asked, { headers, redirect: 'manual' })
      : fetchTrusting(ca, asked, headers)
  const response = await asking.catch((error: unknown) => {
    const code = errorCodeOf(error) || errorCodeOf((error as Error).cause)
    if (isCertificateCode(code)) {
      throw new OptionError(
        `${url}: Its certificate is not trusted (${code}). Name the CA certificate that the server prints with --ca.`,
        { cause: error },
      )
    }
    throw new OptionError(
      `There is no server at ${url}. Start one with npx seo-sandbox, name another with --url, or write the path of a session.`,
      { cause: error },
    )
  })
  const body = await readBody(response, url)
  if (response.ok) return body
  throw new OptionError(withoutControls(`${url}: ${messageOf(body) ?? refusalOf(response)}`))
}

/** Sends a GET request, trusting `ca` in addition to Node's own certificates. Node 20's `fetch` has no option for that. */
async function fetchTrusting(
  ca: string,
  url: string,
  headers: Record<string, string>,
): Promise<Response> {
  const { get } = await import('node:https')
  const { rootCertificates } = await import('node:tls')
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { ca: [...rootCertificates, ca], headers }, resolve).once('error', reject)
  })
  const { statusCode = 0, headers: received } = message
  const type = received['content-type']
  return new Response(Readable.toWeb(message) as ReadableStream<Uint8Array>, {
    status: statusCode,
    headers: type === undefined ? {} : { 'content-type': type },
  })
}

/**
 * Checks a body against a schema, but allows extra fields, as from a newer release. @throws OptionError for other mismatches.
 */
function checked<Body>(schema: z.ZodType<Body>, body: unknown, url: string): Body {
  const { error } = schema.safeParse(body)
  const other = error?.issues.find(({ code }) => code !== 'unrecognized_keys')
  if (!other) return body as Body
  const place = withoutControls(formatPath(other.path))
  throw new OptionError(
    `${url}: This is not the control API of this release of seo-sandbox: a response has an unexpected value${place && ` at ${place}`}. Use the release of the server.`,
  )
}

async function readBody(response: Response, url: string): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw new OptionError(`${url}: The connection was lost. Try again.`, { cause: error })
  })
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new OptionError(withoutControls(`${url}: ${refusalOf(response)}`), { cause: error })
  }
}

function messageOf(body: unknown): string | undefined {
  const { error } = (body ?? {}) as { error?: { message?: unknown } }
  return typeof error?.message === 'string' ? error.message : undefined
}

function refusalOf({ status, headers }: Response): string {
  const type = describe(headers.get('content-type') ?? 'no content')
  return `This is not the control API of a sandbox: it answers ${status} with ${type}. Write the base URL that the server prints.`
}
