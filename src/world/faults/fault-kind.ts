import type { z } from 'zod'
import type { OperationId } from '../../contract/routes.ts'
import type { PolicyName } from '../../contract/policies.ts'
import type { ProblemCode } from '../../contract/problems.ts'
import type { WireFault } from '../../contract/wire-fault.ts'
import type { ApiResponse } from '../../engine/messages.ts'
import type { Random } from '../../records/random.ts'

/** A request that faults affect, with the API's own responses to it. */
export interface AffectedRequest {
  operation: OperationId | undefined
  /** The rate clock, in epoch milliseconds. */
  rateMs: number
  /** Policies that the identification of the token depends on. */
  identifiedBy: readonly PolicyName[]
  /** Returns the API's own response, and counts the request. */
  answer: () => ApiResponse
  /** Returns the API's response for a problem, without counting the request. */
  reject: (problem: ProblemCode) => ApiResponse
}

export type FaultFields = Readonly<Record<string, z.core.$ZodType>>

/** The settings of a fault: its own fields, and the token that it targets. */
type SettingsOf<Fields extends FaultFields> = z.output<z.ZodObject<Fields>> & {
  token?: number | undefined
}

/**
 * Effect of a kind of fault: it either replaces or alters the response. Effects on the wire are a `WireFault`, which every
 * adapter carries out.
 */
export type Effect<Settings> =
  | {
      /** Returns a response in place of the API, which does not see the request. */
      replaces: (fault: Settings, request: AffectedRequest) => ApiResponse
      /** True if the returned response has a body, which other faults can then affect. */
      hasBody: boolean
    }
  | {
      alters: (response: ApiResponse, fault: Settings, random: Random) => ApiResponse
      /** True if the fault changes only the body, so that it has no effect on a response without one. */
      needsBody: boolean
      /** True if the response arrives unchanged, only later. */
      onlyDelays?: true
    }

export interface Specification<Kind extends string, Fields extends FaultFields> {
  kind: Kind
  /** Effect of the kind, as a phrase for the documentation. */
  description: string
  /** Fields besides `kind` and the fields of every fault. */
  fields: Fields
  /** Adds an issue if the fields do not fit together. */
  check?: (fault: z.output<z.ZodObject<Fields>>, context: z.RefinementCtx) => void
}

export function defineFaultKind<const Kind extends string, Fields extends FaultFields>(
  specification: Specification<Kind, Fields> & Effect<SettingsOf<Fields>>,
) {
  return specification
}

/** Any kind of fault, for code that handles all of them. */
export type FaultKind = Omit<Specification<string, FaultFields>, 'check'> & {
  check?: (fault: never, context: z.RefinementCtx) => void
} & Effect<never>

export function withWire(response: ApiResponse, wire: WireFault): ApiResponse {
  return { ...response, wire: { ...response.wire, ...wire } }
}

/** Returns a placeholder for a response of which nothing arrives. */
export function noResponse({ reject }: AffectedRequest, wire: WireFault): ApiResponse {
  const { caller } = reject('gateway_timeout')
  return { status: 0, headers: {}, body: new Uint8Array(), caller, wire }
}
