import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { REPORT_FORMATS } from '../../src/review/reports/formats.ts'
import type { ReportInput } from '../../src/review/reports/report-input.ts'
import { toTerminal } from '../../src/review/reports/terminal.ts'
import { parseXml } from './parse-xml.ts'
import {
  aCheck,
  aFinding,
  aReview,
  FAILED,
  HOSTILE,
  HOSTILE_REVIEW,
  LARGE,
  NOTHING,
  SESSIONS,
  UNREAD,
} from './some-reviews.ts'

const asIs = (text: string) => text
const PLAIN = { bold: asIs, dim: asIs, green: asIs, red: asIs, yellow: asIs }

const FORMATS: Record<string, (input: ReportInput) => string> = {
  terminal: (input) => toTerminal(input, PLAIN),
  ...REPORT_FORMATS,
}

const { json, ...TO_READ } = FORMATS

test('a terminal shows what failed first, the worst at the top, then counts, reports and the session', () => {
  expect(FORMATS['terminal']?.(FAILED)).toBe(`\
failed retry-after (specification 5.3)
  The request was sent again 60 ms after a 429 that said to wait 12 s.
    #1 GET /api/v1/projects 429
    #2 GET /api/v1/projects?page=2 no response
  Instead: Wait as long as Retry-After says.

warning poll-latest (specification 4.5)
  The request was sent again 60 ms after a 429 that said to wait 12 s.
    #1 GET /api/v1/projects 429
    #2 GET /api/v1/projects?page=2 no response
  Instead: Wait as long as Retry-After says.

notice json-accept (specification 1.1)
  The request was sent again 60 ms after a 429 that said to wait 12 s.
    #1 GET /api/v1/projects 429
    #2 GET /api/v1/projects?page=2 no response
  Instead: Wait as long as Retry-After says.

review 42 requests: 1 check failed, 1 warning, 1 notice, 1 check passed, 1 not exercised.
  not exercised: next-link
reports 1 delivered, 2 never fetched, 1 fetched twice.
  never fetched: project 101, reports 5, 6
  fetched twice: project 102, report 1
requirements 1 met, 1 not met, 1 waived.
  met backoff: It passed.
  not met delivered: 2 are missing. Read them.
  waived warnings: There are some. Change them.
waivers 1 used, 1 unused, 1 expired.
  used warnings: until 2026-04-30: The old client.
  unused probing: until 2026-04-30: The new client. (It did not fail. Remove the waiver.)
  expired one-by-one: until 2026-03-30: A bug. (Remove the waiver, or extend it.)
run command: python3 sync.py; exit code: 0; date: 2026-03-31 18:30:00; release: 1.2.3; world: seed 7, fixtures agency.yaml; policies: foreign-project 403; world clock: 2026-03-01 00:00:00 to 2026-03-31 00:00:05; rate clock: 2026-03-31 18:29:55 to 2026-03-31 18:30:00; sessions: 1
Reproduce it with npx seo-sandbox review out/review.session.jsonl
`)
})

test('a terminal has colours where it is given them', () => {
  const marked = (name: string) => (text: string) => `<${name}>${text}</${name}>`
  const colors = Object.fromEntries(Object.keys(PLAIN).map((name) => [name, marked(name)]))
  const text = toTerminal(FAILED, { ...PLAIN, ...colors })
  expect(text).toContain('<red>failed</red> <bold>retry-after</bold>')
  expect(text).toContain('<red>review</red>')
  expect(toTerminal({ review: aReview() }, { ...PLAIN, ...colors })).toContain(
    '<green>review</green> <bold>3 requests: 1 check passed.</bold>',
  )
})

test.each(Object.keys(FORMATS))('%s says what a review does not cover', (format) => {
  const notice = 'Only what came after 9 is reviewed.'
  const review = aReview({ notice })
  expect(FORMATS[format]?.({ review })).toContain(notice)
})

