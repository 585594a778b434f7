import { lstat } from 'node:fs/promises'
import { toShownJson, withoutControls } from '../contract/text.ts'
import { formatFixture, formatFixtureAsJson, toFixture } from '../fixtures/format-fixture.ts'
import { MAXIMUM_MEGABYTES, toMegabytes } from '../fixtures/load-fixtures.ts'
import { errorCodeOf, toFileReason } from '../server/file-errors.ts'
import { createFile, overwriteFile } from '../server/replace-file.ts'
import { OptionError } from '../world/options/option-error.ts'
import { parseFlag, parseOption } from '../world/options/parse-option.ts'
import {
  AgenciesOption,
  KeywordsOption,
  LocalesOption,
  NowOption,
  ProjectsOption,
  RandomSeedOption,
  ReportsOption,
} from '../world/options/validators.ts'
import type { Flags } from './cli-command.ts'
import { quote } from './print.ts'
import { count } from '../wording/count.ts'
import { createProgress } from './command-progress.ts'
import { readerOf } from '../contract/validate.ts'
import { Generate } from '../records/generation/generate.ts'
import { loadScenario } from '../sandbox/stated-seeds.ts'
import { createDemoFixture, formatDemoFixture, SCHEMA_FILE } from '../world/demo-fixture.ts'
import { DEFAULT_SETTINGS } from '../world/options/table.ts'
import { createSandbox } from '../sandbox/create-sandbox.ts'
import type { SandboxOptions } from '../sandbox/sandbox.ts'

/** Figures that users can set. The defaults are small, because users read and edit the file. */
const FIGURES = {
  projects: { read: ProjectsOption, usual: 5 },
  agencies: { read: AgenciesOption, usual: 1 },
  keywords: { read: KeywordsOption, usual: 5 },
  reports: { read: ReportsOption, usual: 4 },
} as const

/**
 * `seo-sandbox generate`: writes a generated world as a fixture, to a file or to stdout.
 *
 * @throws OptionError
 */
export async function generate(flags: Flags): Promise<void> {
  const [out, force, json] = [flags['out'] as string | undefined, flags['force'], flags['json']]
  // Checked early, before a large world is generated, and again when writing.
  if (out !== undefined && !force) await refuseExisting(out)
  const isJson = out === undefined ? json === true : /\.json$/i.test(out)
  const make = flags['demo'] ? makeDemo : makeWorld
  const { text, projects, describe } = await make(flags, isJson)
  if (out === undefined) {
    for (const part of text) process.stdout.write(part)
    return
  }
  await write(out, text, force === true)
  const written = { file: out, projects, bytes: text.reduce((sum, part) => sum + part.length, 0) }
  process.stdout.write(
    json ? `${toShownJson(written)}\n` : `Wrote ${withoutControls(out)}: ${describe(written)}`,
  )
}

/** The result, as `--json` prints it. */
interface Written {
  file: string
  projects: number
  bytes: number
}

interface Made {
  /** The fixture in pieces, because a large one may exceed the maximum length of a string. */
  text: readonly Uint8Array[]
  projects: number
  describe: (written: Written) => string
}

async function makeDemo(flags: Flags, isJson: boolean): Promise<Made> {
  if (flags['agencies'] !== undefined) throw new OptionError(ONE_AGENCY)
  const seed = parseFlag(RandomSeedOption, flags, 'seed')
  const figures = (['projects', 'keywords', 'reports'] as const).map((name) => [
    name,
    parseFlag(FIGURES[name].read, flags, name),
  ])
  const locales = parseFlag(LocalesOption, flags, 'locale')
  const now = parseFlag(NowOption, flags, 'now')
  const { generate: usual } = await loadScenario('demo')
  const stated = Object.fromEntries(figures.filter(([, value]) => value !== undefined))
  const locale = locales?.length === 1 ? locales[0] : locales
  const fixture = await createDemoFixture({
    generate: parseOption(
      readerOf(Generate),
      { ...usual, ...stated, ...(locale && { locale }) },
      'demo',
    ),
    seed: seed ?? DEFAULT_SETTINGS.seed,
    now,
  })
  const text = isJson
    ? `${JSON.stringify({ $schema: SCHEMA_FILE, ...fixture }, null, 2)}\n`
    : await formatDemoFixture(fixture, SCHEMA_FILE)
  const { projects = 0 } = fixture.generate
  const withSeed = seed === undefined ? '' : ` --seed ${seed}`
  const describe = ({ file }: Written) =>
    `the demo, with names that you can change. Serve it with --fixtures ${quote(file)}${withSeed}\n`
  return { text: [Buffer.from(text)], projects, describe }
}

