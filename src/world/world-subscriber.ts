import type { RecordedRequest } from '../journal/recorded-request.ts'
import { reportError } from '../journal/subscribers.ts'
import type { SubscriberErrors } from '../journal/subscribers.ts'
import type { CommandDefinition, Loaded } from './commands/command.ts'

export interface CommandEvent {
  definition: CommandDefinition
  /** The command as it was sent. */
  command: Record<string, unknown>
  result: unknown
  loaded: Loaded | undefined
  /** Position among all requests and commands of its world. */
  sequence: number
  /** Start of the command, by the machine's clock in epoch milliseconds. */
  atMs: number
}

/** Subscriber to everything that can change a world. */
export interface WorldSubscriber {
  onRequest?: (request: RecordedRequest) => void
  /** Called when a response has been sent or the client has disconnected, if that can be observed. */
  onResponseEnd?: (request: RecordedRequest) => void
  /**
   * Called before a command is applied, but not for clock commands that are applied together, because they change no record.
   */
  onBeforeCommand?: (definition: CommandDefinition) => void
  onCommand?: (command: CommandEvent) => void
  /** True if the subscriber keeps the requests that it receives, so that the journal must not reuse them; false if omitted. */
  readonly keepsRequests?: boolean
}

type EventName = Exclude<keyof WorldSubscriber, 'keepsRequests'>

export class WorldSubscribers {
  readonly #all = new Set<WorldSubscriber>()

  /** Adds a subscriber; returns the function that removes it. */
  add(subscriber: WorldSubscriber): () => void {
    this.#all.add(subscriber)
    return () => this.#all.delete(subscriber)
  }

  /** Notifies each subscriber of an event. The error of one affects neither the other subscribers nor the world. */
  notify<Name extends EventName>(
    name: Name,
    event: Parameters<Required<WorldSubscriber>[Name]>[0],
    errors: SubscriberErrors,
  ): void {
    for (const subscriber of this.#all) {
      try {
        subscriber[name]?.(event as never)
      } catch (error) {
        reportError(error, errors)
      }
    }
  }

  get mustKeepRequests(): boolean {
    for (const { keepsRequests = false } of this.#all) if (keepsRequests) return true
    return false
  }
}
