import type { JournalEntry, JournalRequest, RequestDetail } from '../../api/types.ts'
import { parseUrl } from '../../../contract/url.ts'

/** Data of a request that its journal entry does not contain. */
export type Detail = Pick<
  RequestDetail,
  'origin' | 'request_headers' | 'omitted_headers' | 'response_headers' | 'body'
>

export interface TrafficFile {
  kind: 'HAR' | 'session'
  entries: JournalEntry[]
  /** Details of requests by sequence; commands have no details. */
  details: Map<number, Detail>
}

/** Error for a file that cannot be opened. Its message can be shown to the user. */
export class FileRefusal extends Error {}

/**
 * Reads a HAR file from any tool, or a session of this sandbox.
 *
 * @throws FileRefusal for any other text, and for a file whose entries lack required fields
 */
export function readTrafficFile(text: string): TrafficFile {
  const [first = '', ...lines] = text.split('\n')
  if (isHeader(first)) return readSession(lines.filter((line) => line !== '').map(parse))
  const { log, steps } = fieldsOf(parse(text))
  const { entries } = fieldsOf(log)
  if (Array.isArray(entries)) return readHar(entries)
  if (Array.isArray(steps)) return readSession(steps)
  throw new FileRefusal(
    'This is neither a HAR file, which has log.entries, nor a session, which has steps.',
  )
}

/** True for the first line of a session file with one step per line. */
function isHeader(line: string): boolean {
  try {
    return fieldsOf(JSON.parse(line))['lines'] !== undefined
  } catch {
    return false
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new FileRefusal('This is not JSON, and HAR and session files are.')
  }
}

function readHar(input: readonly unknown[]): TrafficFile {
  const file: TrafficFile = { kind: 'HAR', entries: [], details: new Map() }
  for (const [index, each] of input.entries()) {
    const entry = fieldsOf(each)
    const request = fieldsOf(entry['request'])
    const response = fieldsOf(entry['response'])
    const { method } = request
    const url = parseUrl(textOf(request['url']))
    if (typeof method !== 'string' || !url) {
      throw new FileRefusal(`Entry ${index + 1} of this HAR file has no method or no URL.`)
    }
    const content = fieldsOf(response['content'])
    // Numbered by position in the file: a merged file may have the same number twice.
    const sequence = index + 1
    const started = textOf(entry['startedDateTime'])
    file.entries.push({
      ...EMPTY_REQUEST,
      sequence,
      clock: { now: started, rate_clock: started },
      method,
      path: url.pathname,
      query: url.search.slice(1),
      route: wordOf(entry['_route']) || null,
      token: wordOf(entry['_token']) || null,
      status: numberOf(response['status']),
      decided_by: wordOf(entry['_decided_by']),
      rule: wordOf(entry['_rule']) || null,
      gaps: listOf(entry['_gaps']).map(wordOf),
      faults: listOf(entry['_faults']).map(numberOf),
      body_bytes: numberOf(content['size']),
      duration_ms: numberOf(entry['time']),
    })
    file.details.set(sequence, {
      origin: url.origin,
      request_headers: listOf(request['headers']).map(toPair),
      omitted_headers: 0,
      response_headers: listOf(response['headers']).map(toPair),
      body: typeof content['text'] === 'string' ? content['text'] : null,
    })
  }
  return file
}

function readSession(input: readonly unknown[]): TrafficFile {
  const file: TrafficFile = { kind: 'session', entries: [], details: new Map() }
  for (const [index, each] of input.entries()) {
    const step = fieldsOf(each)
    // Such a step only records the end of the response to an earlier request.
    if (step['end'] !== undefined) continue
    const sequence = numberOf(step['sequence']) || index + 1
    const at = toIso(step['at_ms'])
    const clock = { now: at, frozen: false, rate_clock: at }
    if (step['command'] !== undefined) {
      file.entries.push({ kind: 'command', sequence, command: step['command'], clock })
      continue
    }
    const request = fieldsOf(step['request'])
    const answer = fieldsOf(step['answer'])
    const headers = fieldsOf(answer['headers'])
    const { method, path } = request
    if (typeof method !== 'string' || typeof path !== 'string') {
      throw new FileRefusal(`Step ${index + 1} of this session is neither a request nor a command.`)
    }
    file.entries.push({
      ...EMPTY_REQUEST,
      sequence,
      clock,
      method,
      path,
      query: textOf(request['query']),
      client_ip: textOf(request['client_ip']),
      status: numberOf(answer['status']),
      body_bytes: numberOf(fieldsOf(answer['body'])['bytes']),
    })
    file.details.set(sequence, {
      origin: textOf(request['origin']),
      request_headers: ['accept', 'authorization'].flatMap((name) =>
        typeof request[name] === 'string' ? [toPair({ name, value: request[name] })] : [],
      ),
      omitted_headers: 0,
      response_headers: Object.entries(headers).map(([name, value]) => toPair({ name, value })),
      body: null,
    })
  }
  return file
}

const EMPTY_REQUEST = {
  kind: 'request',
  world: '',
  route: null,
  project: null,
  token: null,
  token_id: null,
  scheme: null,
  client_ip: '',
  from_console: false,
  decided_by: '',
  rule: null,
  gaps: [],
  faults: [],
  delay_ms: 0,
  duration_ms: 0,
} satisfies Partial<{ kind: 'request' } & JournalRequest>

/** Files of other tools may contain these headers, whose values are never shown. */
const SECRET_HEADERS = /^(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key)$/i

function toPair(input: unknown): { name: string; value: string } {
  const { name, value } = fieldsOf(input)
  const isSecret = SECRET_HEADERS.test(textOf(name))
  return { name: textOf(name), value: isSecret ? '(not shown)' : textOf(value) }
}

/** Limit of `Date`, beyond which `toISOString` throws. */
const LATEST_MS = 8.64e15

function toIso(input: unknown): string {
  const ms = numberOf(input)
  return Math.abs(ms) <= LATEST_MS ? new Date(ms).toISOString() : ''
}

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
}

function listOf(input: unknown): readonly unknown[] {
  return Array.isArray(input) ? input : []
}

function textOf(input: unknown): string {
  return typeof input === 'string' ? input : ''
}

/** Reads a name or an id, cut to 200 characters because a file of another tool may contain any text. */
function wordOf(input: unknown): string {
  return textOf(input).slice(0, 200)
}

function numberOf(input: unknown): number {
  return typeof input === 'number' && Number.isFinite(input) ? input : 0
}
