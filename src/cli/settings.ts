import { readFile } from 'node:fs/promises'
import { formatProblem } from '../fixtures/fixture-error.ts'
import { parseYaml } from '../fixtures/parse-yaml.ts'
import type { Source } from '../fixtures/source.ts'
import {
  environmentName,
  OptionError,
  parseOption,
  requireKnown,
  SERVE_OPTION_NAMES,
  SERVE_OPTIONS,
} from '../options.ts'
import type { ServeOptionName, ServeSettings } from '../options.ts'

/** Looked for in the current folder. */
const CONFIG_FILE = 'seo-sandbox.config.yaml'

/** Where an option is set, with what, and how a message names the place. */
interface Setting {
  name: ServeOptionName
  input: unknown
  place: string
}

/**
 * The settings of all sources: the config file, the environment over it, the flags over both. Policies
 * add up, one by one.
 *
 * @throws OptionError that names the place.
 */
export async function readSettings(flags: Record<string, unknown>): Promise<ServeSettings> {
  const settings: Record<string, unknown> = {}
  for (const { name, input, place } of [
    ...(await fromConfigFile()),
    ...fromEnvironment(),
    ...fromFlags(flags),
  ]) {
    const value = parseOption(SERVE_OPTIONS[name].schema, input, place)
    settings[name] = name === 'policy' ? { ...toObject(settings[name]), ...toObject(value) } : value
  }
  return settings
}

function fromFlags(flags: Record<string, unknown>): Setting[] {
  return SERVE_OPTION_NAMES.flatMap((name) => {
    const input = flags[name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
    return input === undefined ? [] : [{ name, input, place: `--${name}` }]
  })
}

function fromEnvironment(): Setting[] {
  return SERVE_OPTION_NAMES.flatMap((name) => {
    const input = process.env[environmentName(name)]
    return input === undefined || input === ''
      ? []
      : [{ name, input, place: environmentName(name) }]
  })
}

async function fromConfigFile(): Promise<Setting[]> {
  const text = await readConfigFile()
  if (text === undefined || text.trim() === '') return []
  const source = parseYaml({ name: CONFIG_FILE, text })
  if (Array.isArray(source)) throw new OptionError(source.map(formatProblem).join('\n'))
  const { document } = source
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new OptionError(`${CONFIG_FILE}: Write a map of options, like port: 4010.`)
  }
  return Object.entries(document).map(([name, input]) => {
    const place = placeOf(source, name)
    requireKnown(name, SERVE_OPTION_NAMES, place)
    return { name: name as ServeOptionName, input: input as unknown, place: `${place} ${name}` }
  })
}

function placeOf(source: Source, key: string): string {
  const position = source.locate([key], true)
  return position ? `${CONFIG_FILE}:${position.line}:${position.column}` : CONFIG_FILE
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