test.each(Object.entries(TO_READ))(
  '%s names session and time where a review has several sessions, and only there',
  (_, write) => {
    const text = write(SESSIONS)
    for (const part of [
      'Session 3, 2026-03-04 12:00:01: The request was sent again',
      '9 requests in 3 sessions: 1 check failed, 0 checks passed, 1 unsettled.',
      '0 delivered, 1 late, 1 unsettled',
      'Reproduce session 3 with',
    ]) {
      expect(text).toContain(part)
    }
    expect(write(FAILED)).not.toMatch(/session \d/i)
  },
)

test('a report of one of several sessions is named with its session', () => {
  expect(FORMATS['terminal']?.(SESSIONS)).toContain('\n  late: session 2, project 101, report 4\n')
  expect(FORMATS['markdown']?.(SESSIONS)).toContain(
    '| state | session | project | report | completed | first fetched | fetches |\n| --- | --- | --- | --- | --- | --- | --- |\n| late | 2 | 101 | 4 |',
  )
  expect(FORMATS['html']?.(SESSIONS)).toContain('session 2: 101, report 4')
  expect(FORMATS['html']?.(SESSIONS)).toContain('<th scope="row">2, 101, 4')
  expect(FORMATS['junit']?.(SESSIONS)).toContain(
    'late: session 2, project 101, report 4, completed',
  )
})

test('what is unsettled is skipped in JUnit, with what was found, and has no score in HTML', () => {
  const { attributes, children } = parseXml(REPORT_FORMATS.junit(SESSIONS))
  expect(attributes).toMatchObject({ failures: '1', skipped: '1' })
  const [skipped] = children[0]!.children[1]!.children
  expect(skipped?.attributes['message']).toBe('Unsettled: a reset ended the session.')
  expect(skipped?.text).toContain('\nSession 1, 2026-03-04 12:00:01: Open.\n')
  expect(REPORT_FORMATS.html(SESSIONS)).toContain('aria-label="Retries: 0 of 100"')
})

test('JSON is the review', () => {
  expect(JSON.parse(json?.(FAILED) ?? '')).toEqual(FAILED.review)
})

test('a terminal says of many projects in one line which reports are missing', () => {
  const text = FORMATS['terminal']?.(LARGE) ?? ''
  expect(text.match(/^ {2}late: .+$/gm)).toEqual([
    '  late: project 103, report 4; in all 400 reports of 400 projects',
  ])
})

test('a finding that follows from another is no failure of its own, in any format', () => {
  const path = '/api/v1/projects/101/reports/4/content'
  const requests = [{ sequence: 7, method: 'GET', path, status: 503 }]
  const checks = [
    aCheck({ id: 'silent-failure', result: 'failed', findings: [aFinding({ requests })] }),
    aCheck({ id: 'missing-after-error', result: 'failed', findings: [aFinding({ requests })] }),
  ]
  const review = aReview({ verdict: 'failed', checks })
  expect(review.causes).toMatchObject([
    { check: 'missing-after-error', consequences: [{ check: 'silent-failure' }] },
  ])
  expect(REPORT_FORMATS.junit({ review })).toContain('failures="1"')
  for (const [name, write] of Object.entries(TO_READ))
    expect([name, write({ review })]).toEqual([
      name,
      expect.stringContaining('and so a run ended as if everything was done (silent-failure)'),
    ])
})

