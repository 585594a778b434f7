import { clocksBetween } from '../../journal/clocks-between.ts'
import { listChanged } from '../../contract/list-gaps.ts'
import { toDateTime } from '../../contract/moments.ts'
import type { Demands } from '../../review/judge.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { SessionRun } from '../../session/session.ts'
import { flagNameOf, settingOf, WORLD_OPTION_NAMES } from '../../world/options/flags.ts'
import type { ServeSettings } from '../serve-options.ts'
import { withoutSecrets } from './without-secrets.ts'

interface EndedRun {
  line: readonly string[]
  exit: number
  storm: SessionRun['storm']
  served: ServeSettings
  demands: Demands
  /** The clocks when the command was started. */
  began: ReturnType<Sandbox['clock']['read']>
}

/** What a report says about a run that has ended. */
export function toRun(
  { clock, world }: Sandbox,
  { line, exit, storm, served, demands, began }: EndedRun,
): SessionRun {
  const { redactor } = world.secrets
  return {
    command: withoutSecrets(line, (text) => redactor.inText(text)),
    exit,
    ...(storm && { storm }),
    date: toDateTime(Date.now()),
    world: redactor.inData(optionsOf(served)).data,
    policies: listChanged(world.policies),
    clocks: clocksBetween(began, clock.read()),
    require: [...demands.require],
    waive: [...demands.waive],
  }
}

/** The options that say which world it was, by their names in the config file. */
export function optionsOf(served: ServeSettings): Record<string, unknown> {
  const values: Record<string, unknown> = { seed: settingOf('seed').default, ...served }
  const names = [...WORLD_OPTION_NAMES.map(flagNameOf), 'snapshot', 'state']
  // Policies are reported on their own, as they were at the end.
  const set = names.filter((name) => name !== 'policy' && values[name] !== undefined)
  return Object.fromEntries(set.map((name) => [name, values[name]]))
}