const ONE_AGENCY = '--agencies: The demo has one agency. Leave out --agencies or --demo.'

async function makeWorld(flags: Flags, isJson: boolean): Promise<Made> {
  const { clock, world } = await createSandbox(toOptions(flags))
  const { head, projects } = toFixture(world.records, clock.read().now)
  const { length } = world.records.all('projects')
  const progress = createProgress()
  const fixture = {
    head,
    projects: progress.during(`Generating ${length} projects`, projects, length),
  }
  const parts = isJson ? formatFixtureAsJson(fixture, SCHEMA_FILE) : formatFixture(fixture, COMMENT)
  return {
    text: Array.from(parts, (part) => Buffer.from(part)),
    projects: length,
    describe: (written) => describeWorld(written, isJson),
  }
}

/** YAML of this size loads in about a second. */
const MODEST_BYTES = 2_000_000
const SLOW_YAML = 'YAML of this size loads slowly. A .json file loads in a fraction of the time.\n'

function describeWorld({ file, bytes, projects }: Written, isJson: boolean): string {
  const counted = `${count(projects, 'project')}.`
  const megabytes = toMegabytes(bytes)
  if (megabytes > MAXIMUM_MEGABYTES) {
    return `${counted} It has ${megabytes} MB, and a fixture can have at most ${MAXIMUM_MEGABYTES} MB. To serve this many, use --projects ${projects}\n`
  }
  const hint = !isJson && bytes > MODEST_BYTES ? SLOW_YAML : ''
  return `${counted} Serve it with --fixtures ${quote(file)}\n${hint}`
}

function toOptions(flags: Flags): SandboxOptions {
  const figures = Object.entries(FIGURES).map(([name, { read, usual }]) => [
    name,
    parseFlag(read, flags, name) ?? usual,
  ])
  const given = {
    locale: parseFlag(LocalesOption, flags, 'locale'),
    seed: parseFlag(RandomSeedOption, flags, 'seed'),
    now: parseFlag(NowOption, flags, 'now'),
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { generate: Object.fromEntries(figures), frozen: true, ...Object.fromEntries(set) }
}

const COMMENT = [
  `yaml-language-server: $schema=${SCHEMA_FILE}`,
  'A generated world, written by seo-sandbox generate. Its reports have their state at the time of `now`, and do not progress.',
]

/** @throws OptionError if the path exists, even as a broken symbolic link, or cannot be checked. */
async function refuseExisting(path: string): Promise<void> {
  try {
    const isLink = (await lstat(path)).isSymbolicLink()
    const reason = isLink ? 'This is a symbolic link.' : 'This file already exists.'
    throw new OptionError(`${path}: ${reason} Choose another, or add --force.`)
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw toOptionError(path, error)
  }
}

async function write(path: string, text: readonly Uint8Array[], force: boolean): Promise<void> {
  try {
    await (force ? overwriteFile(path, text) : createFile(path, text))
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') await refuseExisting(path)
    throw toOptionError(path, error)
  }
}

function toOptionError(path: string, error: unknown): OptionError {
  if (error instanceof OptionError) return error
  return new OptionError(`${path}: ${toFileReason(error)}`, { cause: error })
}
