import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { anonymise } from '../../src/compare/anonymise.ts'
import { COMPARISON_FORMATS, toText } from '../../src/compare/comparison-report.ts'
import { toReadFixture } from '../../src/compare/read-fixture.ts'
import { createSandbox } from '../../src/index.ts'
import type { FixtureInput } from '../../src/index.ts'
import { createRandom } from '../../src/records/random.ts'
import { leaksOf, privateFixture, TOKEN } from './private-world.ts'
import { aService, compareWith, toReport } from './service.ts'

/** `compare`: the files that it writes, and the private texts that they must not contain. */

const KEY = Buffer.alloc(32, 7)

async function read(fixture: FixtureInput) {
  const service = await aService(
    { fixtures: fixture, policies: { 'page-links': 'absolute' } },
    TOKEN,
  )
  const { comparison, answers } = await compareWith(service, { contents: 'all', isRaw: false })
  if (!comparison) throw new Error('It has stopped.')
  return { comparison, answers, fixture: toReadFixture(answers, new Set()).fixture }
}

test('no file has six letters in a row of any text of the source, in any encoding', async () => {
  const { words, fixture } = privateFixture(1)
  const source = await read(fixture)
  expect(leaksOf(words, JSON.stringify(source.fixture))).not.toEqual([])
  const anonymous = await anonymise(source.fixture, KEY)
  expect(leaksOf(words, JSON.stringify(anonymous))).toEqual([])
})

test('no report has them, also of a service in which everything has changed', async () => {
  const { words, fixture } = privateFixture(2)
  const service = await aService({ fixtures: fixture }, TOKEN)
  const { send } = service
  const changing: typeof service = {
    ...service,
    send: async (question) => {
      const received = await send(question)
      const body = received.body.replaceAll(/"([a-z]{12})/g, '"$1 $1')
      return { ...received, body, headers: { ...received.headers, location: `/${words[0]}` } }
    },
  }
  const { comparison } = await compareWith(changing, { isRaw: false })
  if (!comparison) throw new Error('It has stopped.')
  const report = toReport(comparison)
  expect(comparison.unexplained.length).toBeGreaterThan(0)
  const texts = Object.values(COMPARISON_FORMATS).map((write) => write(report, []))
  expect(leaksOf(words, [...texts, toText(report, [])].join('\n'))).toEqual([])
})

test('the same texts get the same names in each run with a key, and others with another', async () => {
  const { fixture } = await read(privateFixture(3).fixture)
  const [one, again, other] = await Promise.all(
    [KEY, KEY, randomBytes(32)].map((key) => anonymise(fixture, key)),
  )
  expect(again).toEqual(one)
  expect(other).not.toEqual(one)
})

test('everything but names, texts and addresses stays, and the fixture is valid', async () => {
  const { fixture } = await read(privateFixture(4).fixture)
  const anonymous = await anonymise(fixture, KEY)
  expect(withoutTexts(anonymous)).toEqual(withoutTexts(fixture))
  await expect(createSandbox({ fixtures: anonymous })).resolves.toBeDefined()
})

const TEXTS = new Set([
  'name',
  'company_name',
  'domain',
  'contact_email',
  'client_emails',
  'report_cc_email',
  'keyword',
  'url',
  'report_name',
  'pdf_link',
  'web_link',
  'h3',
  'text',
  'title',
  'body',
])

function withoutTexts(fixture: FixtureInput): unknown {
  return JSON.parse(JSON.stringify(fixture), (key, value: unknown) =>
    TEXTS.has(key) && value !== null ? typeof value : value,
  )
}

test('what was the same in the source is the same in the fixture', async () => {
  const random = createRandom('same')
  const name = `Acme ${random.integer(1, 9)}`
  const { fixture } = privateFixture(5)
  const projects = (fixture.projects ?? []).map((project) => ({
    ...project,
    name,
    company_name: name,
    contact_email: 'a@acme.example',
    client_emails: ['a@acme.example'],
  }))
  const anonymous = await anonymise({ ...fixture, projects }, KEY)
  for (const project of anonymous.projects ?? []) {
    expect(project.company_name).toBe(project.name)
    expect(project.client_emails).toEqual([project.contact_email])
    expect(project.name).not.toBe(name)
  }
})

test('addresses are valid in a country whose names are not in Latin letters', async () => {
  const { fixture } = await read(privateFixture(6).fixture)
  const countries = (fixture.countries ?? []).map((country) => ({ ...country, label: 'Israel' }))
  const languages = [{ id: 1, label: 'English' }]
  const { projects = [] } = await anonymise({ ...fixture, countries, languages }, KEY)
  const emails = projects.map(({ contact_email }) => contact_email)
  for (const email of emails) expect(email).toMatch(/^[a-z][a-z.-]+@(www\.)?[a-z0-9-]+\.example$/)
  expect(new Set(emails.map((email) => email?.split('@')[1])).size).toBe(emails.length)
})
