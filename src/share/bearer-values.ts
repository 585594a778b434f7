import { magicTokens } from '../records/magic-tokens.ts'
import type { Seed } from '../fixtures/seed.ts'
import { createSessionRedactor } from '../session/session-redactor.ts'
import { hasMagicTokens } from '../session/session-recorder.ts'
import type { SharedSession } from '../session/session.ts'
import type { World } from '../world/world.ts'

type Step = SharedSession['steps'][number]

/** What a session has in place of a value that belongs to no token. */
const UNKNOWN = 'unknown'

/**
 * The bearer values of a world in which a session is replayed, by their placeholders in the session. A value that a command of
 * the session sets is the placeholder itself.
 */
export class BearerValues {
  readonly #world: World
  readonly #documented: ReadonlySet<string>
  #values: ReadonlyMap<string, string> = new Map()
  #asOf = ''

  /** `seeds` are all that the session begins with or loads. */
  constructor(world: World, seeds: readonly (Seed | undefined)[]) {
    this.#world = world
    const magic = seeds.some(hasMagicTokens) ? magicTokens(null) : []
    this.#documented = new Set(magic.map(({ token }) => token))
  }

  /** A step as the world can replay it. */
  inStep(step: Step): Step {
    const values = this.#read()
    if ('command' in step) {
      const { command, seed } = step
      const own = inTokens({ command, ...(seed && { seed }) }, values)
      return { ...step, ...own }
    }
    const { authorization } = step.request
    if (authorization === undefined) return step
    const words = authorization.split(' ').map((word) => values.get(word) ?? word)
    return { ...step, request: { ...step.request, authorization: words.join(' ') } }
  }

  #read(): ReadonlyMap<string, string> {
    const { journal, secrets } = this.#world
    const { owners } = secrets
    // Values are only added, until the world starts again.
    const asOf = `${journal.starts} ${owners.size}`
    if (asOf !== this.#asOf) {
      this.#asOf = asOf
      const redactor = createSessionRedactor({ owners, documented: this.#documented })
      const named = [...owners.keys()].map(
        (token) => [redactor.inData({ token }).data.token, token] as const,
      )
      // A token may have that value.
      const unknown = owners.has(UNKNOWN) ? `${UNKNOWN}-value` : UNKNOWN
      this.#values = new Map([[UNKNOWN, unknown], ...named])
    }
    return this.#values
  }
}

/** Plain data in which every field `token` has the value that its placeholder stands for. */
function inTokens<Data>(data: Data, values: ReadonlyMap<string, string>): Data {
  const replace = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return key === 'token' ? (values.get(value) ?? value) : value
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item) => replace(item))
    const entries = Object.entries(value).map(([name, item]) => [name, replace(item, name)])
    return Object.fromEntries(entries)
  }
  return replace(data) as Data
}
