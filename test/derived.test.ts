import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { z } from 'zod'
import packageJson from '../package.json' with { type: 'json' }
import { STARTER_FILES } from '../src/cli/starter-files.ts'
import { parseFixtures } from '../src/fixtures/parse-fixture.ts'
import { DEFAULT_SEED } from '../src/fixtures/default-seed.ts'
import { SCENARIOS } from '../src/fixtures/scenarios/index.ts'
import type { ScenarioName } from '../src/fixtures/scenarios/index.ts'
import { toRecipeClients, toStarters } from '../scripts/starters.ts'
import { Texts } from '../src/records/generation/texts.ts'
import { endpointTable } from './derived/api.ts'
import { rehearsalCheckList, reviewCheckList, disturbanceList } from './derived/checks.ts'
import { commandLineSections, outcomeTable } from './derived/command-line.ts'
import { commandTable, faultTable, filterTable, routeSections } from './derived/control-api.ts'
import { countryTable } from './derived/countries.ts'
import { fixtureTables } from './derived/fixture-format.ts'
import { createFixtureSchema } from './derived/fixture-schema.ts'
import { librarySections } from './derived/library.ts'
import { limitTable } from './derived/limits.ts'
import { withPart } from './derived/markdown.ts'
import { behaviourTable, policyTable } from './derived/policies.ts'
import { sessionTables, snapshotTables } from './derived/persisted-formats.ts'
import { stepTable } from './derived/report-steps.ts'
import { checkList, exitCodeList, pageList, requiredRun } from './derived/skill.ts'
import { supportedVersions } from './derived/supported-versions.ts'
import {
  actionWorkflow,
  block,
  cloneCommands,
  firstCommands,
  hasRelease,
  installation,
  issueChooser,
  packCommands,
  storeCommands,
  withRepository,
} from './derived/repository.ts'

/** Files that are generated from others. `npm run generate` regenerates them. */

function read(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
}

test('the default world is that of fixtures/default.yaml', async () => {
  expect(DEFAULT_SEED).toEqual(await parseFixtures(read('fixtures/default.yaml')))
})

describe('src/fixtures/scenarios has', () => {
  const files = readdirSync(new URL('../fixtures/scenarios', import.meta.url))

  test.each(files)('the world and the purpose of %s', async (file) => {
    const text = read(`fixtures/scenarios/${file}`)
    const { purpose, load } = SCENARIOS[file.replace('.yaml', '') as ScenarioName]
    expect(text).toContain(`# purpose: ${purpose}\n`)
    const written = await load()
    expect(written).toEqual(typeof written === 'string' ? text : await parseFixtures(text))
  })

  test('no others', () => {
    expect(Object.keys(SCENARIOS).map((name) => `${name}.yaml`)).toEqual(files.toSorted())
  })
})

test('fixtures/schema.json is up to date with the fixture format of src/fixtures', async () => {
  const schema = `${JSON.stringify(createFixtureSchema(), null, 2)}\n`
  await expect(schema).toMatchFileSnapshot('../fixtures/schema.json')
})

test('fixtures/texts/schema.json is up to date with the texts of src/records', async () => {
  const schema = `${JSON.stringify(z.toJSONSchema(Texts, { reused: 'ref' }), null, 2)}\n`
  await expect(schema).toMatchFileSnapshot('../fixtures/texts/schema.json')
})

describe('the reference pages are derived from the source:', () => {
  test.each<[page: string, parts: Record<string, () => string>]>([
    ['docs/api.md', { endpoints: endpointTable }],
    ['docs/policies.md', { policies: policyTable, 'gaps with one behaviour': behaviourTable }],
    ['docs/fixtures.md', { 'fields of fixtures': fixtureTables, countries: countryTable }],
    ['docs/faults.md', { 'fault kinds': faultTable }],
    ['docs/time-and-reports.md', { 'the steps of a report': stepTable }],
    [
      'docs/judging.md',
      {
        'the checks of a review': reviewCheckList,
        'the checks of a rehearsal': rehearsalCheckList,
        'the kinds of trouble': disturbanceList,
      },
    ],
    ['docs/journal.md', { 'filter fields': filterTable }],
    ['docs/control-api.md', { routes: routeSections, commands: commandTable }],
    [
      'docs/hosting/README.md',
      { 'the package file': () => block(packCommands()), limits: limitTable },
    ],
    [
      'docs/cli.md',
      {
        'exit codes and output': outcomeTable,
        'commands of the command line': commandLineSections,
      },
    ],
    ['docs/library.md', { exports: librarySections }],
    [
      'docs/formats.md',
      { 'the fields of a session': sessionTables, 'the fields of a snapshot': snapshotTables },
    ],
    [
      'skills/seo-sandbox/SKILL.md',
      {
        'what is required': requiredRun,
        'the checks': checkList,
        'exit codes': exitCodeList,
        'the pages': pageList,
      },
    ],
    ['SECURITY.md', { 'the supported versions': supportedVersions }],
    ['docs/recipes/github-actions/README.md', { 'the action': actionWorkflow }],
    ['README.md', { 'the first commands': () => firstCommands() }],
    ['docs/hosting/several-servers.md', { 'the servers': () => block(storeCommands()) }],
    [
      'docs/getting-started.md',
      { 'the first commands': () => firstCommands(), 'how to install it': () => installation() },
    ],
  ])('%s', async (path, parts) => {
    let page = read(path)
    for (const [name, derive] of Object.entries(parts)) page = withPart(page, name, derive())
    await expect(page).toMatchFileSnapshot(`../${path}`)
  })
})

