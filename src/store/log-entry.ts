import type { ApiRequest } from '../engine/messages.ts'
import { headerIn } from '../engine/raw-headers.ts'
import type { Change } from '../world/change.ts'
import { LargeInput } from '../world/large-input.ts'
import type { Seed } from '../fixtures/seed.ts'
import { invalidCommand } from '../world/command-error.ts'

/** What was sent to a world, as plain JSON: whatever changes it, or has the review of a version begin again. */
export type LogEntry = { request: LoggedRequest } | LoggedChange | { review: number }

/** A request without what is computed of it. */
export type LoggedRequest = [
  method: string,
  path: string,
  query: string,
  clientIp: string,
  origin: string,
  headers: readonly string[],
]

/** A change; what it loads is stored once, under its digest. */
export interface LoggedChange {
  change: Change
  /** Of fixtures or a scenario that it loads: the seed, and the names of the files. */
  loads?: { seed: string; files?: readonly string[] | undefined }
  /** The snapshot that it restores. */
  restores?: string
}

export function toLoggedRequest(request: ApiRequest): LoggedRequest {
  const { method, path, query, clientIp, origin, headers = [] } = request
  return [method, path, query, clientIp, origin, headers]
}

export function toApiRequest(logged: LoggedRequest): ApiRequest {
  const [method, path, query, clientIp, origin, headers] = logged
  return {
    method,
    path,
    query,
    clientIp,
    origin,
    headers,
    header: (name) => headerIn(headers, name),
  }
}

/** Fixtures that the replica that received them has read. */
export class ReadFixtures extends LargeInput {
  override readonly fileNames: readonly string[] | undefined
  readonly #seed: Seed

  constructor(seed: Seed, fileNames: readonly string[] | undefined) {
    super()
    this.#seed = seed
    this.fileNames = fileNames
  }

  override readSeed(): Promise<Seed> {
    return Promise.resolve(this.#seed)
  }

  override readSnapshot(): Promise<never> {
    throw invalidCommand({ path: ['snapshot'], message: 'These are fixtures, and no snapshot.' })
  }
}
