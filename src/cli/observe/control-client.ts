import type { z } from 'zod'
import { describe, withoutControls } from '../../contract/describe.ts'
import { formatPath } from '../../contract/validation.ts'
import { DEFAULT_HOST, DEFAULT_PORT } from '../../server/server-options.ts'
import { OptionError } from '../../world/options/option-error.ts'
import { parseOption } from '../../world/options/parse-option.ts'
import type { Flags } from '../cli-command.ts'
import { EXEC_VARIABLES } from '../exec/variables.ts'
import { readSettings } from '../settings.ts'
import { OBSERVE_OPTIONS } from './options.ts'

type Query = Readonly<Record<string, string | undefined>>

/** Reads from the control API of a server, about one of its worlds. */
export interface ControlClient {
  /** The body of a response. @throws OptionError for no response, an error, and a body that does not match the schema. */
  get: <Body>(path: string, schema: z.ZodType<Body>, query?: Query) => Promise<Body>
  /** Where it is, for messages. */
  url: string
}

/**
 * A client of the server that `--url` names, or else the environment, with the admin key of the flags, the environment or the
 * config file.
 *
 * @throws OptionError
 */
export async function createControlClient(flags: Flags): Promise<ControlClient> {
  const { url: given, 'admin-key': givenKey } = flags
  const world = flags['world'] as string | undefined
  const { settings } = await readSettings({ 'admin-key': givenKey })
  const { 'admin-key': key, port = DEFAULT_PORT } = settings
  const url = findUrl(given, `http://${DEFAULT_HOST}:${port}`)
  return {
    url,
    get: async (path, schema, query = {}) => {
      const body = await read({ url, key, path, query: { ...query, world } })
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
  // People paste the address of either API.
  return parseOption(OBSERVE_OPTIONS.url.read, named.url, named.source).replace(
    /\/(?:_sandbox|api\/v1)$/,
    '',
  )
}

interface Read {
  url: string
  key: string | undefined
  path: string
  query: Query
}

async function read({ url, key, path, query }: Read): Promise<unknown> {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, value)
  }
  const asked = `${url}/_sandbox${path}?${search.toString()}`
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const response = await fetch(asked, { headers, redirect: 'manual' }).catch((error: unknown) => {
    throw new OptionError(
      `There is no server at ${url}. Start one with npx seo-sandbox, name another with --url, or write the path of a session.`,
      { cause: error },
    )
  })
  const body = await readBody(response, url)
  if (response.ok) return body
  throw new OptionError(withoutControls(`${url}: ${messageOf(body) ?? refusalOf(response)}`))
}

/** A body that may have more fields than its schema, as of a newer release. @throws OptionError for any other. */
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
