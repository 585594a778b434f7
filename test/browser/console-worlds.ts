import type { Fixtures } from 'seo-sandbox'
import schema from 'seo-sandbox/fixtures/schema.json' with { type: 'json' }

/** The worst text in a partner's data: markup, handlers, links that run code, and direction marks. */
export const HOSTILE = `<script>alert(1)</script><img src=x onerror="alert(2)"><a href="javascript:alert(3)">'&quot;</a> javascript:alert(4) \u202Ecod.exe`

/** The same text, padded beyond any readable length: 200 kB. */
export const LONG_HOSTILE = `${HOSTILE} ${'x'.repeat(200_000)}`

/** Hostile text within the limits of a bearer value. */
const HOSTILE_TOKEN = `<img/src=x/onerror=alert(5)>"'javascript:alert(6)`.padEnd(4096, 'y')

/** Creates a record of fixtures with hostile text in every field that takes any text. */
function hostile(definition: keyof typeof schema.$defs, record: object): never {
  const { properties } = schema.$defs[definition] as { properties: Record<string, FieldSchema> }
  const texts = Object.entries(properties)
    .filter(([, field]) => isText(field))
    .map(([name]) => [name, LONG_HOSTILE])
  return { ...Object.fromEntries(texts), ...record } as never
}

interface FieldSchema {
  type?: string | string[]
  enum?: unknown
  pattern?: unknown
}

function isText({ type = [], enum: options, pattern }: FieldSchema): boolean {
  return [type].flat().includes('string') && options === undefined && pattern === undefined
}

const CREATED = { created_at: '2025-12-01T00:00:00Z' }

/** Creates a world with one project: report 1 is pending, 2 has texts, and 3 has content of a scheme that is hostile too. */
export function hostileFixtures(): Fixtures {
  const monthly = { ...CREATED, level: 'project', action_type: 'regular' }
  return {
    version: 1,
    agencies: [hostile('Agency', { id: 1 })],
    countries: [hostile('Country', { id: 45 })],
    languages: [hostile('Language', { id: 1 })],
    users: [hostile('User', { id: 7, agency: 1 })],
    tokens: [
      hostile('Token', { id: 1, token: 'sandbox-agency', agency: 1 }),
      hostile('Token', { id: 2, token: HOSTILE_TOKEN, agency: 1, rate_limit: 'unlimited' }),
    ],
    projects: [
      hostile('Project', {
        ...CREATED,
        id: 101,
        agency: 1,
        country: 45,
        text_language: 1,
        report_language: 1,
        managing_user: 7,
        created_by: 7,
        client_emails: [LONG_HOSTILE],
        keywords: [hostile('Keyword', { id: 1001, create_date: '2025-12-01' })],
        reports: [
          hostile('Report', {
            ...monthly,
            id: 5001,
            report_number: 1,
            status: 'pending',
            date_to_create_texts: '2026-04-01',
          }),
          hostile('Report', {
            ...monthly,
            id: 5002,
            report_number: 2,
            status: 'completed',
            date_to_create_texts: '2026-03-01',
            approved_by: 7,
            content_scheme: 'h3_text_blocks',
            content: { 1001: [{ h3: LONG_HOSTILE, text: LONG_HOSTILE }] },
          }),
          hostile('Report', {
            ...CREATED,
            id: 5003,
            report_number: 3,
            status: 'completed',
            date_to_create_texts: null,
            content_scheme_fields: [LONG_HOSTILE],
            content: {
              1001: { content: { [HOSTILE]: LONG_HOSTILE }, html: { [HOSTILE]: LONG_HOSTILE } },
            },
          }),
        ],
      }),
    ],
  }
}

/** A HAR file of unknown origin. */
export function hostileHar(): object {
  const name = LONG_HOSTILE
  return {
    log: {
      entries: [
        {
          startedDateTime: name,
          request: {
            method: name,
            url: `javascript:alert(1)//${HOSTILE}`,
            headers: [{ name, value: name }],
          },
          response: {
            status: 200,
            content: { text: name, size: 1 },
            headers: [{ name, value: name }],
          },
          _route: name,
          _token: name,
          _decided_by: name,
          _rule: name,
          _gaps: [name],
        },
      ],
    },
  }
}

/** A forged session file. */
export function hostileSession(): object {
  const text = LONG_HOSTILE
  return {
    steps: [
      { at_ms: 1e300, command: { type: text, [text]: text } },
      {
        request: { method: text, path: text, query: text, accept: text, origin: text },
        answer: { status: -1, headers: { [text]: text } },
      },
    ],
  }
}
