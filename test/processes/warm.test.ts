import { test } from 'vitest'
import { fromRoot, runNode } from '../support/cli.ts'

/**
 * A process answers the same at its first request and after 20,000 others. V8 has optimised code wrongly: `URL.canParse` of
 * Node 20 and 22 refuses hosts with letters beyond ASCII once it has run often.
 */

const SCRIPT = `
import { createSandbox } from 'seo-sandbox'

const PROJECTS = 100
const POLICIES = [{ 'domain-form': 'host' }, {}, { 'page-links': 'absolute', 'html-escaping': 'br' }]

/** The answers of new worlds to 400 requests: nothing is in a cache. */
async function answerSome(seed) {
  const projects = Array.from({ length: PROJECTS }, (_, index) => ({
    id: index + 1,
    agency: 1,
    name: 'Fish & Søn ' + (seed * PROJECTS + index),
    status: 'active',
    created_at: '2026-01-01T08:00:00Z',
    domain: 'https://æøå' + index + '.example',
    reports: [{ id: index + 1, report_number: 1, status: 'completed', created_at: '2026-03-01T08:00:00Z', web_link: 'https://ærø.example/1' }],
  }))
  const tokens = [{ id: 1, name: 'Any', token: 'any', agency: 1, rate_limit: 'unlimited' }]
  const fixtures = { version: 1, now: '2026-03-15', frozen: true, agencies: [{ id: 1, name: 'Any' }], tokens, projects }
  // As from a file: V8 keeps a text that was put together as its parts.
  const read = JSON.parse(JSON.stringify(fixtures))
  const sandbox = await createSandbox({ fixtures: read, policies: POLICIES[seed % POLICIES.length] })
  const answers = []
  for (const { id } of projects) {
    for (const path of ['', '/reports', '/reports/latest', '/keywords']) {
      const url = '/api/v1/projects/' + id + path
      const response = await sandbox.fetch(url, { headers: { authorization: 'Bearer any' } })
      answers.push(response.status + ' ' + (await response.text()))
    }
  }
  return answers
}

async function answerFew() {
  const answers = []
  for (let seed = 0; seed < 5; seed += 1) answers.push(...(await answerSome(seed)))
  return answers
}

const before = await answerFew()
for (let seed = 5; seed < 55; seed += 1) await answerSome(seed)
const after = await answerFew()
const differing = before.filter((answer, index) => answer !== after[index])
console.log(JSON.stringify({ answers: before.length, differing: differing.slice(0, 3) }))
`

test('2,000 requests have the same answers after 20,000 others', async ({ expect }) => {
  const args = ['--input-type=module', '--eval', SCRIPT]
  const { stdout, stderr } = await runNode(args, { cwd: fromRoot('.') })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({ answers: 2000, differing: [] })
})
