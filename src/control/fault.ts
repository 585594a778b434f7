import { z } from 'zod'
import { Id } from '../contract/conventions.ts'
import { describe } from '../contract/describe.ts'
import { PLAIN_PROBLEMS, PROBLEMS } from '../contract/problems.ts'
import type { RecordReader } from '../contract/records.ts'
import { suggest } from '../contract/suggestion.ts'
import { atPlace } from '../contract/validation.ts'
import type { Problem, Validated } from '../contract/validation.ts'
import { Endpoint } from './endpoint.ts'
import { resolveSchedule, Schedule } from './fault-schedule.ts'
import { findToken } from './named-token.ts'

const MAXIMUM_WAIT_MS = 600_000
const MAXIMUM_RETRY_AFTER = 86_400

const Wait = z.int().min(0).max(MAXIMUM_WAIT_MS)

const ErrorStatus = z
  .literal(PLAIN_PROBLEMS.map((code) => PROBLEMS[code].status))
  .meta({ title: 'status that faults have' })

const RETRY_STATUSES: readonly number[] = [429, 503]

/** How the token is named in a fault, by schema: as people do, or by its id. */
function faultBy<Token extends z.ZodType>(token: Token) {
  const target = {
    endpoint: Endpoint.optional(),
    token: token.optional().describe('The token that asks; any where omitted'),
    project: Id.optional().describe('The id of the project in the path; any where omitted'),
    schedule: Schedule.optional().describe('Which of those requests; all where omitted'),
  }
  const kinds = [
    z
      .strictObject({
        kind: z.literal('status'),
        status: ErrorStatus,
        retry_after: z
          .int()
          .min(0)
          .max(MAXIMUM_RETRY_AFTER)
          .optional()
          .describe('Seconds in Retry-After, on 429 and 503; a 429 has 1 where omitted'),
        ...target,
      })
      .refine(
        ({ status, retry_after }) => retry_after === undefined || RETRY_STATUSES.includes(status),
        {
          path: ['retry_after'],
          error: `Retry-After goes with ${RETRY_STATUSES.join(' and ')} alone. Leave it out.`,
        },
      )
      .describe('An error in the form of the API, in place of its answer'),
    z
      .strictObject({
        kind: z.literal('html'),
        status: ErrorStatus.default(502),
        ...target,
      })
      .describe('The error page of a proxy in front of the API'),
    z
      .strictObject({ kind: z.literal('reset'), ...target })
      .describe('The connection is reset in place of an answer'),
    z
      .strictObject({ kind: z.literal('no-answer'), ...target })
      .describe('The connection stays open, and nothing is sent'),
    z
      .strictObject({
        kind: z.literal('latency'),
        ms: Wait.optional().describe('How long the answer is held back, in milliseconds'),
        min_ms: Wait.optional().describe('The least, where it is drawn; 0 where omitted'),
        max_ms: Wait.optional().describe('The most, where it is drawn by the seed of the world'),
        ...target,
      })
      .superRefine(({ ms, min_ms, max_ms }, context) => {
        const isFixed = ms !== undefined && min_ms === undefined && max_ms === undefined
        const isDrawn = ms === undefined && max_ms !== undefined && (min_ms ?? 0) <= max_ms
        if (isFixed || isDrawn) return
        const message = 'A latency is ms, or drawn from min_ms to max_ms. Write one of the two.'
        context.addIssue({ code: 'custom', message })
      })
      .describe('The answer is held back'),
    z
      .strictObject({
        kind: z.literal('slow-body'),
        ms: Wait.describe('How long the body takes altogether, in milliseconds'),
        ...target,
      })
      .describe('The body comes in pieces'),
    z
      .strictObject({ kind: z.literal('truncated-body'), ...target })
      .describe('The connection ends half-way through the body'),
    z
      .strictObject({ kind: z.literal('malformed-json'), ...target })
      .describe('The body comes whole, and its JSON cannot be read'),
  ] as const
  const names = kinds.map(({ shape }) => shape.kind.value)
  return z.discriminatedUnion('kind', kinds, {
    error: ({ input }) => {
      const kind: unknown = (input as { kind?: unknown } | null | undefined)?.kind
      if (typeof kind !== 'string') return `A fault has a kind. Use one of: ${names.join(', ')}.`
      return `${describe(kind)} is not a kind of fault. ${suggest(kind, names)}`
    },
  })
}

/** What befalls the answers to some requests, as people write it: its token by id, name or bearer value. */
export const Fault = faultBy(
  z.union([Id, z.string()], {
    error: ({ input }) => `${describe(input)} names no token. Write its id, name or bearer value.`,
  }),
)
export type Fault = z.output<typeof Fault>
/** A fault as it is sent. */
export type FaultInput = z.input<typeof Fault>

/** A fault as it is armed: its token by id, its times absolute. */
export const ArmedFault = faultBy(Id)
export type ArmedFault = z.output<typeof ArmedFault>

/** The world that a fault is armed in. */
interface Surroundings {
  records: RecordReader
  /** The world clock. */
  nowMs: number
}

/** A fault with what it names found in the world, or what there is not. */
export function resolveFault(
  fault: Fault,
  { records, nowMs }: Surroundings,
): Validated<ArmedFault> {
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
    const message = `${endpoint} is about no single project. Leave the project out, or choose an endpoint with {project}.`
    return [{ path: ['project'], message }]
  }
  if (records.get('projects', project)) return []
  return [{ path: ['project'], message: `There is no project ${project}. Write the id of one.` }]
}
