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
import { notice, showNotice } from '../state/notices.ts'
import { addEntries, clearJournal } from '../state/shown-journal.ts'
import { askForKey, currentKey, keyHeaders, whenAnswered, whenOpened } from './key.ts'
import { uncapitalize } from '../../wording/fit-on-line.ts'
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
  /** Sent as JSON; no body if undefined. */
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

/**
 * Requests to the control API of the current world, and to the emulated API as a client. They throw an ApiError if no response
 * arrives, or if the control API refuses the request.
 */
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
   * Executes a command, and records it together with the undo of the command, if there is one. `sentence` describes the command
   * in the past tense. `before` is only for a command that replaces the world: the snapshot that the undo restores, or null if
   * the world is too large for a snapshot.
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
    // Updates the page at once. With the old time on the screen, people would doubt that the world was replaced.
    if (before !== undefined) outdate()
    return result
  },

  /**
   * Undoes a recorded action. The last action is removed from the recorded test. An earlier action stays there, and the commands
   * that undo it are recorded after the last action, so that the actions in between get the same responses. An undo that restores
   * a snapshot removes the action and all later actions.
   *
   * @throws ApiError if the data has changed since, so that nothing is undone, or if the server refuses a request
   */
  async undo({ id, sentence }: RecordedAction, undo: Undo): Promise<void> {
    const clocksBefore = clocks.peek()
    if ('before' in undo) {
      await api.restore(undo.before, undo.sent)
      for (const action of actionsFrom(id)) forgetAction(action.id)
      // The notice of the action is no longer true, so this notice replaces it.
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
      // Even after a failure, the commands that were executed are recorded.
      const isDone = sent.length === commands.length
      if (isDone && actionsFrom(id).length === 1) {
        forgetAction(id)
      } else {
        if (isDone) markFinal(id)
        for (const command of sent) {
          record({
            kind: 'command',
            command,
            sentence: `Undid: ${uncapitalize(sentence)}`,
            clocks: clocksBefore,
            isFinal: true,
          })
        }
      }
    }
  },

  /**
   * Restores the world from a snapshot, without recording an action. `sent` is the result of `countSent` when the snapshot was
   * taken; 0 for a snapshot from a file.
   */
  async restore(snapshot: unknown, sent = 0): Promise<void> {
    await send('POST', '/snapshots', { body: snapshot })
    sentTo.set(currentWorld.peek(), sent)
    // The journal stream does not report a restored snapshot.
    clearJournal()
    const { commands } = snapshot as Snapshot
    addEntries(commands.map((command) => ({ kind: 'command', ...command })))
    outdate()
  },

  /** Sends a request to the emulated API as a client would, and records it as an action. */
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

function actionsFrom(id: number): readonly RecordedAction[] {
  const here = actionsHere.peek()
  const at = here.findIndex((action) => action.id === id)
  return at === -1 ? [] : here.slice(at)
}

/** By world id: the number of commands from this page since it last replaced that world. */
const sentTo = new Map<string, number>()

export function countSent(): number {
  return sentTo.get(currentWorld.peek()) ?? 0
}

async function sendCommand<Type extends CommandType>(
  command: Extract<Command, { type: Type }>,
): Promise<CommandResults[Type]> {
  const result = await receive<CommandResults[Type]>('POST', '/commands', { body: command })
  sentTo.set(currentWorld.peek(), countSent() + 1)
  // Without this, the next action would be recorded with the old time.
  if (command.type.startsWith('clock.')) takeClock(result as ClockState)
  return result
}

const CONTROL = '/_sandbox'

/**
 * Sends a request to the control API with the current world and key. If the server refuses the key, asks the user for another key
 * and sends the request again.
 */
async function send(
  method: string,
  path: string,
  { query, body, headers, signal }: SendOptions = {},
): Promise<Response> {
  await whenOpened()
  for (;;) {
    // Requests for the health need no key. The open key dialog sends one, which must not wait for the dialog's own answer.
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

/** Longest wait for a limit of the host, in seconds, with all repetitions of a request. A 429 beyond it is returned. */
const LONGEST_WAIT_S = 10

/** Header that distinguishes a 429 of the host from a 429 of the emulated API. */
export const HOST_LIMIT_HEADER = 'x-sandbox-limited'

/** Sends a request, and repeats it while a limit of the host refuses it. */
async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    for (let waitedS = 0; ;) {
      const response = await transport().fetch(path, init)
      const { headers, status } = response
      const waitS = Number(headers.get('retry-after') ?? Infinity)
      waitedS += waitS
      if (status !== 429 || !headers.has(HOST_LIMIT_HEADER) || waitedS > LONGEST_WAIT_S)
        return response
      const isRead = init.method === 'GET' && path.startsWith(CONTROL)
      if (isRead && waitS === 1) await sleep(1000)
      else await showWait(waitS, response)
    }
  } catch (error) {
    if (init.signal?.aborted) throw error
    // A fault may break a request to the emulated API, so its failure does not mean that the server is unreachable.
    if (!path.startsWith(`${CONTROL}/`)) {
      throw new ApiError(0, 'no_response', 'The connection was closed before a response arrived.')
    }
    void loseConnection()
    throw unreachable()
  }
}

/** Says for what a request waits. */
async function showWait(seconds: number, response: Response): Promise<void> {
  const { error, message } = (await response.json()) as ErrorBody & { message?: string }
  const [why] = (error?.message ?? message ?? '').split(' Send ', 1)
  const shown = { text: `Waiting ${seconds} s. ${why}`, isError: false, isWait: true }
  notice.value = shown
  await sleep(seconds * 1000)
  if (notice.peek() === shown) notice.value = null
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
