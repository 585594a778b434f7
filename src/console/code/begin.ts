import type { WorldOrigin } from '../api/types.ts'
import type { Act } from '../state/act.ts'
import type { CodePlace } from './code-place.ts'

/** How a test begins: its world as it was on the screen before the first step. */
export interface Beginning {
  /** What the world of the test is created with. */
  options: object
  /** The fixture files that it loads besides; none where their data is the server's or not known. */
  files: readonly string[]
  /** What that presumes, in a sentence or two. */
  note: string
  /** Sets its clock, where that had moved; data is as of when it was loaded. */
  moves: readonly Act[]
}

/** Where a test runs, and begins. */
export interface TestPlace extends CodePlace, Omit<Beginning, 'moves'> {}

/** `isInProcess` is whether a library creates the world, rather than the server that is shown. */
export function begin(
  { origin, clocks, world }: Act,
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
