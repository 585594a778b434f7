import type { ClientRequest, Command, WorldOrigin } from '../api/types.ts'
import type { Undo } from '../api/undo.ts'
import type { ShownClocks } from '../state/shown-clocks.ts'

/** Something that was done in this page, to be written as code. */
export type RecordedAction = {
  id: number
  /** In the past tense, without a full stop. */
  sentence: string
  /** The clocks before it; null where they were not read yet. */
  clocks: ShownClocks | null
  /** The id of the world in which it was done. */
  world: string
  /** How that world was created; null where that was not read yet. */
  origin: WorldOrigin | null
} & (
  | {
      kind: 'command'
      command: Command
      /** What the command answered with. */
      result?: unknown
      /** What takes it back; undefined where nothing does. */
      undo?: Undo | undefined
    }
  | {
      kind: 'request'
      request: ClientRequest
      status: number
      /** How often it has to be sent for that status; once if omitted. */
      times?: number
    }
)

/** Where the code runs. */
export interface CodePlace {
  /** Scheme, host and port of this server. */
  origin: string
  /** The id of the world that is shown. */
  world: string
  /** Whether the control API needs its key, which code reads from the environment. */
  needsKey: boolean
  /** Whether others than this page have sent requests. */
  hasClient?: boolean
}

/** How a test begins: its world as it was on the screen before the first step. */
export interface Beginning {
  /** What the world of the test is created with. */
  options: object
  /** The fixture files that it loads besides; none where their data is the server's or not known. */
  files: readonly string[]
  /** What that presumes, in a sentence or two. */
  note: string
  /** Sets its clock, where that had moved; data is as of when it was loaded. */
  moves: readonly RecordedAction[]
}

/** Where a test runs, and begins. */
export interface TestPlace extends CodePlace, Omit<Beginning, 'moves'> {}

/** `isInProcess` is whether a library creates the world, rather than the server that is shown. */
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

/** Clocks are shown to the second. */
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

/** Where the data of the test's world comes from, where the code does not say it all. */
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
  return [
    ...(restored ? ['It was restored from a snapshot, which the test does not have.'] : []),
    ...(changes > 0
      ? [
          changes === 1
            ? 'It had been changed once before, which the test does not repeat.'
            : `It had been changed ${changes} times before, which the test does not repeat.`,
        ]
      : []),
  ]
}

/** An action as a line or a few of a test. */
export type TestStep = RecordedAction & {
  /** For `clock.advance`: what got a 429, whose Retry-After says by how much. */
  refused?: ClientRequest | undefined
}

/** The actions as they hold in a world of their own, where rate windows and the ids of faults begin again. */
export function toSteps(actions: readonly RecordedAction[]): TestStep[] {
  const faults = new Map<number, number>()
  // The latency of a world is its first fault.
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

/** A sentence may have names of the world's records, which must not end its comment or change its direction. */
function toOneLine(sentence: string): string {
  return sentence.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** What an isolated world adds to the bearer values of its fixtures. */
const SUFFIX = /(?:~w\d+-[0-9a-z]{16})+$/

function withOwnToken({ token, ...request }: ClientRequest): ClientRequest {
  return { ...request, token: token?.replace(SUFFIX, '') }
}

/** Only the rest of a rate window is waited for in seconds. */
function isInSeconds(command: Command): boolean {
  return command.type === 'clock.advance' && /^PT\d+S$/.test(String(command.by))
}
