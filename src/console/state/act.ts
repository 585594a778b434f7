import type { ClientRequest, Command, WorldOrigin } from '../api/types.ts'
import type { Undo } from '../api/undo.ts'
import type { Clocks } from './clock.ts'

/** Something that was done in this page, to be written as code. */
export type Act = {
  id: number
  /** In the past tense, without a full stop. */
  sentence: string
  /** The clocks before it; null where they were not read yet. */
  clocks: Clocks | null
  /** The id of the world in which it was done. */
  world: string
  /** How that world was created; null where that was not read yet. */
  origin: WorldOrigin | null
} & (
  | {
      kind: 'command'
      command: Command
      /** What the command answered with. */
      result?: unknown
      /** What takes it back; undefined where nothing does. */
      undo?: Undo | undefined
    }
  | {
      kind: 'request'
      request: ClientRequest
      status: number
      /** How often it has to be sent for that status; once if omitted. */
      times?: number
    }
)
