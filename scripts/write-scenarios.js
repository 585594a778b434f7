import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

/**
 * Writes src/fixtures/scenarios and src/fixtures/default-seed.ts from the fixtures in YAML, as modules that also
 * browsers can load. They are not in version control: building, testing and checking run this first.
 */

const ROOT = new URL('../', import.meta.url)
const YAML = new URL('fixtures/scenarios/', ROOT)
const MODULES = new URL('src/fixtures/scenarios/', ROOT)
const CODE = new URL('node_modules/.cache/seo-sandbox/parse-fixture.mjs', ROOT)

/** Vitest calls it ahead of all tests. */
export async function setup() {
  await writeScenarios()
  await writeDefaultSeed()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await setup()

async function writeScenarios() {
  const files = (await readdir(YAML)).toSorted()
  const names = files.map((file) => file.replace(/\.yaml$/, ''))
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, YAML), 'utf8')))
  const entries = names.map((name, index) => {
    const purpose = /^# purpose: (.*)$/m.exec(texts[index] ?? '')?.[1]
    if (purpose === undefined)
      throw new Error(`fixtures/scenarios/${name}.yaml has no "# purpose:".`)
    return `  ${JSON.stringify(name)}: {
    purpose: ${JSON.stringify(purpose)},
    load: async (): Promise<string> => (await import('./${name}.ts')).SCENARIO,
  },
`
  })

  await mkdir(MODULES, { recursive: true })
  const modules = [...names, 'index'].map((name) => `${name}.ts`)
  const extra = (await readdir(MODULES)).filter((file) => !modules.includes(file))
  await Promise.all(extra.map((file) => rm(new URL(file, MODULES))))
  await Promise.all(
    names.map((name, index) =>
      write(
        new URL(`${name}.ts`, MODULES),
        `/** The scenario as a fixture in YAML. */
export const SCENARIO: string = ${JSON.stringify(texts[index])}
`,
      ),
    ),
  )
  await write(
    new URL('index.ts', MODULES),
    `/** Small worlds by name, each of which shows one edge case; its text is loaded on demand. */
export const SCENARIOS = {
${entries.join('')}} as const

export type ScenarioName = keyof typeof SCENARIOS
`,
  )
}

/** The default world is written as it is read from its fixture, so that starting it parses and validates nothing. */
async function writeDefaultSeed() {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('src/fixtures/parse-fixture.ts', ROOT)),
    external: /^[^./]/,
    platform: 'node',
  })
  await bundle.write({ file: fileURLToPath(CODE), codeSplitting: false })
  await bundle.close()
  const { parseFixtures } = await import(pathToFileURL(fileURLToPath(CODE)).href)
  const seed = await parseFixtures(await readFile(new URL('fixtures/default.yaml', ROOT), 'utf8'))
  await write(
    new URL('src/fixtures/default-seed.ts', ROOT),
    `import type { Seed } from './seed.ts'

/** The world that is served when no fixture is given, as it is read from its fixture. */
export const DEFAULT_SEED: Seed = ${JSON.stringify(seed)}
`,
  )
}

/**
 * Writes a file that has changed; others keep their time, which build tools go by.
 *
 * @param {URL} file
 * @param {string} text
 */
async function write(file, text) {
  const before = existsSync(file) ? await readFile(file, 'utf8') : undefined
  if (before !== text) await writeFile(file, text)
}
