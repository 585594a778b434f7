import {
  actionsHere,
  forgetAction,
  record,
  currentWorld,
  DEFAULT_WORLD,
  leaveWorld,
  markFinal,
} from '../state/current-world.ts'
import type { RecordedAction } from '../code/test-steps.ts'
import { loseConnection, outdate, sleep, transport } from './transport.ts'
import { clocks, takeClock } from '../state/shown-clocks.ts'
import { showNotice } from '../state/notices.ts'
import { clearJournal } from '../state/shown-journal.ts'
import { askForKey, currentKey, keyHeaders, whenAnswered, whenOpened } from './key.ts'
import { toSearch } from '../state/location.ts'
import { prepareUndo } from './undo.ts'
import type { Undo } from './undo.ts'
import { ApiError, unreachable } from './api-error.ts'
import type {
  Responses,
  ClientRequest,
  ClockState,
  CollectionName,
  Command,
  CommandResults,
  CommandType,
  ErrorBody,
  RecordPage,
  Snapshot,
} from './types.ts'

type Query = Readonly<Record<string, string | number | boolean | undefined>>

interface SendOptions {
  query?: Query | undefined
  /** Sent as JSON; no body if omitted. */
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

export interface ClientResponse {
  status: number
  headers: [name: string, value: string][]
  text: string
  durationMs: number
}

/** The control API of the current world. Each function throws an ApiError, whose message can be shown unchanged. */
export const api = {
  /** Reads a resource: `api.get('/explain/projects/101', { changes: 0 })`. */
  get<Path extends keyof Responses>(
    path: Path,
    query?: Query,
    signal?: AbortSignal,
  ): Promise<Responses[Path]> {
    return receive('GET', path, { query, signal })
  },

  /** Reads a page of a collection: `api.list('projects', { limit: 50, after: 101, search: 'fisk' })`. */
  list<Name extends CollectionName>(
    collection: Name,
    query: { limit: number; after?: string | number; search?: string; project?: number },
    signal?: AbortSignal,
  ): Promise<RecordPage<Name>> {
    return receive('GET', `/records/${collection}`, { query, signal })
  },

  /**
   * Executes a command, and records it with its undo. `sentence` describes the command in the past tense. For a command that
   * replaces the world, `before` is the snapshot from `askToReplace`; null if the world is too large for one.
   */
  async command<Type extends CommandType>(
    command: Extract<Command, { type: Type }>,
    sentence: string,
    before?: Snapshot | null,
  ): Promise<CommandResults[Type]> {
    const clocksBefore = clocks.peek()
    // If this read fails, either the command fails too and reports the reason, or the command cannot be undone.
    const finish = await prepareUndo(command as Command, (path) => api.get(path)).catch(
      () => undefined,
    )
    const sent = countSent()
    const result = await sendCommand<Type>(command)
    if (before !== undefined) sentTo.set(currentWorld.peek(), 0)
    const undo = before ? { before, sent } : await finish?.(result).catch(() => undefined)
    record({
      kind: 'command',
      command: command as Command,
      result,
      sentence,
      undo,
      clocks: clocksBefore,
    })
    // With the old time on the screen, people would doubt that the world was replaced.
    if (before !== undefined) outdate()
    return result
  },

  /**
   * Undoes a recorded action. The last action is removed from the test. For an earlier action, the undoing commands are recorded,
   * so that later actions of the test get the same responses. Restoring a snapshot removes the action and all later actions.
   *
   * @throws ApiError if the data has changed since; nothing is then undone
   */
  async undo({ id, sentence }: RecordedAction, undo: Undo): Promise<void> {
    const clocksBefore = clocks.peek()
    if ('before' in undo) {
      await api.restore(undo.before, undo.sent)
      for (const action of actionsFrom(id)) forgetAction(action.id)
      // Also replaces the notice of the action, which is no longer true.
      showNotice('The world is as it was before.')
      return
    }
    const commands = await undo.toCommands()
    if (!commands) {
      const message =
        'Something else has changed the same thing since, so nothing was undone, and both changes stay.'
      throw new ApiError(409, 'changed_since', message)
    }
    const sent: Command[] = []
    try {
      for (const command of commands) {
        await sendCommand(command)
        sent.push(command)
      }
    } finally {
      // Records the executed commands even after a failure.
      const isDone = sent.length === commands.length
      if (isDone && actionsFrom(id).length === 1) {
        forgetAction(id)
      } else {
        if (isDone) markFinal(id)
        for (const command of sent) {
          record({
            kind: 'command',
            command,
            sentence: `Took back: ${sentence}`,
            clocks: clocksBefore,
            isFinal: true,
          })
        }
      }
    }
  },

  /** Restores the world from a snapshot, without recording an action. `sent` is the result of `countSent` when it was taken. */
  async restore(snapshot: unknown, sent = 0): Promise<void> {
    await send('POST', '/snapshots', { body: snapshot })
    sentTo.set(currentWorld.peek(), sent)
    // The journal stream does not report a restored snapshot.
    clearJournal()
    outdate()
  },

  /** Sends a request to the emulated API as a client would, and records it. */
  async request(request: ClientRequest, sentence: string): Promise<ClientResponse> {
    const response = await requestAsClient(request)
    record({ kind: 'request', request, status: response.status, sentence, clocks: clocks.peek() })
    return response
  },

  requestUnrecorded: requestAsClient,

  send,

  /** Like `send`, but returns the response parsed as JSON. */
  receive,
}

/** Returns a recorded action of the current world and all later actions; empty if the action is no longer recorded. */
function actionsFrom(id: number): readonly RecordedAction[] {
  const here = actionsHere.peek()
  const at = here.findIndex((action) => action.id === id)
  return at === -1 ? [] : here.slice(at)
}

/** Number of commands that this page has sent to a world since it last replaced it. */
const sentTo = new Map<string, number>()

export function countSent(): number {
  return sentTo.get(currentWorld.peek()) ?? 0
}

async function sendCommand<Type extends CommandType>(
  command: Extract<Command, { type: Type }>,
): Promise<CommandResults[Type]> {
  const result = await receive<CommandResults[Type]>('POST', '/commands', { body: command })
  sentTo.set(currentWorld.peek(), countSent() + 1)
  // The next action is recorded with the new time.
  if (command.type.startsWith('clock.')) takeClock(result as ClockState)
  return result
}

const CONTROL = '/_sandbox'

/** Sends a request to the control API with the current world and key. If the server refuses the key, asks for another key. */
async function send(
  method: string,
  path: string,
  { query, body, headers, signal }: SendOptions = {},
): Promise<Response> {
  await whenOpened()
  for (;;) {
    // The key dialog reads the health, which needs no key.
    if (path !== '/health') await whenAnswered()
    const key = currentKey()
    const world = currentWorld.peek()
    const search = toSearch({ ...query, ...(world !== DEFAULT_WORLD && { world }) })
    const response = await reach(`${CONTROL}${path}${search}`, {
      method,
      cache: 'no-store',
      headers: {
        ...keyHeaders(),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    if (response.ok) return response
    const error = await toError(response)
    if (response.status === 401 || error.code === 'too_many_wrong_keys') {
      await askForKey(key, error)
    } else {
      if (error.code === 'world_not_found') leaveWorld()
      throw error
    }
  }
}

async function receive<Value>(method: string, path: string, options?: SendOptions): Promise<Value> {
  const response = await send(method, path, options)
  return (await response.json()) as Value
}

async function requestAsClient({
  method = 'GET',
  path,
  token,
  headers,
}: ClientRequest): Promise<ClientResponse> {
  const begun = performance.now()
  const response = await reach(path, {
    method,
    cache: 'no-store',
    redirect: 'manual',
    headers: {
      // Marks a request of the console, so that the review of the client ignores it.
      'x-sandbox-console': '1',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
  })
  const text = await response.text().catch(() => '')
  return {
    status: response.status,
    headers: [...response.headers],
    text,
    durationMs: performance.now() - begun,
  }
}

/** Longest wait for a limit of the host, in seconds; the page reports a limit with a longer one. */
const LONGEST_WAIT_S = 10

/** In a 429 of the host, whose limits are no limits of tokens. */
export const HOST_LIMIT_HEADER = 'x-sandbox-limited'

/** Sends a request, and once more if a limit of the host refused it. */
async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    const response = await transport().fetch(path, init)
    const { headers, status } = response
    const waitS = Number(headers.get('retry-after') ?? Infinity)
    if (status !== 429 || !headers.has(HOST_LIMIT_HEADER) || waitS > LONGEST_WAIT_S) return response
    await sleep(waitS * 1000)
    return await transport().fetch(path, init)
  } catch (error) {
    if (init.signal?.aborted) throw error
    // A fault may break the connection of an API request, but never that of a control API request.
    if (!path.startsWith(`${CONTROL}/`)) {
      throw new ApiError(0, 'no_response', 'The connection was closed before a response arrived.')
    }
    void loseConnection()
    throw unreachable()
  }
}

async function toError(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => undefined)) as ErrorBody | undefined
  if (body?.error === undefined) {
    const message = `The server answered ${response.status} without a reason.`
    return new ApiError(response.status, 'unknown', message)
  }
  const { code, message, problems } = body.error
  const [first] = problems
  const isRepeated = first === undefined || message.includes(first.message)
  const words = isRepeated ? message : `${message} ${first.message}`
  return new ApiError(response.status, code, words, first)
}
