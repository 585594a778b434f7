import type { ClientRequest, Command, WorldOrigin } from '../api/types.ts'
import type { Undo } from '../api/undo.ts'
import type { ShownClocks } from '../state/shown-clocks.ts'

/** An action taken on this page, to be written as code. */
export type RecordedAction = {
  id: number
  /** Description in the past tense, without a full stop. */
  sentence: string
  /** Clocks before the action; null if they had not been read yet. */
  clocks: ShownClocks | null
  world: string
  /** Origin of the world; null if it had not been read yet. */
  origin: WorldOrigin | null
} & (
  | {
      kind: 'command'
      command: Command
      result?: unknown
      undo?: Undo | undefined
      /** True for a command that has been undone, and for a command that undoes another. */
      isFinal?: boolean
    }
  | {
      kind: 'request'
      request: ClientRequest
      status: number
      /** Number of times to send the request until it gets `status`; 1 if omitted. */
      times?: number
      /** Id of the step whose fault answered the client's request; undefined for a request of this page. */
      faultStep?: number
    }
)

type RequestAction = Extract<RecordedAction, { kind: 'request' }>

/**
 * Inserts a client's request after the step whose fault answered it, in place of an earlier request after that step. Returns the
 * actions unchanged if the step is gone, because it was undone while the request was being read.
 */
export function withFaultedRequest(
  actions: readonly RecordedAction[],
  request: Omit<RequestAction, 'world' | 'origin'>,
): readonly RecordedAction[] {
  const { faultStep } = request
  const others = actions.filter((one) => one.kind !== 'request' || one.faultStep !== faultStep)
  const at = others.findIndex(({ id }) => id === faultStep)
  const step = others[at]
  if (!step) return actions
  const { world, origin } = step
  return others.toSpliced(at + 1, 0, { ...request, world, origin })
}

export interface CodePlace {
  /** Address of the server, without a trailing slash. */
  origin: string
  world: string
  /** True if the control API needs its key; the code reads it from the environment. */
  needsKey: boolean
  /** True if clients other than this page have sent requests. */
  hasClient?: boolean
}

/** Start of a test: a world like the one on the screen before the first step. */
export interface Beginning {
  options: object
  /** Fixture files to load in addition to `options`; empty if the server supplied the data, or its source is unknown. */
  files: readonly string[]
  /** Assumptions and omissions of the test's world, in a sentence or two. */
  note: string
  /** Commands that set the clock of the test's world, if the clock had moved since the data was loaded. */
  moves: readonly RecordedAction[]
}

export interface TestPlace extends CodePlace, Omit<Beginning, 'moves'> {}

/** Returns the start of a test. `isInProcess` is true if the library creates the test's world, false if the server does. */
export function begin(
  { origin, clocks, world }: RecordedAction,
  isInProcess: boolean,
  place: CodePlace,
): Beginning {
  const now = clocks && new Date(clocks.worldMs).toISOString()
  const loaded = origin ? new Date(origin.loaded_at).toISOString() : now
  const hasMoved =
    clocks && loaded && Math.abs(clocks.worldMs - Date.parse(loaded)) >= SMALLEST_MOVE_MS
  const stated = origin ? statedBy(origin, isInProcess) : {}
  return {
    options: { ...stated, ...(loaded && { now: loaded, frozen: clocks?.isFrozen ?? false }) },
    files: (isInProcess && origin?.fixtures) || [],
    note: [
      dataNote(origin, isInProcess, place.world),
      ...lackNotes(origin),
      ...(place.hasClient
        ? ['Your client has sent requests, which the test does not repeat.']
        : []),
    ].join(' '),
    moves:
      hasMoved && now
        ? [
            {
              id: 0,
              world,
              origin,
              clocks,
              kind: 'command',
              sentence: 'Set the world clock to where it stood before the first step',
              command: { type: 'clock.set', now },
            },
          ]
        : [],
  }
}

/** Smallest move that the clocks on the page can show, in milliseconds. */
const SMALLEST_MOVE_MS = 1000

function statedBy({ options, shared }: WorldOrigin, isInProcess: boolean): object {
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

function lackNotes(origin: WorldOrigin | null): string[] {
  const { restored = false, changes = 0 } = origin ?? {}
  const often = changes === 1 ? 'once' : `${changes} times`
  return [
    ...(restored ? ['It was restored from a snapshot, which the test does not have.'] : []),
    ...(changes > 0
      ? [`It had been changed ${often} before, which the test does not repeat.`]
      : []),
  ]
}

export type TestStep = RecordedAction & {
  /** For `clock.advance`: the request refused with a 429 whose Retry-After gives the duration. */
  refused?: ClientRequest | undefined
}

/** Prepares the actions for a new world, in which rate windows and the ids of faults start again. */
export function toSteps(actions: readonly RecordedAction[]): TestStep[] {
  const faults = new Map<number, number>()
  // In a world with the option `latency`, the first fault is that latency.
  const first = actions[0]?.origin?.shared['latency'] === undefined ? 1 : 2
  return actions.map((action, index) => {
    const sentence = toOneLine(action.sentence)
    if (action.kind === 'request')
      return { ...action, sentence, request: withOwnToken(action.request) }
    const { command } = action
    const before = actions[index - 1]
    const isWait = before?.kind === 'request' && before.status === 429 && isInSeconds(command)
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

/** Puts a sentence on one line. A name from the world must not end the comment or change the direction of its text. */
function toOneLine(sentence: string): string {
  return sentence.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** Suffixes that isolated worlds add to the bearer values of their fixtures. */
const SUFFIX = /(?:~w\d+-[0-9a-z]{16})+$/

function withOwnToken({ token, ...request }: ClientRequest): ClientRequest {
  return { ...request, token: token?.replace(SUFFIX, '') }
}

/** True if a command advances the clocks by whole seconds, which only waiting for a rate window does. */
function isInSeconds(command: Command): boolean {
  return command.type === 'clock.advance' && /^PT\d+S$/.test(String(command.by))
}
