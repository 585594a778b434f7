import { z } from 'zod'
import { Id } from '../../contract/conventions.ts'
import { describe } from '../../contract/text.ts'
import { Endpoint } from '../../contract/endpoint-input.ts'
import type { RecordReader } from '../../contract/records.ts'
import { suggest } from '../../contract/suggestion.ts'
import { atPlace } from '../../contract/validation.ts'
import type { Problem, Validated } from '../../contract/validation.ts'
import { findToken } from '../../records/bearer-tokens.ts'
import type { FaultFields, FaultKind } from './fault-kind.ts'
import { FAULT_KINDS } from './index.ts'
import { ArmedSchedule, resolveSchedule, Schedule } from './schedule.ts'

/** The fields of every fault: the requests that it targets, with these schemas. */
function targetBy<Token extends z.ZodType>(token: Token, schedule: typeof Schedule) {
  return {
    endpoint: Endpoint.optional(),
    token: token.optional().describe('The token of the request; any where omitted'),
    project: Id.optional().describe('The id of the project in the path; any where omitted'),
    schedule: schedule.optional().describe('Which of those requests; all where omitted'),
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

/** The schema of faults, with these schemas for the token and the schedule. */
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

/** A fault as users write it: its token by id, name or bearer value. */
export const Fault = faultBy(
  z.union([Id, z.string()], {
    error: ({ input }) => `${describe(input)} names no token. Write its id, name or bearer value.`,
  }),
  Schedule,
)
export type Fault = z.output<typeof Fault>
/** A fault as it is sent. */
export type FaultInput = z.input<typeof Fault>

/** A fault as it is armed: its token by id, its times absolute. */
export const ArmedFault = faultBy(Id, ArmedSchedule)
export type ArmedFault = z.output<typeof ArmedFault>

/** The world that a fault is armed in. */
interface FaultWorld {
  records: RecordReader
  /** The world clock in epoch milliseconds. */
  nowMs: number
}

/** Resolves the token and the times of a fault in a world; problems for what does not exist there. */
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