test('the skill has the form that agents load, in fewer than 150 lines', () => {
  const [, front = '', body = ''] =
    /^---\n([^]*?)\n---\n([^]*)$/.exec(read('skills/seo-sandbox/SKILL.md')) ?? []
  const { name, description } = parseYaml(front) as Record<string, string>
  expect(name).toBe('seo-sandbox')
  expect(description?.length).toBeLessThan(1024)
  expect(body.split('\n').length).toBeLessThan(140)
})

describe('the repository', () => {
  test('of package.json is where homepage and bugs are', async () => {
    await expect(withRepository(read('package.json'))).toMatchFileSnapshot('../package.json')
  })

  test('that its owner sets is named by package.json, in the first commands and for the action', () => {
    const repository = { type: 'git', url: 'git+https://git.example/seo/sandbox.git' }
    const text = JSON.stringify({ name: 'seo-sandbox', license: 'MIT', repository })
    expect(JSON.parse(withRepository(text))).toEqual({
      name: 'seo-sandbox',
      homepage: 'https://git.example/seo/sandbox#readme',
      bugs: { url: 'https://git.example/seo/sandbox/issues' },
      license: 'MIT',
      repository,
    })
    expect(cloneCommands({ repository })).toBe(
      'git clone https://git.example/seo/sandbox seo-sandbox && cd seo-sandbox\nnpm ci && npm start',
    )
    expect(actionWorkflow({ repository })).toContain(`uses: seo/sandbox@v${packageJson.version}\n`)
  })

  test('has its form for vulnerabilities beside those for issues, where its address is known', async () => {
    await expect(issueChooser()).toMatchFileSnapshot('../.github/ISSUE_TEMPLATE/config.yml')
    const repository = { type: 'git', url: 'git+https://git.example/seo/sandbox.git' }
    expect(issueChooser({ repository })).toContain(
      'url: https://git.example/seo/sandbox/security/advisories/new\n',
    )
  })

  test('that cannot be opened in a browser is an error', () => {
    const repository = { type: 'git', url: 'git@git.example:seo/sandbox.git' }
    expect(() => cloneCommands({ repository })).toThrow('write git+https://HOST/OWNER/NAME.git.')
  })
})

test('the latest minor version is the one that is supported', () => {
  expect(supportedVersions({ version: '2.13.5' })).toContain('| 2.13.x | yes |')
})

describe('from the release that first dates its entries in the changelog', () => {
  test('there is one', () => {
    expect(hasRelease('## [Unreleased]\n\n- Of 0.1.0.\n')).toBe(false)
    expect(hasRelease('## [Unreleased]\n\n## [0.1.0] - 2026-12-01\n')).toBe(true)
  })

  test('the pages begin with the package of the registry, and until then with a clone', () => {
    expect(firstCommands(false)).toMatch(/npm ci && npm start\n[^]*\.tgz && npx seo-sandbox\n/)
    expect(firstCommands(true)).toMatch(
      /in any folder:\n\n```sh\nnpx seo-sandbox\n[^]*npm ci && npm start\n/,
    )
    expect(installation(false)).toContain('seo-sandbox-*.tgz\n')
    expect(installation(true)).toBe('```sh\nnpm install --save-dev seo-sandbox\n```')
  })
})

test('src/contract/version.ts has the version of package.json', async () => {
  const module = `// Written from package.json by \`npm run generate\`.
/** The version of the package. */
export const VERSION = '${packageJson.version}'
`
  await expect(module).toMatchFileSnapshot('../src/contract/version.ts')
})

const starterFolder = new URL('../fixtures/starters', import.meta.url)
const starters = Object.fromEntries(
  readdirSync(starterFolder).map((name) => [name, read(`fixtures/starters/${name}`)]),
)

test('init writes what is in fixtures/starters', () => {
  expect(STARTER_FILES).toEqual(toStarters(starters))
})

test.each(Object.entries(toRecipeClients(starters)))(
  'docs/recipes/%s/client.js is the client of fixtures/starters',
  async (recipe, client) => {
    await expect(client).toMatchFileSnapshot(`../docs/recipes/${recipe}/client.js`)
  },
)

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
