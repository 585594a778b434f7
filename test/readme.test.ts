import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createSandbox } from '../src/index.ts'
import { environmentName, SERVE_OPTION_NAMES, SERVE_OPTIONS } from '../src/cli/serve-options.ts'
import type { FlagDefinition } from '../src/world/options.ts'
import { EXCEPTIONAL_LINES, firstLineOf, runSection } from './readme/run-section.ts'
import { readSections } from './readme/sections.ts'
import { fromRoot } from './support/cli.ts'

/** The examples of the README and the guides work as shown. */

const README = readFileSync(fromRoot('README.md'), 'utf8')
const GUIDES = readdirSync(fromRoot('docs')).filter((name) => name.endsWith('.md'))
const sections = ['README.md', ...GUIDES.map((name) => `docs/${name}`)].flatMap((guide) =>
  readSections(readFileSync(fromRoot(guide), 'utf8')).map((section) => ({ guide, ...section })),
)
const titled = sections.map((section) => [`${section.guide}: ${section.heading}`, section] as const)

describe.concurrent('the examples do what they show', () => {
  test.for(titled)(
    '%s',
    { timeout: 120_000 },
    async ([, section], { expect: expectHere, skip }) => {
      const missing = await runSection(section)
      const sentence = `not installed, so that not all was run: ${missing.join(', ')}`
      skip(missing.length > 0 && process.env['CI'] === undefined, sentence)
      expectHere(missing, sentence).toEqual([])
    },
  )
})

test('every exception for an example belongs to an existing example', () => {
  const lines = sections.flatMap(({ blocks }) => blocks.map(firstLineOf))
  expect(lines).toEqual(expect.arrayContaining(EXCEPTIONAL_LINES))
})

test('the fixture loads, and its report is the latest on any date', async () => {
  const sandbox = await createSandbox({ fixtures: fixtureIn('Your own data') })
  const headers = { authorization: 'Bearer my-token' }
  const response = await sandbox.fetch('/api/v1/projects/101/reports/latest', { headers })
  expect(await response.json()).toMatchObject({ data: { id: 5001, status: 'completed' } })
})

test('the generated world has the requested projects', async () => {
  const sandbox = await createSandbox({ fixtures: fixtureIn('Generated worlds') })
  const projects = sandbox.world.records.all('projects')
  expect([projects.length, projects[0]?.id]).toEqual([200, 1001])
})

test('the token table is that of the default world', async () => {
  const sandbox = await createSandbox()
  const listed = [...README.matchAll(/^\| `(sandbox-[\w-]+)` \|/gm)].map(([, token]) => token)
  expect(listed).toEqual(sandbox.world.records.all('tokens').map(({ token }) => token))
})

test.each(SERVE_OPTION_NAMES)('the option --%s is listed with its environment variable', (name) => {
  const { value }: FlagDefinition = SERVE_OPTIONS[name]
  const flag = value ? `--${name} ${value}` : `--${name}`
  expect(README).toContain(`| \`${flag}\` | \`${environmentName(name)}\` |`)
})

function fixtureIn(heading: string): string {
  const section = sections.find((candidate) => candidate.heading === heading)
  return section?.blocks.find(({ language }) => language === 'yaml')?.code ?? ''
}
