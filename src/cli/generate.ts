import { lstat, stat, writeFile } from 'node:fs/promises'
import type { FixtureInput } from '../fixtures/fixture.ts'
import { formatFixture, formatFixtureAsJson } from '../fixtures/format-fixture.ts'
import { toFixture } from '../fixtures/to-fixture.ts'
import { codeOf, toFileReason } from '../server/file-errors.ts'
import { createFile, followLinks, replaceFile } from '../server/replace-file.ts'
import { OptionError, parseOption } from '../world/parse-option.ts'
import {
  Agencies,
  Keywords,
  Locale,
  Now,
  Projects,
  RandomSeed,
  Reports,
} from '../world/option-schemas.ts'
import { createSandbox } from '../sandbox/create-sandbox.ts'
import type { Sandbox, SandboxOptions } from '../sandbox/sandbox.ts'

/** The flags of `seo-sandbox generate`, as the command line passes them. */
export interface GenerateFlags {
  out?: string
  force?: boolean
  projects?: string
  agencies?: string
  keywords?: string
  reports?: string
  locale?: string
  seed?: string
  now?: string
}

/** The figures that may be set, and their defaults: small ones, because the file is to be read and edited. */
const FIGURES = {
  projects: { schema: Projects, usual: 5 },
  agencies: { schema: Agencies, usual: 1 },
  keywords: { schema: Keywords, usual: 5 },
  reports: { schema: Reports, usual: 4 },
} as const

/**
 * `seo-sandbox generate`: writes a generated world as a fixture, to a file or to stdout.
 *
 * @throws OptionError
 */
export async function generate(flags: GenerateFlags): Promise<void> {
  const { out, force = false } = flags
  // Known before a large world is generated; writing makes sure of it.
  if (out !== undefined && !force) await refuseExisting(out)
  const sandbox = await createSandbox(toOptions(flags))
  if (out === undefined) {
    process.stdout.write(formatAsYaml(sandbox))
    return
  }
  const isJson = /\.json$/i.test(out)
  const text = isJson ? formatAsJson(sandbox) : formatAsYaml(sandbox)
  await write(out, text, force)
  const { length } = sandbox.world.records.all('projects')
  const hint = !isJson && text.length > MODEST_LENGTH ? SLOW_YAML : ''
  process.stdout.write(
    `Wrote ${out}: ${length} ${length === 1 ? 'project' : 'projects'}. Serve it with --fixtures ${out}\n${hint}`,
  )
}

/** YAML of this length loads in about a second. */
const MODEST_LENGTH = 2_000_000
const SLOW_YAML = 'YAML of this size loads slowly. A .json file loads in a fraction of the time.\n'

function toOptions({ locale, seed, now, ...flags }: GenerateFlags): SandboxOptions {
  const figures = Object.entries(FIGURES).map(([name, { schema, usual }]) => {
    const text = flags[name as keyof typeof FIGURES]
    return [name, text === undefined ? usual : parseOption(schema, text, `--${name}`)]
  })
  const generated: object = Object.fromEntries(figures)
  return {
    generate: { ...generated, locale: parseOption(Locale, locale, '--locale') },
    frozen: true,
    ...(seed !== undefined && { seed: parseOption(RandomSeed, seed, '--seed') }),
    ...(now !== undefined && { now: parseOption(Now, now, '--now') }),
  }
}

const SCHEMA = './node_modules/seo-sandbox/fixtures/schema.json'

function formatAsYaml(sandbox: Sandbox): string {
  return formatFixture(readFixture(sandbox), [
    `yaml-language-server: $schema=${SCHEMA}`,
    'A generated world, written by seo-sandbox generate. Its reports are as of its now, and do not progress.',
  ])
}

function formatAsJson(sandbox: Sandbox): string {
  return formatFixtureAsJson(readFixture(sandbox), SCHEMA)
}

function readFixture({ clock, world }: Sandbox): FixtureInput {
  return toFixture(world.records, clock.read().now)
}

/** @throws OptionError where there is anything, also a symbolic link that leads to nothing. */
async function refuseExisting(path: string): Promise<void> {
  try {
    const isLink = (await lstat(path)).isSymbolicLink()
    const what = isLink ? 'This is a symbolic link.' : 'This file already exists.'
    throw new OptionError(`${path}: ${what} Choose another, or add --force.`)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw toOptionError(path, error)
  }
}

async function write(path: string, text: string, force: boolean): Promise<void> {
  try {
    await (force ? overwrite(path, text) : createFile(path, text))
  } catch (error) {
    if (codeOf(error) === 'EEXIST') await refuseExisting(path)
    throw toOptionError(path, error)
  }
}

/** A file that cannot be replaced, like a pipe, is written to. */
async function overwrite(path: string, text: string): Promise<void> {
  const entry = await stat(path).catch(() => undefined)
  if (entry === undefined) await createFile(await followLinks(path), text)
  else if (entry.isFile()) await replaceFile(await followLinks(path), text)
  else await writeFile(path, text)
}

function toOptionError(path: string, error: unknown): OptionError {
  if (error instanceof OptionError) return error
  return new OptionError(`${path}: ${toFileReason(error)}`, { cause: error })
}
