import type { PolicyName } from '../contract/policies.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { WireFault } from '../contract/wire-fault.ts'
import type { WindowName } from './rate-windows.ts'

/** A request as plain data. Adapters make it; the engine answers it. */
export interface ApiRequest {
  method: string
  /** The path as sent, from the root, percent-encoding and all. */
  path: string
  /** The query as sent, without the question mark. */
  query: string
  /** A header's value, several joined by a comma; undefined where it was not sent. `name` is lower-case. */
  header: (name: string) => string | undefined
  /** The address the request came from. */
  clientIp: string
  /** Scheme and host as the client named them, like `http://localhost:4010`. */
  origin: string
}

/** An answer as plain data. */
export interface ApiResponse {
  /** 0 where no answer arrives, for the connection is reset or nothing is ever sent. */
  status: number
  /** Not to be changed: answers of one second may share them. */
  headers: Readonly<Record<string, string>>
  /** The bytes of the body; what a HEAD request is spared is for the adapter to leave out. */
  body: Uint8Array<ArrayBuffer>
  /** The name of the token that asked; undefined where it is unknown. For logs. */
  caller: string | undefined
  /** Why it is no 200; nothing where it is one, or where a fault gave it. */
  problem?: ProblemCode | undefined
  /** The rate-limit windows that rejected the request. */
  exhausted?: readonly WindowName[]
  /** The policies that it rests on, in the order asked. */
  policies?: readonly PolicyName[]
  /** What happens to it on its way, which is for the adapter to act out; nothing where omitted. */
  wire?: WireFault | undefined
  /** The ids of the faults that had a part in it, in the order armed; none where omitted. */
  faults?: readonly number[]
}

/** What an operation comes to: a body for the 200, or a problem. */
export type Outcome = { body: object } | Refusal

export interface Refusal {
  problem: ProblemCode
  /** Names that the body must list (specification 4.3(1)). */
  allowedParameters?: readonly string[]
}

export function refuse(problem: ProblemCode): Refusal {
  return { problem }
}