describe('JUnit', () => {
  test('has a suite for each category: errors fail, what was not exercised is skipped, warnings are output', () => {
    const RUN = Array.from({ length: 9 }, () => 'property')
    const { name, attributes, children } = parseXml(REPORT_FORMATS.junit(FAILED))
    expect([name, attributes]).toEqual([
      'testsuites',
      {
        name: 'seo-sandbox review',
        tests: '13',
        failures: '3',
        errors: '0',
        skipped: '2',
        time: '0',
      },
    ])
    const outcomes = children.map((suite) => [
      suite.attributes['name'],
      suite.attributes['failures'],
      suite.children.map((one) => [one.attributes['name'], one.children.map((part) => part.name)]),
    ])
    expect(outcomes).toEqual([
      [
        'retries',
        '1',
        [
          ['backoff', []],
          ['retry-after', ['failure']],
        ],
      ],
      ['requests', '0', [['json-accept', ['system-out']]]],
      ['paging', '0', [['next-link', ['skipped']]]],
      ['reports', '0', [['poll-latest', ['system-out']]]],
      [
        'required',
        '1',
        [
          ['backoff', []],
          ['delivered', ['failure']],
          ['warnings', ['skipped']],
        ],
      ],
      [
        'waivers',
        '1',
        [
          ['warnings', ['system-out']],
          ['probing', ['system-out']],
          ['one-by-one', ['failure']],
        ],
      ],
      [
        'ledger',
        '0',
        [
          [undefined, RUN],
          ['project 101', ['system-out']],
          ['project 102', ['system-out']],
          [undefined, []],
        ],
      ],
    ])
  })

  test('a failure names its requests, what to do instead, and the session', () => {
    const [failure] =
      parseXml(REPORT_FORMATS.junit(FAILED)).children[0]?.children[1]?.children ?? []
    expect(failure?.attributes).toEqual({
      message: 'The request was sent again 60 ms after a 429 that said to wait 12 s.',
      type: 'retry-after',
    })
    expect(failure?.text.split('\n')).toEqual([
      'Specification 5.3',
      'The request was sent again 60 ms after a 429 that said to wait 12 s.',
      '  #1 GET /api/v1/projects 429',
      '  #2 GET /api/v1/projects?page=2 no response',
      'Instead: Wait as long as Retry-After says.',
      'Reproduce it with npx seo-sandbox review out/review.session.jsonl',
    ])
  })

  test('is well-formed, whatever texts it has, and keeps them', () => {
    const [suite] = parseXml(REPORT_FORMATS.junit(HOSTILE_REVIEW)).children
    const [failure] = suite?.children[0]?.children ?? []
    expect(failure?.attributes['message']).toContain(`<script>alert(1)</script> "&amp;' \`code\``)
    expect(failure?.text).toContain(String.raw`\u202eabc`)
  })
})

