import type { ProblemCode } from '../contract/problems.ts'

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
  status: number
  headers: Record<string, string>
  /** The bytes of the body; what a HEAD request is spared is for the adapter to leave out. */
  body: Uint8Array<ArrayBuffer>
  /** The name of the token that asked; undefined where it is unknown. For logs. */
  caller: string | undefined
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
