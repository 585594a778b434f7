import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { findMisspelt } from '../contract/suggestion.ts'
import { describe, withoutControls } from '../contract/text.ts'
import { formatPath } from '../contract/validation.ts'
import type { Path, Validated } from '../contract/validation.ts'
import { formatProblem } from '../fixtures/fixture-error.ts'
import { fieldsOf, showAsWritten } from '../fixtures/source.ts'
import type { Source } from '../fixtures/source.ts'
import type { Demands } from '../review/judge.ts'
import type { FlagText } from '../world/options/table.ts'
import { OptionError } from '../world/options/option-error.ts'
import { requireKnown } from '../world/options/require-known.ts'
import { isOfExec } from './exec/exec-options.ts'
import { printWarning } from './print.ts'
import {
  ENVIRONMENT_PREFIX,
  environmentName,
  loadReader,
  SERVE_OPTION_NAMES,
  SERVE_OPTIONS,
} from './serve-options.ts'
import type { ServeOptionName, ServeSettings } from './serve-options.ts'

/** Read from the current folder. */
const CONFIG_FILE = 'seo-sandbox.config.yaml'

/** Keys of the config file for reviews. All other keys are options of `serve`. */
const REVIEW_KEYS = ['require', 'waive'] as const
type ConfigKey = ServeOptionName | (typeof REVIEW_KEYS)[number]

interface Setting<Name extends string = ServeOptionName> {
  name: Name
  input: unknown
  /** Returns the location of the option, or of a value within it, for messages. With `isKey`, returns that of its key. */
  locationOf: (path: Path, isKey: boolean) => string
  /** Returns a message with its value spelt as in the file: `1.10` instead of 1.1. If omitted, messages stay unchanged. */
  show?: (message: string, path: Path) => string
}

/**
 * Returns the merged settings of all sources: flags take precedence over the environment, and the environment over the
 * config file. Policies are merged one by one. `configFile` is null if there is none.
 *
 * @throws OptionError that names the location, and FixtureError for an invalid file of `--policies`.
 */
export async function readSettings(
  flags: Record<string, unknown>,
): Promise<{ settings: ServeSettings; configFile: string | null }> {
  warnOfMisspelt(process.env)
  const configured = await fromConfigFile()
  const options = configured?.filter(isOfServe) ?? []
  const settings: Record<string, unknown> = {}
  const locations: Locations = {}
  for (const setting of [...options, ...fromEnvironment(), ...fromFlags(flags)]) {
    const { name } = setting
    const value = await parseSetting(setting)
    settings[name] = name === 'policy' ? { ...toObject(settings[name]), ...toObject(value) } : value
    locations[name] = setting.locationOf([], true)
  }
  requireOneWorld(settings['demo'] === true ? locations : { ...locations, demo: undefined })
  await addPolicyFile(settings)
  return { settings, configFile: configured ? CONFIG_FILE : null }
}

async function addPolicyFile(settings: Record<string, unknown>): Promise<void> {
  const file = settings['policies']
  if (typeof file !== 'string') return
  const { loadPolicies } = await import('../server/load-policies.ts')
  settings['policy'] = { ...(await loadPolicies(file)), ...toObject(settings['policy']) }
}

/**
 * Returns the requirements of a review or a rehearsal, from the config file and `--require`, and the waivers of the config
 * file.
 *
 * @throws OptionError if a requirement or a waiver is invalid; the message names the flag or the file with the key
 */
export async function readDemands(
  required: unknown,
  { isRehearsal = false } = {},
): Promise<Demands> {
  const configured = (await fromConfigFile()) ?? []
  const flag: Setting<ConfigKey> = {
    name: 'require',
    input: required,
    locationOf: () => '--require',
  }
  const settings = [...configured, ...(required === undefined ? [] : [flag])]
  const { isOfReview, readRequired, readWaivers } = await import('./require-option.ts')
  const settingsOf = (wanted: (typeof REVIEW_KEYS)[number]) =>
    settings.filter(({ name }) => name === wanted)
  // The config file may name checks that only rehearsals have. A review ignores them.
  const applies = (what: string) => isRehearsal || isOfReview(what)
  return {
    require: settingsOf('require')
      .flatMap((one) =>
        accept(one, readRequired(one.input, { isRehearsal: isRehearsal || one !== flag })),
      )
      .filter(applies),
    waive: settingsOf('waive')
      .flatMap((one) => accept(one, readWaivers(one.input)))
      .filter(({ what }) => applies(what)),
  }
}

function isOfServe(setting: Setting<ConfigKey>): setting is Setting {
  return SERVE_OPTION_NAMES.some((name) => name === setting.name)
}

/**
 * Returns the settings from flags alone, read like the options of `serve`.
 *
 * @throws OptionError that names the flag.
 */
export async function readFlags(flags: Record<string, unknown>): Promise<ServeSettings> {
  const settings: Record<string, unknown> = {}
  const set = fromFlags(flags)
  requireOneWorld(Object.fromEntries(set.map(({ name }) => [name, `--${name}`])))
  for (const setting of set) settings[setting.name] = await parseSetting(setting)
  return settings
}

type Locations = { [Name in ServeOptionName]?: string | undefined }

