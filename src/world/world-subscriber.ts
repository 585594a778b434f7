import type { RecordedRequest } from '../journal/recorded-request.ts'
import type { CommandDefinition, Loaded } from './commands/command.ts'

/** An applied command, for the subscribers of a world. */
export interface CommandEvent {
  definition: CommandDefinition
  /** The command as it was sent. */
  command: Record<string, unknown>
  /** What it returned. */
  result: unknown
  loaded: Loaded | undefined
  /** Its place among all requests and commands of its world. */
  sequence: number
  /** When it began, by the machine's clock in epoch milliseconds. */
  atMs: number
}

/** Is notified of everything that can change a world. */
export interface WorldSubscriber {
  onRequest?: (request: RecordedRequest) => void
  /** Called when the last byte of a response was sent, where that is observed. */
  onResponseEnd?: (request: RecordedRequest) => void
  /** Called before a command, while the world is still as it was. */
  onBeforeCommand?: (definition: CommandDefinition) => void
  onCommand?: (command: CommandEvent) => void
  /** Whether it keeps the requests that it receives, so that the journal must not reuse them. */
  readonly keepsRequests?: boolean
}

export class WorldSubscribers {
  readonly onRequest = new Set<(request: RecordedRequest) => void>()
  readonly onResponseEnd = new Set<(request: RecordedRequest) => void>()
  readonly onBeforeCommand = new Set<(definition: CommandDefinition) => void>()
  readonly onCommand = new Set<(command: CommandEvent) => void>()
  /** Those that may keep requests. */
  readonly #keepers = new Set<WorldSubscriber>()

  /** Adds one; returns the function that removes it. */
  add(subscriber: WorldSubscriber): () => void {
    const onRequest = subscriber.onRequest?.bind(subscriber)
    const onResponseEnd = subscriber.onResponseEnd?.bind(subscriber)
    const onBeforeCommand = subscriber.onBeforeCommand?.bind(subscriber)
    const onCommand = subscriber.onCommand?.bind(subscriber)
    if (onRequest) this.onRequest.add(onRequest)
    if (onResponseEnd) this.onResponseEnd.add(onResponseEnd)
    if (onBeforeCommand) this.onBeforeCommand.add(onBeforeCommand)
    if (onCommand) this.onCommand.add(onCommand)
    if ('keepsRequests' in subscriber) this.#keepers.add(subscriber)
    return () => {
      if (onRequest) this.onRequest.delete(onRequest)
      if (onResponseEnd) this.onResponseEnd.delete(onResponseEnd)
      if (onBeforeCommand) this.onBeforeCommand.delete(onBeforeCommand)
      if (onCommand) this.onCommand.delete(onCommand)
      this.#keepers.delete(subscriber)
    }
  }

  get mustKeepRequests(): boolean {
    for (const { keepsRequests = false } of this.#keepers) if (keepsRequests) return true
    return false
  }
}
