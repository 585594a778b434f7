import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { GAPS, POLICIES } from '../src/contract/gaps.ts'
import { VERSION } from '../src/version.ts'

/** Files that are written from others. `npm run generate` writes them anew. */

function read(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
}

test('src/fixtures/default-fixture.ts is fixtures/default.yaml', async () => {
  const world: unknown = parse(read('fixtures/default.yaml'))
  const module = `// Written from fixtures/default.yaml by \`npm run generate\`.
import type { FixtureInput } from '../contract/fixture.ts'

/** The world that is served when no fixture is given. */
export const DEFAULT_FIXTURE: FixtureInput = ${JSON.stringify(world)}
`
  await expect(module).toMatchFileSnapshot('../src/fixtures/default-fixture.ts')
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

test('the version is that of the package', () => {
  expect(JSON.parse(read('package.json'))).toMatchObject({ version: VERSION })
})

function row(...cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
}
