import { isDeepStrictEqual } from 'node:util'
import { OptionError } from '../world/option-error.ts'
import type { WorldOptions } from '../world/world-state.ts'
import type { Creation } from './creation.ts'
import type { StoredInputs } from './stored-inputs.ts'
import type { WorldLog } from './world-log.ts'

/** How the default world of a store starts. */
interface DefaultWorldOptions {
  base: CreatedOptions
  stated: Creation['stated']
}

/** The options of a world that its creation has. */
type CreatedOptions = Pick<
  WorldOptions,
  'id' | 'tokenSuffix' | 'seed' | 'settings' | 'maximumGenerated' | 'journalSize'
>

/** What a creation has besides. */
interface CreatedAs {
  createdMs: number
  stated: Creation['stated']
  idleMs: number
}

interface CreatorContext {
  inputs: StoredInputs
  createNonce: () => string
  logOf: (world: string) => WorldLog
}

/** Creates worlds in a store: each with every option resolved, so that nothing later depends on a replica's own options. */
export class WorldCreator {
  readonly #options: DefaultWorldOptions
  readonly #context: CreatorContext

  constructor(options: DefaultWorldOptions, context: CreatorContext) {
    this.#options = options
    this.#context = context
  }

  /** @throws OptionError where the store has a default world that was created with other options. */
  async createDefault(): Promise<void> {
    const { base, stated: given } = this.#options
    const own = { createdMs: Date.now(), stated: given, idleMs: Infinity }
    // A replica can start where nothing can be written.
    const found = await this.#context.logOf(base.id).describe()
    const created = found?.creation ?? (await this.create(base, own))
    const { created_ms: _, settings: set, ...existing } = JSON.parse(created) as Creation
    const wanted = JSON.parse(this.#toText(base, own)) as Creation
    const names = [...differencesOf(existing, wanted), ...differencesOf(set, wanted.settings)]
    if (names.length === 0) return
    throw new OptionError(
      `--store: The default world of this store was created with other options (${names.join(', ')}). Start with the same fixtures and options, or use another database of the store.`,
    )
  }

  /** Creates a world where there is none, and returns the creation that holds. */
  async create(options: CreatedOptions, own: CreatedAs): Promise<string> {
    const { inputs, createNonce, logOf } = this.#context
    const { id, seed } = options
    await inputs.putSeed(seed, id)
    const { idleMs } = own
    return logOf(id).create(this.#toText(options, own), { nonce: createNonce(), idleMs })
  }

  #toText(options: CreatedOptions, { createdMs, stated, idleMs }: CreatedAs): string {
    const creation: Creation = {
      id: options.id,
      token_suffix: options.tokenSuffix,
      created_ms: createdMs,
      seed: this.#context.inputs.keyOf(options.seed),
      settings: options.settings,
      stated,
      maximum_generated: options.maximumGenerated,
      journal_size: options.journalSize,
      idle_ms: idleMs === Infinity ? null : idleMs,
    }
    return JSON.stringify(creation)
  }
}

/** The names of what differs; what only one of them has was not yet, or is no longer, known to another release. */
function differencesOf(one: object, other: object): string[] {
  const others = new Map(Object.entries(other))
  return Object.entries(one).flatMap(([name, value]) =>
    !others.has(name) || isDeepStrictEqual(value, others.get(name)) ? [] : [name],
  )
}
