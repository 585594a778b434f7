import { z } from 'zod'
import { COLLECTION_NAMES } from '../contract/records.ts'
import { describe } from '../contract/describe.ts'
import { DateTimeInput } from '../contract/moments.ts'
import { suggest } from '../contract/suggestion.ts'
import { parseDuration } from '../engine/duration.ts'
import { PolicySettings } from '../contract/policies.ts'
import { Fault } from './fault.ts'
import { SnapshotInput } from './snapshots.ts'

const CollectionName = z.enum(COLLECTION_NAMES).meta({ title: 'collection' })
const RecordId = z.int().describe('The id of the record')
/** Zod leaves out a key `__proto__` unasked; it is refused instead, as any unknown field is. */
const Fields: z.ZodType<Record<string, unknown>, Record<string, unknown>> = z.preprocess(
  (input, context) => {
    if (typeof input === 'object' && input !== null && Object.hasOwn(input, '__proto__')) {
      const message = '"__proto__" is not a field here. Leave it out.'
      context.addIssue({ code: 'custom', path: ['__proto__'], message })
    }
    return input
  },
  z.record(z.string(), z.unknown()),
)

function isObjectOrText(input: unknown): boolean {
  return (
    typeof input === 'string' ||
    (typeof input === 'object' && input !== null && !Array.isArray(input))
  )
}

function notADuration(input: unknown): string {
  return `${describe(input)} is not a duration to move on by. Write ISO 8601 like PT30S, P1D or P1M, or whole milliseconds; never negative ones.`
}

/** How far to move on: an ISO 8601 duration, or milliseconds. Never back. */
export const DurationInput = z
  .union([z.int().nonnegative(), z.string()], { error: ({ input }) => notADuration(input) })
  .transform((by, context) => {
    const duration = typeof by === 'number' ? { months: 0, ms: by } : parseDuration(by)
    if (duration) return duration
    context.addIssue({ code: 'custom', message: notADuration(by) })
    return z.NEVER
  })

/** Fixtures in a body: they are read, and what is wrong with them told, where they are loaded. */
export const FixturesInput = z
  .custom<string | object>(isObjectOrText, {
    error: ({ input }) =>
      `${describe(input)} is no fixtures. Send an object, a YAML text, or { files: [{ name, text }] }.`,
  })
  .meta({
    description: 'A fixture as an object or as a YAML text, or `{ files: [{ name, text }] }`',
    type: ['object', 'string'],
  })

const MAXIMUM_FAULTS = 1000

/** Every change of a world, as plain JSON. */
const COMMANDS = [
  z
    .strictObject({ type: z.literal('reset') })
    .describe(
      'Everything as created: records, both clocks, policies, faults, rate windows, journal',
    ),
  z
    .strictObject({ type: z.literal('clock.set'), now: DateTimeInput })
    .describe('Re-dates the world clock; the rate clock stays'),
  z
    .strictObject({ type: z.literal('clock.advance'), by: DurationInput })
    .describe('Moves both clocks on'),
  z
    .strictObject({ type: z.literal('clock.freeze'), frozen: z.boolean().default(true) })
    .describe('Stops the world clock, or lets it run on'),
  z
    .strictObject({ type: z.literal('record.put'), collection: CollectionName, record: Fields })
    .describe('Adds a record, or replaces the one with its id'),
  z
    .strictObject({
      type: z.literal('record.patch'),
      collection: CollectionName,
      id: RecordId,
      patch: Fields,
    })
    .describe('Replaces some fields of a record; null removes an optional one'),
  z
    .strictObject({ type: z.literal('record.delete'), collection: CollectionName, id: RecordId })
    .describe('Removes a record; a project with its keywords and reports'),
  z
    .strictObject({ type: z.literal('policy.set'), policies: PolicySettings })
    .describe('Sets policies, by name or id, until a reset'),
  z
    .strictObject({ type: z.literal('fault.add'), fault: Fault })
    .describe('Arms a fault beside those there are'),
  z
    .strictObject({ type: z.literal('fault.set'), faults: z.array(Fault).max(MAXIMUM_FAULTS) })
    .describe('Arms these faults in place of those there are; none for an empty list'),
  z
    .strictObject({ type: z.literal('fault.remove'), id: z.int().describe('The id of the fault') })
    .describe('Disarms a fault'),
  z
    .strictObject({ type: z.literal('journal.clear') })
    .describe('Forgets the requests so far; the commands stay'),
  z
    .strictObject({
      type: z.literal('scenario.load'),
      scenario: z.string().describe('The name of a scenario'),
    })
    .describe('The world of a scenario, until a reset'),
  z
    .strictObject({
      type: z.literal('fixtures.load'),
      fixtures: FixturesInput,
    })
    .describe('Other fixtures, also for a reset; both clocks and the rate windows go on'),
  z
    .strictObject({ type: z.literal('snapshot.restore'), snapshot: SnapshotInput })
    .describe('The world as a snapshot has it; it goes on from there'),
] as const

const COMMAND_TYPES = COMMANDS.map(({ shape }) => shape.type.value)

/** A command with its schema (design, commands). */
export const Command = z.discriminatedUnion('type', COMMANDS, {
  error: ({ input }) => {
    const type: unknown = (input as { type?: unknown } | null | undefined)?.type
    if (typeof type !== 'string')
      return `A command has a type. Use one of: ${COMMAND_TYPES.join(', ')}.`
    return `"${type}" is not a command. ${suggest(type, COMMAND_TYPES)}`
  },
})
/** A command as it is sent. */
export type Command = z.input<typeof Command>
export type CommandType = Command['type']
/** The commands that move time. */
export type ClockCommand = Extract<Command, { type: `clock.${string}` }>
/** A command as it is applied: checked, its duration read. */
export type CheckedCommand = z.output<typeof Command>
