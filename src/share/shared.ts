import type { Seed } from '../fixtures/seed.ts'
import type { CommandStep, RequestStep } from '../session/session.ts'

/**
 * What a link carries, as plain JSON: the session of a world without its start, which every tab of the site has, and without
 * responses, which a replay gives again. Bearer values are named as sessions name them.
 */
export interface Shared {
  /** The release that the site runs. */
  version: string
  /** The digest of the options of the site: its fixtures, seed, locale, policies. */
  digest: string
  /** The query of the address that the console showed, without the question mark. */
  screen: string
  /** When the world began, by the machine's clock in epoch milliseconds. */
  began_ms: number
  /** When it was shared, by the same clock: what was on screen depends on it. */
  shared_ms: number
  /**
   * The fixtures that had been loaded before the first step, which is a command that starts the world again then; absent for
   * those of the site.
   */
  loaded?: Seed
  steps: SharedStep[]
}

/** Steps that are read or replayed before the tab may do something else. */
export const STEPS_AT_ONCE = 10

type Taken<Step> = Omit<Step, 'sequence' | 'at_ms' | 'answer'> & {
  /** How long after the step before it, or after the world began, in milliseconds. */
  after_ms: number
}

/** A request without its response, or a command. The seed of a scenario is left out too. */
export type SharedStep = Taken<RequestStep> | Taken<CommandStep>

/** The steps as a session has them, in which no response is compared. */
export function* toSessionSteps({
  began_ms,
  steps,
}: Pick<Shared, 'began_ms' | 'steps'>): Generator<RequestStep | CommandStep> {
  let at_ms = began_ms
  for (const [index, { after_ms, ...step }] of steps.entries()) {
    at_ms += after_ms
    const place = { sequence: index + 1, at_ms }
    yield 'request' in step ? { ...step, ...place, answer: null } : { ...step, ...place }
  }
}

/** The reverse of {@link toSessionSteps}. */
export function toSharedSteps(
  steps: Iterable<RequestStep | CommandStep>,
  began_ms: number,
): SharedStep[] {
  let before_ms = began_ms
  return [...steps].map((taken) => {
    const { sequence: _, at_ms, ...step } = taken
    const after_ms = at_ms - before_ms
    before_ms = at_ms
    if ('command' in step) return { after_ms, ...withoutScenario(step) }
    const { answer: __, ...rest } = step
    return { after_ms, ...rest }
  })
}

/** Every tab has the scenarios of its release, so that their names are enough. */
function withoutScenario<Step extends Pick<CommandStep, 'command' | 'seed'>>(step: Step) {
  const { seed, ...named } = step
  return seed && step.command.type === 'scenario.load' ? named : step
}
