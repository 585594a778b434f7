import type { Seed } from '../fixtures/seed.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import type { CommandDefinition } from './commands/command.ts'

/** An applied command, for the subscribers of a world. */
export interface CommandEvent {
  definition: CommandDefinition
  /** The command as it was sent. */
  command: Record<string, unknown>
  /** The seed that it loaded; undefined for a command that loads nothing. */
  seed: Seed | undefined
  /** Its place among all requests and commands of its world. */
  sequence: number
  /** When it began, by the machine's clock in epoch milliseconds. */
  atMs: number
}

/** Is notified of everything that can change a world. */
export interface WorldSubscriber {
  onRequest?: (request: RecordedRequest) => void
  onCommand?: (command: CommandEvent) => void
  /** Whether it keeps the requests that it receives, so that the journal must not reuse them. */
  readonly keepsRequests?: boolean
}
