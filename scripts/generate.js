// Writes what is derived from other files: run `npm run generate` after changing those.
import { readFile, writeFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { GAPS } from '../dist/contract/gaps.js'

/** Each derived file with its text, which a test compares with what is checked in. */
export async function derivedFiles() {
  return {
    'src/fixtures/default-fixture.ts': await defaultFixture(),
    'docs/policies.md': policiesPage(),
  }
}

async function defaultFixture() {
  const world = parse(await readFile(new URL('../fixtures/default.yaml', import.meta.url), 'utf8'))
  return `// Generated from fixtures/default.yaml by \`npm run generate\`.
import type { FixtureInput } from '../contract/fixture.ts'

/** The world that is served when no fixture is given. */
export const DEFAULT_FIXTURE: FixtureInput = ${JSON.stringify(world)}
`
}

function policiesPage() {
  const policies = GAPS.filter((gap) => 'policy' in gap)
  const recorded = GAPS.filter((gap) => 'behaviour' in gap)
  return `# Policies: what the specification leaves open

Generated from \`src/contract/gaps.ts\` by \`npm run generate\`.

The specification says "not shown" in many places and is silent in more. Each such gap has an id and a section. Where a
client could tell the options apart, the gap is a policy: set it by name or by id with \`--policy foreign-project=403\`,
\`createSandbox({ policies: { 'foreign-project': '403' } })\` or the fixture's \`policies:\`. The default is in bold.

| Gap | § | Policy | Question | Options |
| --- | --- | --- | --- | --- |
${policies.map(policyRow).join('\n')}

## Gaps with one behaviour

| Gap | § | Question | What the sandbox does |
| --- | --- | --- | --- |
${recorded.map(({ id, section, question, behaviour }) => row([id, section, question, behaviour])).join('\n')}
`
}

function policyRow({ id, section, policy, question, options, default: preset, accepts }) {
  const listed = Object.entries(options).map(([value, meaning]) =>
    value === preset ? `**\`${value}\`**: ${meaning}` : `\`${value}\`: ${meaning}`,
  )
  if (accepts) listed.push(accepts.description)
  return row([id, section, `\`${policy}\``, question, listed.join('<br>')])
}

function row(cells) {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('<br> ', '&lt;br&gt; ')).join(' | ')} |`
}

if (import.meta.url === new URL(process.argv[1], 'file:').href) {
  for (const [path, text] of Object.entries(await derivedFiles())) {
    await writeFile(new URL(`../${path}`, import.meta.url), text)
  }
}
