import { environmentName } from '../serve-options.ts'

/** What `--env` can set a variable to: `url` without the path of the API, `api` with it. */
export const EXEC_VALUES = ['url', 'api', 'token', 'control', 'key'] as const
export type ExecValue = (typeof EXEC_VALUES)[number]

/** The variables that the command of `exec` always gets, apart from those whose value does not exist. */
export const EXEC_VARIABLES = {
  url: 'SEO_SANDBOX_URL',
  token: 'SEO_SANDBOX_TOKEN',
  control: 'SEO_SANDBOX_CONTROL_URL',
  key: environmentName('admin-key'),
} as const satisfies Partial<Record<ExecValue, string>>

/** What the command of a rehearsal gets besides: when its run begins, as an ISO 8601 datetime, and the number of the run. */
export const REHEARSAL_VARIABLES = {
  now: 'SEO_SANDBOX_CLIENT_NOW',
  number: 'SEO_SANDBOX_RUN_NUMBER',
} as const

/** Has a random value, by which the processes of a run are found; in a run within another one it has both values. */
export const RUN_VARIABLE = 'SEO_SANDBOX_RUN'

export function toApi(url: string): string {
  return `${url}/api/v1`
}

/** Whether a variable is one that `exec` sets, also under a name that `--env` gave it. */
export function isOfExec(name: string, env: NodeJS.ProcessEnv): boolean {
  const names: string[] = [RUN_VARIABLE, ...Object.values(EXEC_VARIABLES)]
  const others: string[] = Object.values(REHEARSAL_VARIABLES)
  if ([...names, ...others].includes(name)) return true
  if (env[RUN_VARIABLE] === undefined) return false
  const values = names.map((variable) => env[variable])
  return [...values, toApi(env[EXEC_VARIABLES.url] ?? '')].includes(env[name])
}
