import { CommandError } from '../world/command-error.ts'

/** Why a store has no room for a change: the world takes as much as its host allows, or the store is nearly full. */
export type Fullness = 'world_full' | 'store_full'

/** A change for which a store has no room. Requests of the API always have it. */
export class StoreFullError extends CommandError {
  /** How much the world may take. */
  readonly maximumBytes: number

  constructor(fullness: Fullness, maximumBytes: number) {
    const message =
      fullness === 'world_full'
        ? `A world takes at most ${maximumBytes} bytes of the store on this host, and this would be more. Reset it, clear its journal or delete records, or ask its operator for more.`
        : 'The store of this host is nearly full: it only takes requests to the API, and changes that delete something. Reset this world, clear its journal or delete records, or ask its operator for more.'
    super('insufficient_memory', [{ path: [], message }])
    this.maximumBytes = maximumBytes
  }
}

export function isFullness(status: unknown): status is Fullness {
  return status === 'world_full' || status === 'store_full'
}
