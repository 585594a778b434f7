import type { ClientRequest, Command, WorldOrigin } from '../api/types.ts'
import type { Undo } from '../api/undo.ts'
import type { ShownClocks } from '../state/shown-clocks.ts'

/** Source of a test's step: a command or request of this page, or a client's request that a recorded fault answered. */
export type RecordedAction = {
  id: number
  /** Description in the past tense, without a full stop. */
  sentence: string
  /** Clocks before a command, or at the time of a request; null if not yet read. */
  clocks: ShownClocks | null
  world: string
  /** Origin of the world, as last read; null if not yet read. */
  origin: WorldOrigin | null
} & (
  | {
      kind: 'command'
      command: Command
      result?: unknown
      undo?: Undo | undefined
      /** True if the command has been undone or undoes another. Such a command cannot be undone. */
      isFinal?: boolean
    }
  | {
      kind: 'request'
      request: ClientRequest
      status: number
      /** Number of requests to send, of which the last one has `status`; 1 if omitted. */
      times?: number
      /** Id of the step whose fault answered the client's request; undefined for a request of this page. */
      faultStep?: number
    }
)

type RequestAction = Extract<RecordedAction, { kind: 'request' }>

/**
 * Returns the actions with a client's request inserted after the step whose fault answered the request. Any earlier request for
 * the same step is removed. Returns `actions` itself if the step is no longer among them.
 */
export function withFaultedRequest(
  actions: readonly RecordedAction[],
  request: Omit<RequestAction, 'world' | 'origin'>,
): readonly RecordedAction[] {
  const { faultStep } = request
  const remaining = actions.filter(
    (action) => action.kind !== 'request' || action.faultStep !== faultStep,
  )
  const at = remaining.findIndex(({ id }) => id === faultStep)
  const step = remaining[at]
  if (!step) return actions
  const { world, origin } = step
  return remaining.toSpliced(at + 1, 0, { ...request, world, origin })
}

export interface CodeContext {
  /** URL of the server, without a trailing slash. */
  origin: string
  world: string
  /** True if the control API needs a key, which the code reads from the environment. */
  needsKey: boolean
  /** True if clients other than this page have sent requests. */
  hasClient?: boolean
}

/** World that a test creates, like the shown world before the first step. */
export interface TestWorld {
  options: object
  /** Fixture files to load; empty if the server creates the world, or if no files are known. */
  files: readonly string[]
  /** Comment in the test: assumptions about the world, and earlier changes that the test leaves out. */
  note: string
  /**
   * Commands that set the policies and the world clock as before the first step, if they had changed since the data was loaded.
   * Options would not do, because a reset drops such changes but keeps options.
   */
  moves: readonly RecordedAction[]
}

export interface TestContext extends CodeContext, Omit<TestWorld, 'moves'> {}

/** Returns the world of a test that begins with an action. `isInProcess` is true if the library creates the world. */
export function testWorldOf(
  { origin, clocks, world }: RecordedAction,
  isInProcess: boolean,
  context: CodeContext,
): TestWorld {
  const now = clocks && new Date(clocks.worldMs).toISOString()
  const loaded = origin ? new Date(origin.loaded_at).toISOString() : now
  const hasMoved =
    clocks && loaded && Math.abs(clocks.worldMs - Date.parse(loaded)) >= SMALLEST_MOVE_MS
  const options = origin ? optionsOf(origin, isInProcess) : {}
  const policies = origin?.policies ?? {}
  const toMove = (sentence: string, command: Command): RecordedAction => ({
    id: 0,
    world,
    origin,
    clocks,
    kind: 'command',
    sentence: `${sentence} as before the first step`,
    command,
  })
  return {
    options: { ...options, ...(loaded && { now: loaded, frozen: clocks?.isFrozen ?? false }) },
    files: (isInProcess && origin?.fixtures) || [],
    note: [
      dataNote(origin, isInProcess, context.world),
      ...omissionNotes(origin),
      ...(context.hasClient
        ? ['Your client has sent requests, which the test does not repeat.']
        : []),
    ].join(' '),
    moves: [
      ...(Object.keys(policies).length > 0
        ? [toMove('Set the policies', { type: 'policy.set', policies })]
        : []),
      ...(hasMoved && now ? [toMove('Set the world clock', { type: 'clock.set', now })] : []),
    ],
  }
}

/** A smaller difference is not a move, because the page shows the clocks to the second. */
const SMALLEST_MOVE_MS = 1000

function optionsOf({ options, shared }: WorldOrigin, isInProcess: boolean): object {
  if (!isInProcess) return options
  return Object.fromEntries(
    Object.entries({ ...options, ...shared }).map(([name, value]) => [toCamelCase(name), value]),
  )
}

function toCamelCase(name: string): string {
  return name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}

function dataNote(origin: WorldOrigin | null, isInProcess: boolean, world: string): string {
  const isDefault = world === 'default'
  const { fixtures = null } = origin ?? {}
  if (fixtures?.length === 0) return 'The world on the screen, as it was before the first step.'
  if (!isInProcess && isDefault) return 'The world as the server loads it.'
  if (fixtures && isInProcess) return 'The paths are those that the server was given.'
  return `Add the fixtures of ${isDefault ? 'the server' : world}, which the page does not know.`
}

function omissionNotes(origin: WorldOrigin | null): string[] {
  const { restored = false, changes = 0 } = origin ?? {}
  return [
    ...(restored ? ['It was restored from a snapshot, which the test does not have.'] : []),
    ...(changes > 0 ? [`The test does not repeat earlier changes of it (${changes}).`] : []),
  ]
}

export type TestStep = RecordedAction & {
  /** For `clock.advance` after a 429: the refused request. The test sends it again, and advances by the Retry-After. */
  refused?: ClientRequest | undefined
}

/** Converts actions to the steps of a test in a new world, where the ids of faults start again. */
export function toSteps(actions: readonly RecordedAction[]): TestStep[] {
  const faults = new Map<number, number>()
  // The fault of the option `latency` has the id 1, so the ids of other faults begin at 2.
  const first = actions[0]?.origin?.shared['latency'] === undefined ? 1 : 2
  return actions.map((action, index) => {
    const sentence = toOneLine(action.sentence)
    if (action.kind === 'request')
      return { ...action, sentence, request: withOwnToken(action.request) }
    const { command } = action
    const before = actions[index - 1]
    const isWait = before?.kind === 'request' && before.status === 429 && isSkippedWait(command)
    if (command.type === 'fault.add')
      faults.set((action.result as { id: number }).id, faults.size + first)
    return {
      ...action,
      sentence,
      command:
        command.type === 'fault.remove'
          ? { ...command, id: faults.get(command.id) ?? command.id }
          : command,
      ...(isWait && { refused: withOwnToken(before.request) }),
    }
  })
}

/** Keeps names in the sentence from ending the test's comment or reversing the direction of its text. */
function toOneLine(sentence: string): string {
  return sentence.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** Suffixes that isolated worlds add to the bearer values of their fixtures. */
const SUFFIX = /(?:~w\d+-[0-9a-z]{16})+$/

function withOwnToken({ token, ...request }: ClientRequest): ClientRequest {
  return { ...request, token: token?.replace(SUFFIX, '') }
}

/** True if a command advances the clocks by a number of seconds, as only the skip of a wait for a rate window does. */
function isSkippedWait(command: Command): boolean {
  return command.type === 'clock.advance' && /^PT\d+S$/.test(String(command.by))
}
