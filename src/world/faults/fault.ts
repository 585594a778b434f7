import { z } from 'zod'
import { AbsoluteDateTime, DateTimeInput, Id } from '../../contract/conventions.ts'
import type { RecordReader } from '../../contract/records.ts'
import { parseEndpoint } from '../../contract/routes.ts'
import { suggest } from '../../contract/suggestion.ts'
import { describe } from '../../contract/text.ts'
import { resolveDateTime } from '../../contract/time.ts'
import { atPlace } from '../../contract/validation.ts'
import type { Validated, Problem } from '../../contract/validation.ts'
import { findToken } from '../../records/bearer-tokens.ts'
import type { FaultFields, FaultKind } from './fault-kind.ts'
import { FAULT_KINDS } from './index.ts'

const Count = z.int().min(1)

/** The forms of a schedule, each with its fields. */
const FORMS = [['first'], ['every'], ['nth'], ['from', 'until'], ['share']] as const

/** Creates the schema of schedules. `time` is the schema of their times. */
function scheduleBy(time: z.ZodType<string>) {
  const shape = {
    first: Count.optional().describe('Affects this many requests, from the first on'),
    every: Count.optional().describe('Affects each request at a multiple of this number'),
    nth: Count.optional().describe('Affects only the request at this number'),
    from: time.optional().describe('Affects requests from this time of the world clock on'),
    until: time.optional().describe('Affects requests before this time of the world clock'),
    share: z
      .number()
      .gt(0)
      .max(1)
      .optional()
      .describe(
        'Affects this share of the requests, above 0 and up to 1, chosen at random from the seed of the world: always the same ones',
      ),
  }
  return z.strictObject(shape).superRefine((schedule, context) => {
    const used = FORMS.filter((fields) => fields.some((field) => schedule[field] !== undefined))
    if (used.length === 1) return
    const message = `A schedule has one form. Use one of: ${FORMS.map((fields) => fields.join(' and ')).join(', ')}.`
    context.addIssue({ code: 'custom', message })
  })
}

/** Condition for a fault to affect a request that it targets. A fault without a schedule affects all the requests it targets. */
export const Schedule = scheduleBy(DateTimeInput)
export type Schedule = z.output<typeof Schedule>

/** The schedule of an armed fault: its times are absolute. */
export const ArmedSchedule = scheduleBy(AbsoluteDateTime)

/**
 * Makes the times of a schedule absolute. `nowMs` is the time of the world clock. Returns a problem if `until` is not after
 * `from`.
 */
function resolveSchedule(schedule: Schedule, nowMs: number): Validated<Schedule> {
  const resolved = { ...schedule }
  if (schedule.from !== undefined) resolved.from = resolveDateTime(schedule.from, nowMs)
  if (schedule.until !== undefined) resolved.until = resolveDateTime(schedule.until, nowMs)
  const { from, until } = resolved
  if (from === undefined || until === undefined || from < until) return { value: resolved }
  const message = `${until} is not after ${from}, where it begins. Write a later time.`
  return { problems: [{ path: ['until'], message }] }
}

