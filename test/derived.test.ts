import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import packageJson from '../package.json' with { type: 'json' }
import { createFixtureSchema } from '../src/fixtures/fixture-schema.ts'
import { GAPS, POLICIES } from '../src/contract/gaps.ts'
import { parseFixtures } from '../src/fixtures/parse-fixture.ts'
import { DEFAULT_SEED } from '../src/fixtures/default-seed.ts'
import { SCENARIOS } from '../src/fixtures/scenarios/index.ts'
import type { ScenarioName } from '../src/fixtures/scenarios/index.ts'
import { COMMAND_DEFINITIONS } from '../src/world/commands/index.ts'
import { FAULT_KINDS } from '../src/world/faults/index.ts'

/** Files that are generated from others. `npm run generate` regenerates them. */

function read(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
}

test('the default world is that of fixtures/default.yaml', async () => {
  expect(DEFAULT_SEED).toEqual(await parseFixtures(read('fixtures/default.yaml')))
})

describe('src/fixtures/scenarios has', () => {
  const files = readdirSync(new URL('../fixtures/scenarios', import.meta.url))

  test.each(files)('the text and the purpose of %s', async (file) => {
    const text = read(`fixtures/scenarios/${file}`)
    const { purpose, load } = SCENARIOS[file.replace('.yaml', '') as ScenarioName]
    expect(text).toContain(`# purpose: ${purpose}\n`)
    expect(await load()).toBe(text)
  })

  test('no others', () => {
    expect(Object.keys(SCENARIOS).map((name) => `${name}.yaml`)).toEqual(files.toSorted())
  })
})

test('fixtures/schema.json is up to date with the fixture format of src/fixtures', async () => {
  const schema = `${JSON.stringify(createFixtureSchema(), null, 2)}\n`
  await expect(schema).toMatchFileSnapshot('../fixtures/schema.json')
})

test('docs/policies.md lists every gap of src/contract/gaps.ts', async () => {
  const policies = POLICIES.map((gap) => {
    const options = Object.entries(gap.options).map(([value, meaning]) =>
      value === gap.default ? `**\`${value}\`**: ${meaning}` : `\`${value}\`: ${meaning}`,
    )
    const others = 'accepts' in gap ? [gap.accepts.description] : []
    return row(
      gap.id,
      gap.section,
      `\`${gap.policy}\``,
      gap.question,
      [...options, ...others].join('<br>'),
    )
  })
  const recorded = GAPS.flatMap((gap) =>
    'behaviour' in gap ? [row(gap.id, gap.section, gap.question, gap.behaviour)] : [],
  )
  const page = `# Policies: what the specification leaves open

Written from \`src/contract/gaps.ts\` by \`npm run generate\`.

The specification says "not shown" in many places and is silent in more. Each such gap has an id and a section. Where a
client could tell the options apart, the gap is a policy: set it by name or by id, with \`--policy foreign-project=403\`,
with \`createSandbox({ policies: { 'foreign-project': '403' } })\`, or in a fixture's \`policies:\`. The default is in bold.

| Gap | § | Policy | Question | Options |
| --- | --- | --- | --- | --- |
${policies.join('\n')}

## Gaps with one behaviour

These cannot be set: no client could tell the alternatives apart, or there is only one.

| Gap | § | Question | What the sandbox does |
| --- | --- | --- | --- |
${recorded.join('\n')}
`
  await expect(page).toMatchFileSnapshot('../docs/policies.md')
})

test('docs/control.md lists every command of src/world/commands and every kind of fault of src/world/faults', async () => {
  const commands = COMMAND_DEFINITIONS.map(({ type, description, schema }) => {
    const { type: _type, ...fields } = schema.shape
    return row(`\`${type}\``, listFields(fields), description)
  })
  const kinds = FAULT_KINDS.map(({ kind, description, fields }) =>
    row(`\`${kind}\``, listFields(fields), description),
  )
  const head = ['| name | fields | effect |', '| --- | --- | --- |']
  const withCommands = withTable(read('docs/control.md'), 'commands', [...head, ...commands])
  const page = withTable(withCommands, 'fault kinds', [...head, ...kinds])
  await expect(page).toMatchFileSnapshot('../docs/control.md')
})

test('src/contract/version.ts has the version of package.json', async () => {
  const module = `// Written from package.json by \`npm run generate\`.
/** The version of the package. */
export const VERSION = '${packageJson.version}'
`
  await expect(module).toMatchFileSnapshot('../src/contract/version.ts')
})

const recipeFiles = readdirSync(new URL('../docs/recipes', import.meta.url)).flatMap((recipe) => [
  `docs/recipes/${recipe}/package.json`,
  `docs/recipes/${recipe}/compose.yaml`,
])

test.each(recipeFiles.filter((path) => existsSync(new URL(`../${path}`, import.meta.url))))(
  '%s asks for the version of package.json',
  async (path) => {
    const { version } = packageJson
    const recipe = read(path).replace(/(seo-sandbox(?:": "|@))[^"\s]+/, `$1^${version}`)
    expect(recipe).toMatch(/seo-sandbox(": "|@)\^/)
    await expect(recipe).toMatchFileSnapshot(`../${path}`)
  },
)

function row(...cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
}

/** The names of fields, those that may be left out in brackets. */
function listFields(fields: Readonly<Record<string, z.core.$ZodType>>): string {
  const names = Object.entries(fields).map(([name, schema]) =>
    z.safeParse(schema, undefined).success ? `[\`${name}\`]` : `\`${name}\``,
  )
  return names.join(', ')
}

/** A page with a table between the two comments that name it. */
function withTable(page: string, name: string, lines: readonly string[]): string {
  const [start, end] = [`<!-- ${name}, written by npm run generate -->`, `<!-- end of ${name} -->`]
  const [before, after] = [page.indexOf(start), page.indexOf(end)]
  if (before === -1 || after < before) throw new Error(`docs/control.md has no table of ${name}.`)
  return `${page.slice(0, before)}${start}\n${lines.join('\n')}\n${page.slice(after)}`
}