test('Markdown has the findings as a list, and the reports as a table', () => {
  const [, ...parts] = REPORT_FORMATS.markdown(FAILED).split(/^##+ /m)
  expect([parts[0], parts[1], parts.at(-1)]).toEqual([
    'Review of the client: failed\n\n42 requests: 1 check failed, 1 warning, 1 notice, 1 check passed, 1 not exercised.\n\n',
    `failed: retry-after (specification 5.3)

Instead: Wait as long as Retry-After says.

- The request was sent again 60 ms after a 429 that said to wait 12 s.
  - \`#1 GET /api/v1/projects 429\`
  - \`#2 GET /api/v1/projects?page=2 no response\`

`,
    `Reports: 1 delivered, 2 never fetched, 1 fetched twice

| state | project | report | completed | first fetched | fetches |
| --- | --- | --- | --- | --- | --- |
| never fetched | 101 | 5 | 2026-03-04 12:00:00 | – | 0 |
| never fetched | 101 | 6 | 2026-03-04 12:00:00 | – | 0 |
| fetched twice | 102 | 1 | 2026-03-04 12:00:00 | 2026-03-04 12:05:00 | 3 |

<details>
<summary>Exercising the remaining checks</summary>

- \`next-link\`: Add a fault, such as one of \`status\` 429.

</details>

<details>
<summary>The run</summary>

- command: python3 sync.py
- exit code: 0
- date: 2026-03-31 18:30:00
- release: 1.2.3
- world: seed 7, fixtures agency.yaml
- policies: foreign-project 403
- world clock: 2026-03-01 00:00:00 to 2026-03-31 00:00:05
- rate clock: 2026-03-31 18:29:55 to 2026-03-31 18:30:00
- sessions: 1

</details>

Reproduce it with \`npx seo-sandbox review out/review.session.jsonl\`
`,
  ])
})

test('Markdown has what was required, and what is waived, as lists', () => {
  const parts = REPORT_FORMATS.markdown(FAILED).split(/^##+ /m)
  expect(parts.filter((part) => /^(?:Requirements|Waivers)/.test(part))).toEqual([
    `Requirements: 1 met, 1 not met, 1 waived

- met: \`backoff\`: It passed.
- not met: \`delivered\`: 2 are missing. Read them.
- waived: \`warnings\`: There are some. Change them.

`,
    `Waivers: 1 used, 1 unused, 1 expired

- used: \`warnings\`: until 2026-04-30: The old client.
- unused: \`probing\`: until 2026-04-30: The new client. (It did not fail. Remove the waiver.)
- expired: \`one-by-one\`: until 2026-03-30: A bug. (Remove the waiver, or extend it.)

`,
  ])
})

test.each(Object.entries(TO_READ))('%s says that a failure is waived', (format, write) => {
  const finding = aFinding({ message: 'Too early.' })
  const check = aCheck({ result: 'failed', findings: [finding], waived: true })
  const text = write({ review: aReview({ checks: [check] }) })
  expect(text).toContain('1 waived, 0 checks passed')
  expect(text).toContain('Too early.')
  if (format === 'junit') expect(text).toContain('<skipped message="Failed, and waived.">')
})

test('in Markdown nothing of a text is markup', () => {
  const lines = REPORT_FORMATS.markdown(HOSTILE_REVIEW).split('\n')
  const escaped = (code: string) =>
    String.raw`\<script\>alert(1)\</script\> "\&amp;' ${code} \[link\](javascript:x) \| \\u001b\[31m`
  const [code, ticks] = ['`code`', String.raw`\`code\``]
  for (const start of [
    `### failed: ${escaped(ticks)}`,
    `- ${escaped(code)}`,
    `- \`poll-latest\`: ${escaped(code)}`,
    `| late | 101 | 4 | ${escaped(ticks)}`,
  ]) {
    expect(lines.filter((line) => line.startsWith(start))).toHaveLength(1)
  }
  // In code everything stays unchanged; a longer fence surrounds backticks.
  expect(lines.find((line) => line.startsWith('  - `` #1 <script>'))).toMatch(/[^`] ``$/)
})

describe('HTML', () => {
  const html = REPORT_FORMATS.html(FAILED)

  test('has scores, findings, and a timeline of the reports', () => {
    for (const part of [
      '<h1>The client failed the review</h1>',
      'aria-label="Retries: 50 of 100"',
      'aria-label="Paging: no score"',
      '<li><code>#2 GET /api/v1/projects?page=2 no response</code>',
      'aria-label="Completion and first fetch of each report"',
      'project 101, report 5',
      '<code>npx seo-sandbox review out/review.session.jsonl</code>',
    ]) {
      expect(html).toContain(part)
    }
  })

  test('allows its own style alone', () => {
    const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? ''
    const digest = createHash('sha256').update(style).digest('base64')
    expect(html).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'">`,
    )
    expect(html).not.toMatch(/ style=|<script|<link|src=|href=/)
  })
})

test.each(Object.entries(TO_READ))('%s escapes what could be markup or a control', (_, write) => {
  const text = write(HOSTILE_REVIEW).replaceAll('\n', '')
  expect(text).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u)
  expect(text).toContain('alert(1)')
})

const anyText = fc.string({ unit: 'binary' })

/** Arbitrary texts of a review, which is also built with plain ones. */
const anyTexts = fc.record({
  id: anyText,
  section: anyText,
  message: anyText,
  instead: anyText,
  path: anyText,
})
const withTexts = ({ id, section, message, instead, path }: typeof PLAIN_TEXTS): ReportInput => ({
  review: aReview({
    checks: [
      aCheck({
        id: id as 'backoff',
        section,
        result: 'failed',
        findings: [
          aFinding({
            requests: [{ sequence: 1, method: 'GET', path, status: 200 }],
            message,
            instead,
          }),
        ],
      }),
    ],
  }),
  session: path,
})
const PLAIN_TEXTS = { id: 'a', section: 'b', message: 'c', instead: 'd', path: 'e' }

