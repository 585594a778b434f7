import { POLICIES } from '../../src/contract/gaps.ts'
import type { PolicyGap } from '../../src/contract/gaps.ts'
import type { FixtureInput, SandboxOptions } from '../../src/index.ts'
import { createRandom } from '../../src/records/random.ts'
import type { Random } from '../../src/records/random.ts'
import { aProject, aToken } from '../support/worlds.ts'

/** Random worlds with random policies, in place of the real service. */

type Project = NonNullable<FixtureInput['projects']>[number]
type ReportInput = NonNullable<Project['reports']>[number]

/** The token that comparisons use. */
export const TOKEN = 'secret-token'

export function randomOptions(seed: number): SandboxOptions {
  const random = createRandom('comparison', seed)
  const policies = randomPolicies(random)
  const fixtures = randomFixture(random)
  if (random.chance(0.5)) return { fixtures, policies }
  const projects = random.integer(2, 8)
  return {
    fixtures: { ...fixtures, projects: [] },
    generate: { projects },
    seed: String(seed),
    policies,
  }
}

function randomPolicies(random: Random): Record<string, string> {
  return Object.fromEntries(
    POLICIES.flatMap(({ policy, options, accepts }: PolicyGap) => {
      if (random.chance(0.5)) return []
      const values = [...Object.keys(options), ...(accepts ? ['Europe/Copenhagen'] : [])]
      return [[policy, random.pick(values)]]
    }),
  )
}

const LIMITS = [{}, 'unlimited' as const, { per_minute: 120, per_hour: 2000 }]

function randomFixture(random: Random): FixtureInput {
  const agency = random.chance(0.85) ? 1 : null
  const limit = random.pick(LIMITS)
  return {
    version: 1,
    agencies: [
      { id: 1, name: 'Nordlys Medier', report_cc_email: random.pick([null, 'cc@nordlys.example']) },
      { id: 2, name: 'Havblik' },
    ],
    countries: [
      { id: 45, label: 'Denmark' },
      { id: 49, label: 'Austria' },
      { id: 50, label: 'Atlantis', applicable: false },
    ],
    languages: [
      { id: 1, label: 'Danish' },
      { id: 2, label: 'English' },
    ],
    users: [
      { id: 7, name: 'Maja Holm', role: 'Editor', agency: 1 },
      { id: 8, name: 'Anna Berg', agency: 1 },
      { id: 9, name: 'Desk', agency: random.pick([null, 2]) },
    ],
    tokens: [
      aToken({
        id: 4,
        token: TOKEN,
        agency,
        rate_limit: limit,
        abilities: random.pick([
          ['*'],
          ['*'],
          ['projects:read', 'users:read', 'countries:read', 'languages:read'],
        ]),
      }),
      aToken({ id: 5, token: 'other', agency: 2 }),
    ],
    projects: Array.from({ length: random.integer(0, 6) }, (_, index) =>
      randomProject(random, index),
    ),
  }
}

const NAMES = ['Süd & Søn', 'Alder', 'birk 100%', 'Ålborg Optik', 'Zebra', 'Café_Noir', 'Elm']
const DAYS = [
  null,
  'month+0/02',
  'month+0/05',
  'month+0/05',
  'month-1/20',
  'month+1/09',
  'month-3/01',
]

function randomProject(random: Random, index: number): Project {
  const id = 101 + index
  const keywords = Array.from({ length: random.integer(0, 4) }, (_, place) => ({
    id: id * 10 + place,
    keyword: random.pick(['soup', 'fresh fish', 'café', 'an old word']) + place,
    create_date: '2026-01-01',
    url: random.pick([null, 'https://shop.example/fish']),
    latest_position: random.pick([null, 3, 40]),
    status_200: random.pick([null, true, false]),
    active: random.chance(0.8),
  }))
  const numbers = Array.from({ length: random.integer(0, 7) }, (_, place) => place + 1)
  const ids = numbers.map((number) => id * 100 + number).toSorted(() => random.next() - 0.5)
  return aProject({
    id,
    agency: random.chance(0.8) ? 1 : 2,
    name: random.pick(NAMES) + random.pick(['', ' ApS']),
    status: random.pick(['active', 'Active', 'paused']),
    created_at: `2025-0${random.integer(1, 9)}-01T00:00:00Z`,
    company_name: random.pick([null, 'Elm A/S']),
    domain: random.pick([null, 'https://elm.example/shop', 'https://www.oak.example']),
    country: random.pick([null, 45, 50]),
    text_language: random.pick([null, 1, 2]),
    managing_user: random.pick([null, 7, 9]),
    created_by: random.pick([null, 8]),
    client_emails: random.pick([[], ['a@elm.example', 'b@elm.example']]),
    keywords,
    reports: numbers.map((number, place) =>
      randomReport(random, { number, id: ids[place]!, keywords }),
    ),
  })
}

const TEXTS = ['fresh', 'a < b & "c"', 'two\nlines']

function randomReport(
  random: Random,
  { number, id, keywords }: { number: number; id: number; keywords: readonly { id: number }[] },
): ReportInput {
  const status = random.pick(['completed', 'completed', 'pending', 'running', 'failed'] as const)
  const text = () => random.pick(TEXTS)
  const written = status === 'completed' ? keywords.filter(() => random.chance(0.7)) : []
  const isArticle = random.chance(0.1)
  const content = written.map((keyword) => [
    keyword.id,
    isArticle
      ? { content: { title: text() }, html: { title: text() } }
      : [{ h3: text(), text: text() }],
  ])
  return {
    id,
    report_number: number,
    status,
    created_at: `2026-0${random.integer(1, 9)}-0${random.integer(1, 9)}T00:00:00Z`,
    report_name: random.pick([null, 'Monthly']),
    date_to_create_texts: random.pick(DAYS),
    date_to_send_to_client: random.pick(DAYS),
    sent: random.chance(0.3),
    approved_status: random.pick([null, 'approved']),
    approved_by: random.pick([null, 7, 9]),
    web_link: random.pick([null, `https://web.example/${id}`]),
    pdf_link: random.pick([null, `https://web.example/${id}.pdf`]),
    ...(random.chance(0.1) && { level: 'keyword' }),
    ...(random.chance(0.1) && { action_type: 'extra' }),
    ...(content.length === 0 && random.chance(0.1) && { content_scheme: 'h3_text_blocks' }),
    ...(content.length > 0 && { content: Object.fromEntries(content) }),
    ...(content.length > 0 &&
      isArticle && { content_scheme: 'article', content_scheme_fields: ['title'] }),
  }
}