/** An endpoint by its method and path, its path alone, or its operation id. */
export const Endpoint = z
  .string()
  .transform((text, context) => {
    const endpoint = parseEndpoint(text)
    if ('value' in endpoint) return endpoint.value
    for (const { message } of endpoint.problems) context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
  .describe('An endpoint, like `GET /projects/{project}`; any if omitted')

/** Returns the schemas of the fields that select the requests of a fault. All kinds of faults have these fields. */
function targetBy<Token extends z.ZodType>(token: Token, schedule: typeof Schedule) {
  return {
    endpoint: Endpoint.optional(),
    token: token.optional().describe('The token of the request; any if omitted'),
    project: Id.optional().describe('The id of the project in the path; any if omitted'),
    schedule: schedule.optional().describe('Selection among those requests; all if omitted'),
  }
}

type TargetBy<Token extends z.ZodType> = ReturnType<typeof targetBy<Token>>

type SchemaOf<Kind, Token extends z.ZodType> = Kind extends {
  kind: infer Name extends string
  fields: infer Fields extends FaultFields
}
  ? z.ZodObject<{ kind: z.ZodLiteral<Name> } & Fields & TargetBy<Token>, z.core.$strict>
  : never

type SchemasOf<Kinds extends readonly unknown[], Token extends z.ZodType> = {
  -readonly [Index in keyof Kinds]: SchemaOf<Kinds[Index], Token>
}

const KIND_NAMES = FAULT_KINDS.map(({ kind }) => kind)

/** Returns the schema of all kinds of faults. `token` and `schedule` are the schemas of the fields with these names. */
function faultBy<Token extends z.ZodType>(token: Token, schedule: typeof Schedule) {
  const target = targetBy(token, schedule)
  const kinds = FAULT_KINDS.map((definition) => {
    const { kind, fields, description, check }: FaultKind = definition
    const schema = z.strictObject({ kind: z.literal(kind), ...fields, ...target })
    const checked = check
      ? schema.superRefine(check as (fault: unknown, context: z.RefinementCtx) => void)
      : schema
    return checked.describe(description)
  })
  return z.discriminatedUnion('kind', kinds as unknown as SchemasOf<typeof FAULT_KINDS, Token>, {
    error: ({ input }) => {
      const kind: unknown = (input as { kind?: unknown } | null | undefined)?.kind
      if (typeof kind !== 'string')
        return `A fault has a kind. Use one of: ${KIND_NAMES.join(', ')}.`
      return `${describe(kind)} is not a kind of fault. ${suggest(kind, KIND_NAMES)}`
    },
  })
}

/** A user's fault after validation: its token by id, name or bearer value, its times as the user wrote them. */
export const Fault = faultBy(
  z.union([Id, z.string()], {
    error: ({ input }) => `${describe(input)} names no token. Write its id, name or bearer value.`,
  }),
  Schedule,
)
export type Fault = z.output<typeof Fault>
/** A fault as the user passes it, before validation. */
export type FaultInput = z.input<typeof Fault>

/** An armed fault: its token by id, its times absolute. */
export const ArmedFault = faultBy(Id, ArmedSchedule)
export type ArmedFault = z.output<typeof ArmedFault>

interface FaultWorld {
  records: RecordReader
  /** The world clock in epoch milliseconds. */
  nowMs: number
}

/**
 * Resolves the token and the times of a fault in a world. Returns problems for a token or project that does not exist there,
 * for a project with an endpoint that has no `{project}`, and for a schedule whose end is not after its beginning.
 */
export function resolveFault(fault: Fault, { records, nowMs }: FaultWorld): Validated<ArmedFault> {
  const { token: named, schedule, ...rest } = fault
  const token = named === undefined ? { value: undefined } : findToken(named, records)
  const times = schedule ? resolveSchedule(schedule, nowMs) : { value: undefined }
  const problems = [
    ...('problems' in token ? token.problems : []),
    ...projectProblems(fault, records),
    ...('problems' in times ? atPlace(['schedule'], times.problems) : []),
  ]
  if ('problems' in token || 'problems' in times || problems.length > 0) return { problems }
  return {
    value: {
      ...rest,
      ...(token.value !== undefined && { token: token.value }),
      ...(times.value && { schedule: times.value }),
    },
  }
}

function projectProblems({ project, endpoint }: Fault, records: RecordReader): Problem[] {
  if (project === undefined) return []
  if (endpoint !== undefined && !endpoint.includes('{project}')) {
    const message = `${endpoint} is not about a single project. Leave the project out, or choose an endpoint with {project}.`
    return [{ path: ['project'], message }]
  }
  if (records.get('projects', project)) return []
  return [{ path: ['project'], message: `There is no project ${project}. Write the id of one.` }]
}