test('HTML and JUnit have the same elements whatever the texts are, and Markdown the same lines', () => {
  const elementsOf = (html: string) => html.match(/<\/?(?!code)[a-z][\w-]*/gi)
  const { html, junit, markdown } = REPORT_FORMATS
  fc.assert(
    fc.property(anyTexts, (given) => {
      const [input, plain] = [withTexts(given), withTexts(PLAIN_TEXTS)]
      expect(elementsOf(html(input))).toEqual(elementsOf(html(plain)))
      expect(elementsOf(junit(input))).toEqual(elementsOf(junit(plain)))
      expect(parseXml(junit(input)).children).toHaveLength(2)
      expect(markdown(input).split('\n')).toHaveLength(markdown(plain).split('\n').length)
    }),
  )
})

test.each([
  ['html', '<p dir="auto">Instead: Send <code>page &lt;1&gt;</code> &lt;b&gt;.</p>'],
  ['markdown', String.raw`Instead: Send ${'`page <1>`'} \<b\>.`],
])('%s has code where a text has it between backticks', (format, expected) => {
  const texts = { ...PLAIN_TEXTS, instead: 'Send `page <1>` <b>.' }
  expect(FORMATS[format]?.(withTexts(texts))).toContain(expected)
})

test.each(['html', 'junit'])('%s has no element of a text', (format) => {
  expect(FORMATS[format]?.(HOSTILE_REVIEW)).not.toContain('<script')
})

test.each(Object.entries(TO_READ))('%s says that a client made no request', (_, write) => {
  expect(write(NOTHING)).toContain('The client made no request, so nothing was reviewed.')
})

test('a terminal names no check as not exercised if nothing was reviewed', () => {
  const checks = [aCheck({ result: 'not-exercised' })]
  const text = FORMATS['terminal']!({ review: aReview({ checks, requests: 0 }) })
  expect(text).not.toContain('not exercised')
})

test.each(Object.entries(TO_READ))('%s says how much was not exercised', (_, write) => {
  const checks = [
    ...Array.from({ length: 9 }, () => aCheck()),
    ...Array.from({ length: 9 }, () => aCheck({ result: 'not-exercised' })),
  ]
  expect(write({ review: aReview({ checks }) })).toContain('9 checks passed, 9 not exercised')
})

test.each([
  ['terminal', 3],
  ['markdown', 3],
  ['html', 20],
])('%s is short where a review is long', (format, shown) => {
  const text = FORMATS[format]?.(LARGE) ?? ''
  expect(text).toContain(`Finding ${shown}.`)
  expect(text).not.toContain(`Finding ${shown + 1}.`)
  expect(text).toContain(`and ${200 - shown} more`)
  expect(text).toContain('and 22 more')
})

test('the timeline of HTML has what was not simply delivered first, and its tables an end', () => {
  const html = REPORT_FORMATS.html(LARGE)
  expect(html).toContain('The timeline has 60 of 1200 reports')
  expect(html).toContain('<p class="quiet">and 100 more</p>')
  expect(html).toContain('<p class="quiet">and 500 more</p>')
  expect(html.match(/>late<\/text>/g)).toHaveLength(60)
})

test.each(Object.entries(FORMATS))(
  '%s is the same for the same review, and for none',
  (_, write) => {
    for (const input of [
      FAILED,
      SESSIONS,
      LARGE,
      NOTHING,
      UNREAD,
      { review: aReview({ checks: [] }) },
    ]) {
      expect(write(input)).toBe(write(structuredClone(input)))
    }
  },
)

test('a session is quoted where a shell would not take it for one word', () => {
  expect(FORMATS['terminal']?.({ ...FAILED, session: 'my files/a.json' })).toContain(
    'seo-sandbox review "my files/a.json"\n',
  )
  expect(HOSTILE).toContain('\u001b')
})
