import type { RunningServer } from '../../server/serve-host.ts'
import { OptionError } from '../../world/options/option-error.ts'
import { findUsableToken } from '../../world/usable-token.ts'
import type { ExecSettings } from './settings.ts'
import { EXEC_VARIABLES, toApi } from './variables.ts'
import type { ExecValue } from './variables.ts'

/** What to do if `--env` asks for something that this sandbox does not have. */
const REMEDIES = {
  token:
    'The world has no token that this machine may use. Add an active one to its fixture, or leave this out.',
  control: 'The control API is off. Leave out --no-control, or this.',
  key: 'The control API needs no key. Set one with --admin-key, or leave this out.',
} as const

/**
 * The environment of the command.
 *
 * @throws OptionError if `--env` asks for something that does not exist.
 */
export function toEnvironment(
  { url, control, world }: RunningServer,
  { served, mapped }: Pick<ExecSettings, 'served' | 'mapped'>,
): NodeJS.ProcessEnv {
  const values: Record<ExecValue, string | undefined> = {
    url,
    api: toApi(url),
    token: findUsableToken(world.records.all('tokens'))?.token,
    control: control?.url,
    key: served['admin-key'],
  }
  const env = { ...process.env }
  // The variables of an enclosing run are not passed on.
  for (const [name, variable] of Object.entries(EXEC_VARIABLES)) {
    env[variable] = values[name as keyof typeof EXEC_VARIABLES]
  }
  for (const [variable, name] of mapped) {
    const value = values[name]
    if (value === undefined && name in REMEDIES) {
      throw new OptionError(`--env ${variable}=${name}: ${REMEDIES[name as keyof typeof REMEDIES]}`)
    }
    env[variable] = value
  }
  return env
}
