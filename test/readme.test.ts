import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SCENARIOS } from '../src/fixtures/scenarios/index.ts'
import { createSandbox } from '../src/index.ts'
import { environmentName, SERVE_OPTION_NAMES, SERVE_OPTIONS } from '../src/options.ts'
import type { ServeOption } from '../src/options.ts'

/** What the README shows is what the sandbox does. */
const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

/** The fenced blocks of a language, in order. */
function blocks(language: string): string[] {
  return [...README.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, text = '']) =>
    name === language ? [text] : [],
  )
}

test('the first request has the answer that stands below it', async () => {
  const sandbox = await createSandbox()
  const [, bearer = '', url = ''] =
    /curl -H "Authorization: Bearer ([^"]+)" (\S+)/.exec(README) ?? []
  const response = await sandbox.fetch(url, { headers: { authorization: `Bearer ${bearer}` } })
  expect(await response.json()).toEqual(JSON.parse(blocks('json')[0] ?? ''))
})

test('the fixture loads, and its report is the latest whenever it is run', async () => {
  const sandbox = await createSandbox({ fixtures: blocks('yaml')[0] ?? '' })
  const headers = { authorization: 'Bearer my-token' }
  const response = await sandbox.fetch('/api/v1/projects/101/reports/latest', { headers })
  expect(await response.json()).toMatchObject({ data: { id: 5001, status: 'completed' } })
})

test('the world that is made up has the projects that are asked for', async () => {
  const sandbox = await createSandbox({ fixtures: blocks('yaml')[1] ?? '' })
  const projects = sandbox.world.records.all('projects')
  expect([projects.length, projects[0]?.id]).toEqual([200, 1001])
  expect(Object.keys(SCENARIOS)).toContain(/--scenario ([\w-]+)/.exec(README)?.[1])
})

test('a mistake in it is reported with the place and the sentence that are shown', async () => {
  const fixtures = (blocks('yaml')[0] ?? '').replace('status: completed', 'status: done')
  const [file = '', sentence = ''] = /^agency\.yaml:.*\n.*$/m.exec(README)?.[0].split('\n') ?? []
  await expect(createSandbox({ fixtures })).rejects.toThrow(
    `${file.replace('agency.yaml', 'fixtures')}\n${sentence}`,
  )
})

test('the token table is that of the default world', async () => {
  const sandbox = await createSandbox()
  const listed = [...README.matchAll(/^\| `(sandbox-[\w-]+)` \|/gm)].map(([, token]) => token)
  expect(listed).toEqual(sandbox.world.records.all('tokens').map(({ token }) => token))
})

test.each(SERVE_OPTION_NAMES)('the option --%s is listed with its environment variable', (name) => {
  const { value }: ServeOption = SERVE_OPTIONS[name]
  const flag = value ? `--${name} ${value}` : `--${name}`
  expect(README).toContain(`| \`${flag}\` | \`${environmentName(name)}\` |`)
})

test('the policies that are set in the examples exist', async () => {
  const settings = /npx seo-sandbox --policy (.*)$/m.exec(README)?.[1]?.split(' ') ?? []
  const policies = Object.fromEntries(settings.map((setting) => setting.split('=')))
  expect(settings).not.toEqual([])
  await expect(createSandbox({ policies })).resolves.toBeDefined()
})