function requireOneWorld({ demo, scenario, fixtures, projects, locale }: Locations): void {
  const other = fixtures ?? projects
  if (demo !== undefined && (scenario ?? other) !== undefined) {
    throw new OptionError(
      `${demo}: The demo is a whole world. Leave it out, or ${scenario ?? other}.`,
    )
  }
  if (scenario !== undefined && other !== undefined) {
    throw new OptionError(`${scenario}: A scenario is a whole world. Leave it out, or ${other}.`)
  }
  if (locale === undefined || (demo ?? scenario ?? projects) !== undefined) return
  throw new OptionError(
    `${locale}: Only generated data has a locale. Add --demo or --projects; a fixture has it under generate.`,
  )
}

/**
 * Warns about environment variables that look like misspelt options. Other variables with `ENVIRONMENT_PREFIX` may belong to
 * another program.
 */
function warnOfMisspelt(env: NodeJS.ProcessEnv): void {
  const known = SERVE_OPTION_NAMES.map((name) =>
    environmentName(name).slice(ENVIRONMENT_PREFIX.length),
  )
  const variables = Object.keys(env).filter((name) => name.startsWith(ENVIRONMENT_PREFIX))
  for (const variable of variables.filter((name) => !isOfExec(name, env))) {
    const word = variable.slice(ENVIRONMENT_PREFIX.length)
    const meant = known.some((name) => name === word) ? undefined : findMisspelt(word, known)
    if (meant === undefined) continue
    printWarning(
      `${withoutControls(variable)}: There is no such option, so it has no effect. Did you mean ${ENVIRONMENT_PREFIX}${meant}?`,
    )
  }
}

async function parseSetting(setting: Setting): Promise<unknown> {
  const read = await loadReader(setting.name)
  return accept(setting, read(setting.input))
}

function accept<Value>(
  { name, locationOf, show = (message) => message }: Setting<ConfigKey>,
  checked: Validated<Value>,
): Value {
  if ('value' in checked) return checked.value
  const sentences = checked.problems.map(
    ({ path, message, isKey = false }) => `${locationOf(path, isKey)}: ${show(message, path)}`,
  )
  throw new OptionError(sentences.join('\n'), { page: pageOf(name) })
}

function pageOf(name: ConfigKey): string | undefined {
  if (name === 'require' || name === 'waive') return 'docs/judging.md'
  const { page }: FlagText = SERVE_OPTIONS[name]
  return page
}

function fromFlags(flags: Record<string, unknown>): Setting[] {
  return SERVE_OPTION_NAMES.flatMap((name) => {
    const input = flags[name]
    return input === undefined ? [] : [{ name, input, locationOf: () => `--${name}` }]
  })
}

function fromEnvironment(): Setting[] {
  return SERVE_OPTION_NAMES.flatMap((name) => {
    const variable = environmentName(name)
    const input = process.env[variable]
    return input === undefined || input === '' ? [] : [{ name, input, locationOf: () => variable }]
  })
}

async function fromConfigFile(): Promise<Setting<ConfigKey>[] | undefined> {
  const text = await readConfigFile()
  if (text === undefined) return undefined
  const { parseYaml } = await import('../fixtures/parse-yaml.ts')
  const source = parseYaml({ name: CONFIG_FILE, text })
  if (Array.isArray(source)) throw new OptionError(source.map(formatProblem).join('\n'))
  const { document } = source
  if (document === null) return []
  if (typeof document !== 'object' || Array.isArray(document)) {
    throw new OptionError(`${locate(source, [], false)}: Write a map of options, like port: 4010.`)
  }
  const settings = Object.entries(fieldsOf(document)).map(([key, input]): Setting<ConfigKey> => {
    const known = [...SERVE_OPTION_NAMES, ...REVIEW_KEYS]
    const name = requireKnown(key, known, locate(source, [key], true))
    const locationOf = (path: Path, isKey: boolean) =>
      `${locate(source, [key, ...path], isKey)} ${formatPath([key, ...path])}`
    const show = (message: string, path: Path) => showAsWritten(message, source, [key, ...path])
    return { name, input, locationOf, show }
  })
  for (const setting of settings) if (setting.name === 'handlers') await requireInside(setting)
  return settings
}

/**
 * Refuses handlers outside the current folder: a config file that happens to be there must not run code from elsewhere.
 *
 * @throws OptionError
 */
async function requireInside({
  input,
  locationOf,
}: Pick<Setting, 'input' | 'locationOf'>): Promise<void> {
  if (typeof input !== 'string' || input === '') return
  const path = resolve(input)
  const real = existsSync(path) ? await realpath(path) : path
  const within = relative(await realpath('.'), real)
  if (!isAbsolute(within) && within.split(sep)[0] !== '..') return
  throw new OptionError(
    `${locationOf([], false)}: ${describe(input)} is outside the folder of this file. Move it into the folder, or name it with --handlers.`,
  )
}

function locate(source: Source, path: Path, isKey: boolean): string {
  const position = source.locate(path, isKey)
  return position ? `${source.name}:${position.line}:${position.column}` : source.name
}

async function readConfigFile(): Promise<string | undefined> {
  try {
    return await readFile(CONFIG_FILE, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new OptionError(`${CONFIG_FILE}: It cannot be read. Check its permissions.`, {
      cause: error,
    })
  }
}

function toObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}
