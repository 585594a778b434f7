import type { z } from 'zod'
import type { OperationId } from '../../contract/operations.ts'
import type { PolicyName } from '../../contract/policies.ts'
import type { ProblemCode } from '../../contract/problems.ts'
import type { WireFault } from '../../contract/wire-fault.ts'
import type { ApiResponse } from '../../engine/messages.ts'
import type { Random } from '../../records/random.ts'

/** A request that faults affect, and how the API would respond to it. */
export interface AffectedRequest {
  operation: OperationId | undefined
  /** The rate clock, in epoch milliseconds. */
  rateMs: number
  /** The policies by which its token was identified. */
  identifiedBy: readonly PolicyName[]
  /** The API's own response, which counts the request. */
  answer: () => ApiResponse
  /** The API's response where it refuses a request before it counts. */
  reject: (problem: ProblemCode) => ApiResponse
}

export type FaultFields = Readonly<Record<string, z.core.$ZodType>>

/** The settings of a fault: its own fields, and the token that it is meant for. */
type SettingsOf<Fields extends FaultFields> = z.output<z.ZodObject<Fields>> & {
  token?: number | undefined
}

/**
 * What a fault does; a kind does exactly one of these. Most of what goes wrong on the wire is a `WireFault`,
 * which every adapter acts out.
 */
export type Effect<Settings> =
  | {
      /** Responds in place of the API, which the request does not reach. */
      replaces: (fault: Settings, request: AffectedRequest) => ApiResponse
      /** Whether that response has a body, so that faults of the body can affect it. */
      hasBody: boolean
    }
  | {
      /** Changes a response. */
      alters: (response: ApiResponse, fault: Settings, random: Random) => ApiResponse
      /** Whether it changes nothing but the body, and so nothing where there is none. */
      needsBody: boolean
    }

export interface Specification<Kind extends string, Fields extends FaultFields> {
  kind: Kind
  /** What it does: a phrase for the documentation. */
  description: string
  /** What it takes beside its kind and what every fault takes. */
  fields: Fields
  /** Adds issues for fields that do not fit together. */
  check?: (fault: z.output<z.ZodObject<Fields>>, context: z.RefinementCtx) => void
}

/** Defines a kind of fault: everything that there is to know of it. */
export function defineFaultKind<const Kind extends string, Fields extends FaultFields>(
  specification: Specification<Kind, Fields> & Effect<SettingsOf<Fields>>,
) {
  return specification
}

/** Any kind of fault, as those that deal with all of them see it. */
export type FaultKind = Omit<Specification<string, FaultFields>, 'check'> & {
  check?: (fault: never, context: z.RefinementCtx) => void
} & Effect<never>

/** A response with more of a wire fault. */
export function withWire(response: ApiResponse, wire: WireFault): ApiResponse {
  return { ...response, wire: { ...response.wire, ...wire } }
}
