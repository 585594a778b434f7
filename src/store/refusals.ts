import type { CommandError } from '../world/command-error.ts'
import { worldNotFound } from '../world/worlds.ts'
import type { Waiting } from './call-queue.ts'
import { REFUSAL_SENTENCES, StoreError } from './store-error.ts'
import type { FinalRefusal, RefusedEntry } from './world-log.ts'

/** Answers those that the host refuses. */
export function rejectRefused(refused: readonly RefusedEntry[], own: Map<string, Waiting>): void {
  for (const { nonce, reason } of refused) {
    own.get(nonce)?.reject(new StoreError(reason, REFUSAL_SENTENCES[reason]))
    own.delete(nonce)
  }
}

/** Why a replica can't answer for a world. */
export function toError(refusal: FinalRefusal, world: string): CommandError | StoreError {
  if (refusal === 'missing') return worldNotFound(world)
  return new StoreError(
    'world_unavailable',
    'A newer release of seo-sandbox continues this world. Send the request to a server of that release.',
  )
}
