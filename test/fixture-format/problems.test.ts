import { describe, expect, test } from 'vitest'
import { COLLECTION_NAMES, REFERENCES } from '../../src/contract/records.ts'
import { createSandbox, FixtureError } from '../../src/index.ts'
import type { FixtureProblem, Fixtures } from '../../src/index.ts'

/** The path of a problem, and what its sentences must say: what is wrong, and what would be right. */
type Expected = string[]

/** A fixture with a `▸` before each place that a problem must point at, in the order of `problems`. */
interface BadFixture {
  title: string
  yaml: string
  problems: Expected[]
}

const AGENCY = `version: 1
agencies:
  - { id: 1, name: North }
`

/** A fixture with these tokens. */
function tokens(...items: string[]): string {
  return `${AGENCY}tokens:\n${items.map((item) => `  - ${item}\n`).join('')}`
}

/** A project of agency 1; `rest` are the lines that follow its own, indented by four. */
function project(rest: string): string {
  return `${AGENCY}projects:
  - id: 1
    agency: 1
    name: Harbour
    status: active
    created_at: 2026-01-01
${rest}`
}

/** A project with keyword 1 and this report. */
function report(fields: string): string {
  return project(`    keywords: [{ id: 1, keyword: fish, create_date: 2026-01-01 }]
    reports:
      - { id: 1, report_number: 1, created_at: 2026-01-01, ${fields} }
`)
}

const unknownKeys: BadFixture[] = [
  {
    title: 'an unknown section gets the nearest name and all the others',
    yaml: `${AGENCY}▸projcts: []\n`,
    problems: [
      ['projcts', '"projcts" is not a field', 'Did you mean "projects"?', 'version, now, frozen'],
    ],
  },
  {
    title: 'an unknown field of a token gets the nearest name',
    yaml: tokens('{ id: 1, name: A, token: a, ▸agencie: 1 }'),
    problems: [['tokens[0].agencie', '"agencie" is not a field', 'Did you mean "agency"?']],
  },
  {
    title: 'an unknown field of a nested report gets the nearest name',
    yaml: report('status: pending, ▸sennt: true'),
    problems: [['projects[0].reports[0].sennt', '"sennt" is not a field', 'Did you mean "sent"?']],
  },
  {
    title: 'an unknown field of a nested keyword that is like no other gets the whole list',
    yaml: project(`    keywords:
      - id: 1
        keyword: fish
        create_date: 2026-01-01
        ▸zzzzzzzz: 1
`),
    problems: [
      [
        'projects[0].keywords[0].zzzzzzzz',
        '"zzzzzzzz" is not a field',
        'Use one of: id, keyword, create_date',
      ],
    ],
  },
  {
    title: 'the project of a nested record is not written again',
    yaml: project('    keywords: [{ id: 1, keyword: a, create_date: 2026-01-01, ▸project: 1 }]\n'),
    problems: [['projects[0].keywords[0].project', '"project" is not a field', 'Use one of']],
  },
  {
    title: 'names that every object has are unknown all the same',
    yaml: `version: 1\n▸constructor: 1\n▸toString: 1\n`,
    problems: [
      ['constructor', '"constructor" is not a field', 'projects'],
      ['toString', '"toString" is not a field', 'projects'],
    ],
  },
]

const wrongValues: BadFixture[] = [
  {
    title: 'a status gets the nearest valid one and all the others',
    yaml: report('status: ▸complete'),
    problems: [
      [
        'projects[0].reports[0].status',
        '"complete"',
        'Did you mean "completed"?',
        'pending, running, completed, failed',
      ],
    ],
  },
  {
    title: 'a status that is like no other gets the list of all',
    yaml: report('status: ▸done'),
    problems: [
      [
        'projects[0].reports[0].status',
        '"done"',
        'Use one of: pending, running, completed, failed.',
      ],
    ],
  },
  {
    title: "a token's status and spent window are one of those there are",
    yaml: tokens('{ id: 1, name: A, token: a, status: ▸disable, spent: ▸day }'),
    problems: [
      ['tokens[0].status', '"disable"', 'Did you mean "disabled"?'],
      ['tokens[0].spent', '"day"', 'minute, hour'],
    ],
  },
  {
    title: 'an unlimited window cannot be spent',
    yaml: tokens('{ id: 1, name: A, token: a, rate_limit: unlimited, spent: ▸minute }'),
    problems: [['tokens[0].spent', 'unlimited minute cannot be spent', 'rate_limit']],
  },
  {
    title: 'every field of a wrong type says which type is right',
    yaml: `version: 1
frozen: ▸maybe
agencies: ▸Northlight
tokens:
  - ▸5
  - ▸null
  - ▸[]
projects:
  - id: ▸"1"
    agency: ▸north
    name: ▸5
    status: ▸null
    created_at: 2026-01-01
    client_emails: ▸a@north.example
    receives_monthly_reports: ▸1
    keywords: ▸{}
    reports: ▸7
`,
    problems: [
      ['frozen', '"maybe" is not', 'true or false'],
      ['agencies', '"Northlight" is not', 'a list'],
      ['tokens[0]', '5 is not', 'a map'],
      ['tokens[1]', 'null is not', 'a map'],
      ['tokens[2]', 'list is not', 'a map'],
      ['projects[0].id', '"1" is not', 'number'],
      ['projects[0].agency', '"north" is not', 'number'],
      ['projects[0].name', '5 is not', 'a text'],
      ['projects[0].status', 'null is not', 'a text'],
      ['projects[0].client_emails', '"a@north.example" is not', 'a list'],
      ['projects[0].receives_monthly_reports', '1 is not', 'true or false'],
      ['projects[0].keywords', 'map is not', 'a list'],
      ['projects[0].reports', '7 is not', 'a list'],
    ],
  },
  {
    title: 'an id is a whole number from 1 that a JavaScript number can hold',
    yaml: `version: 1
agencies:
  - { id: ▸0, name: a }
  - { id: ▸-1, name: b }
  - { id: ▸1.5, name: c }
  - { id: ▸9007199254740993, name: d }
`,
    problems: [
      ['agencies[0].id', '0 is too small'],
      ['agencies[1].id', '-1 is too small'],
      ['agencies[2].id', '1.5 is not', 'whole number'],
      ['agencies[3].id', 'too large', '9007199254740991'],
    ],
  },
  {
    title: 'a number that is none is named as it was written, not as null',
    yaml: `version: 1\nagencies:\n  - { id: ▸.nan, name: a }\n  - { id: ▸.inf, name: b }\n`,
    problems: [
      ['agencies[0].id', 'NaN', 'number'],
      ['agencies[1].id', 'Infinity', 'number'],
    ],
  },
  {
    title: 'a report number is from 1 to 26',
    yaml: project(`    reports:
      - { id: 1, report_number: ▸0, status: pending, created_at: 2026-01-01 }
      - { id: 2, report_number: ▸27, status: pending, created_at: 2026-01-01 }
`),
    problems: [
      ['projects[0].reports[0].report_number', '0 is too small', 'at least 1'],
      ['projects[0].reports[1].report_number', '27 is too large', 'at most 26'],
    ],
  },
  {
    title: 'a bearer value is visible ASCII without spaces',
    yaml: tokens(
      '{ id: 1, name: A, token: ▸"a b" }',
      '{ id: 2, name: B, token: ▸"" }',
      '{ id: 3, name: C, token: ▸schlüssel }',
      '{ id: 4, name: D, token: ▸12345 }',
    ),
    problems: [
      ['tokens[0].token', 'bearer value', 'visible ASCII'],
      ['tokens[1].token', 'bearer value', 'visible ASCII'],
      ['tokens[2].token', 'bearer value', 'visible ASCII'],
      ['tokens[3].token', '12345 is not', 'a text'],
    ],
  },
  {
    title: 'an address or range that is none',
    yaml: tokens(
      `id: 1
    name: A
    token: a
    allowed_ips:
      - ▸10.0.0.0/33
      - ▸"::/129"
      - ▸256.1.1.1
      - ▸10.0.0.1-10.0.0.9
      - ▸10.0.0.0/
      - ▸localhost
      - ▸010.1.1.1
      - ▸""
      - ▸5
      - 203.0.113.0/24`,
      '{ id: 2, name: B, token: b, allowed_ips: ▸203.0.113.7 }',
    ),
    problems: [
      ...[
        '10.0.0.0/33',
        '::/129',
        '256.1.1.1',
        '10.0.0.1-10.0.0.9',
        '10.0.0.0/',
        'localhost',
        '010.1.1.1',
        '',
      ].map((text, index) => [
        `tokens[0].allowed_ips[${index}]`,
        `"${text}" is not an IP address or range`,
        '203.0.113.0/24',
        '2001:db8::/32',
      ]),
      ['tokens[0].allowed_ips[8]', '5 is not', 'a text'],
      ['tokens[1].allowed_ips', '"203.0.113.7" is not', 'a list'],
    ],
  },
  {
    title: 'a rate limit that is none',
    yaml: tokens(
      '{ id: 1, name: A, token: a, rate_limit: ▸60 }',
      '{ id: 2, name: B, token: b, rate_limit: ▸none }',
      '{ id: 3, name: C, token: c, rate_limit: ▸null }',
      '{ id: 4, name: D, token: d, rate_limit: { ▸per_min: 5 } }',
      '{ id: 5, name: E, token: e, rate_limit: { per_minute: ▸1.5, per_hour: ▸lots } }',
      '{ id: 6, name: F, token: f, rate_limit: { per_minute: ▸0 } }',
    ),
    problems: [
      ['tokens[0].rate_limit', 'unlimited', '{ per_minute: 60, per_hour: 1000 }'],
      ['tokens[1].rate_limit', 'unlimited', '{ per_minute: 60, per_hour: 1000 }'],
      ['tokens[2].rate_limit', 'unlimited', '{ per_minute: 60, per_hour: 1000 }'],
      ['tokens[3].rate_limit.per_min', '"per_min" is not a field', 'Did you mean "per_minute"?'],
      ['tokens[4].rate_limit.per_minute', 'whole number', 'unlimited'],
      ['tokens[4].rate_limit.per_hour', 'whole number', 'unlimited'],
      ['tokens[5].rate_limit.per_minute', '0'],
    ],
  },
]

const missing: BadFixture[] = [
  {
    title: 'each missing field is named where its record begins',
    yaml: `version: 1
agencies:
  - ▸{ id: 1 }
countries: [▸▸{}]
tokens:
  - ▸▸id: 1
    agency: 1
projects:
  - ▸▸▸▸id: 1
    keywords: [▸▸▸{}]
    reports: [▸▸▸▸{}]
`,
    problems: [
      ['agencies[0].name', 'required', 'a text'],
      ['countries[0].id', 'required', 'a number'],
      ['countries[0].label', 'required', 'a text'],
      ['tokens[0].name', 'required', 'a text'],
      ['tokens[0].token', 'required', 'a text'],
      ...['agency', 'created_at', 'name', 'status'].map((field) => [
        `projects[0].${field}`,
        'required',
      ]),
      ...['create_date', 'id', 'keyword'].map((field) => [
        `projects[0].keywords[0].${field}`,
        'required',
      ]),
      ['projects[0].reports[0].created_at', 'required'],
      ['projects[0].reports[0].id', 'required', 'a number'],
      ['projects[0].reports[0].report_number', 'required', 'a number'],
      ['projects[0].reports[0].status', 'required', 'pending, running'],
    ],
  },
  {
    title: 'the version of the format',
    yaml: `▸agencies:\n  - { id: 1, name: North }\n`,
    problems: [['', 'version', 'missing', 'version: 1']],
  },
  {
    title: 'the version of the format, beside every other problem',
    yaml: `▸agencies:\n  - { id: 1, name: ▸5 }\n`,
    problems: [
      ['', 'version', 'missing', 'version: 1'],
      ['agencies[0].name', '5 is not', 'a text'],
    ],
  },
  ...['2', '"1"', 'null', '[]'].map((version) => ({
    title: `version ${version} is not one that can be read`,
    yaml: `version: ▸${version}\nagencies: []\n`,
    problems: [['version', 'Write 1.']],
  })),
]

const betweenRecords: BadFixture[] = [
  {
    title: 'an id that stands twice names the place of the first',
    yaml: `version: 1
agencies:
  - { id: 1, name: North }
  - { id: 2, name: South }
  - { id: ▸1, name: West }
`,
    problems: [['agencies[2].id', 'id 1', 'agencies[0]', 'id of its own']],
  },
  {
    title: 'keywords and reports have ids of their own in the whole world, not in their project',
    yaml: `${project(`    keywords: [{ id: 1, keyword: a, create_date: 2026-01-01 }]
    reports: [{ id: 1, report_number: 1, status: pending, created_at: 2026-01-01 }]
`)}  - id: 2
    agency: 1
    name: Mill
    status: active
    created_at: 2026-01-01
    keywords: [{ id: ▸1, keyword: a, create_date: 2026-01-01 }]
    reports: [{ id: ▸1, report_number: 1, status: pending, created_at: 2026-01-01 }]
`,
    problems: [
      ['projects[1].keywords[0].id', 'id 1', 'projects[0].keywords[0]', 'keyword'],
      ['projects[1].reports[0].id', 'id 1', 'projects[0].reports[0]', 'report'],
    ],
  },
  {
    title: 'an id that stands twice is told also where the first record is wrong otherwise',
    yaml: `version: 1\nagencies:\n  - { id: 1, name: ▸5 }\n  - { id: ▸1, name: West }\n`,
    problems: [
      ['agencies[0].name', '5 is not', 'a text'],
      ['agencies[1].id', 'id 1', 'agencies[0]'],
    ],
  },
  {
    title: 'a report number stands once in a project, whatever the level (G-080)',
    yaml: project(`    reports:
      - { id: 11, report_number: ▸4, status: pending, created_at: 2026-01-01 }
      - { id: 12, report_number: ▸4, status: pending, created_at: 2026-01-01, level: keyword }
`),
    problems: [
      ['projects[0].reports[0].report_number', 'Report 12', 'number 4', 'its own'],
      ['projects[0].reports[1].report_number', 'Report 11', 'number 4', 'its own'],
    ],
  },
  {
    title: 'a bearer value belongs to one token',
    yaml: tokens('{ id: 1, name: A, token: ▸same }', '{ id: 2, name: B, token: ▸same }'),
    problems: [
      ['tokens[0].token', 'Token 2', 'same bearer value', 'its own'],
      ['tokens[1].token', 'Token 1', 'same bearer value', 'its own'],
    ],
  },
  {
    title: 'a reference is checked also where its record is wrong otherwise',
    yaml: project('    plan: ▸5\n    country: ▸9\n'),
    problems: [
      ['projects[0].plan', '5 is not', 'a text'],
      ['projects[0].country', 'no country 9'],
    ],
  },
  {
    title: 'a reference to a record that is wrong otherwise does not dangle',
    yaml: `version: 1
agencies:
  - { id: 1, name: ▸5 }
users:
  - { id: 1, name: Maja, agency: 1 }
`,
    problems: [['agencies[0].name', '5 is not', 'a text']],
  },
  {
    title: 'content for a keyword of another project',
    yaml: `${report('status: completed, content: { ▸2: [{ h3: Fish, text: Fresh. }] }')}  - id: 2
    agency: 1
    name: Mill
    status: active
    created_at: 2026-01-01
    keywords: [{ id: 2, keyword: flour, create_date: 2026-01-01 }]
`,
    problems: [['projects[0].reports[0].content.2', 'Project 1 has no keyword 2', 'its keywords']],
  },
]

const content: BadFixture[] = [
  {
    title: 'blocks under another scheme',
    yaml: report(
      'status: completed, content_scheme: faq, content: { 1: ▸[{ h3: Fish, text: Fresh. }] }',
    ),
    problems: [
      ['projects[0].reports[0].content.1', 'other than h3_text_blocks', '{ content, html }'],
    ],
  },
  {
    title: 'both forms under h3_text_blocks',
    yaml: report('status: completed, content: { 1: ▸{ content: { q: a }, html: [] } }'),
    problems: [
      [
        'projects[0].reports[0].content.1',
        'h3_text_blocks is a list of blocks',
        '{ h3, text }',
        'content_scheme',
      ],
    ],
  },
  {
    title: 'a block with a field that it does not have, and without one that it needs',
    yaml: report('status: completed, content: { 1: [▸{ ▸h4: Fish, text: Fresh. }] }'),
    problems: [
      ['projects[0].reports[0].content.1[0].h3', 'required', 'a text'],
      ['projects[0].reports[0].content.1[0].h4', '"h4"', 'Did you mean "h3"?'],
    ],
  },
  {
    title: 'blocks that are none',
    yaml: report('status: completed, content: { 1: [▸Fish, { h3: ▸5, text: Fresh. }] }'),
    problems: [
      ['projects[0].reports[0].content.1[0]', '"Fish" is not', 'a map'],
      ['projects[0].reports[0].content.1[1].h3', '5 is not', 'a text'],
    ],
  },
  {
    title: 'content that is a text',
    yaml: report('status: completed, content: { 1: ▸Fish }'),
    problems: [
      ['projects[0].reports[0].content.1', 'list of blocks { h3, text }', '{ content, html }'],
    ],
  },
  {
    title: 'content that is not keyed by keyword',
    yaml: report('status: completed, content: { ▸fish: [] }'),
    problems: [['projects[0].reports[0].content.fish', 'keyed by keyword id', 'whole number']],
  },
  {
    title: 'one form of another scheme without the other',
    yaml: report('status: completed, content_scheme: faq, content: { 1: ▸{ content: { q: a } } }'),
    problems: [['projects[0].reports[0].content.1.html', 'list', 'map']],
  },
  {
    title: 'forms of another scheme that are texts',
    yaml: report(
      'status: completed, content_scheme: faq, content: { 1: { content: ▸a, html: [] } }',
    ),
    problems: [['projects[0].reports[0].content.1.content', 'list', 'map']],
  },
]

const policies: BadFixture[] = [
  {
    title: 'an unknown policy and an unknown option, each with what there is',
    yaml: `version: 1
policies:
  ▸foreign-projct: 403
  foreign-project: ▸402
  ▸G-999: 1
  ▸G-008: ignored
`,
    problems: [
      [
        'policies.foreign-projct',
        '"foreign-projct" is not a policy',
        'Did you mean "foreign-project"?',
        'abilities',
      ],
      ['policies.foreign-project', '402', 'is not an option', 'G-013', '403, 404'],
      ['policies.G-999', '"G-999" is not a policy', 'abilities'],
      ['policies.G-008', 'G-008', 'one behaviour', 'Leave it out.'],
    ],
  },
  {
    title: 'an option that is a list does not hide the other problems',
    yaml: `version: 1\npolicies:\n  foreign-project: ▸402\n  rate-window: ▸[fixed]\n`,
    problems: [
      ['policies.foreign-project', '402', 'is not an option', '403, 404'],
      ['policies.rate-window', 'list', 'fixed'],
    ],
  },
  {
    title: 'policies that are a list',
    yaml: `version: 1\npolicies: ▸[foreign-project=403]\n`,
    problems: [['policies', 'list is not', 'a map']],
  },
]

const syntax: BadFixture[] = [
  {
    title: 'a list that is not closed',
    yaml: `version: 1\nagencies: [\n▸`,
    problems: [['', 'not valid YAML', ']']],
  },
  {
    title: 'a tab as indentation',
    yaml: `version: 1\nagencies:\n▸\t- { id: 1, name: North }\n`,
    problems: [['', 'not valid YAML', 'Tabs are not allowed']],
  },
  {
    title: 'an unknown tag',
    yaml: `version: 1\nagencies: ▸!!js/function "x"\n`,
    problems: [['', 'not valid YAML', 'js/function']],
  },
  {
    title: 'a key that stands twice',
    yaml: tokens('id: 1\n    name: A\n    ▸name: B\n    token: a'),
    problems: [['', 'key stands twice', 'Keep one']],
  },
  {
    title: '__proto__ as a key, at the top and inside',
    yaml: `version: 1\n▸__proto__: { now: 2026-01-01 }\npolicies: { ▸"__proto__": 1 }\n`,
    problems: [
      ['', '"__proto__" cannot be a key', 'Remove it'],
      ['', '"__proto__" cannot be a key', 'Remove it'],
    ],
  },
  {
    title: 'a list as a key',
    yaml: `version: 1\n? ▸[a, b]\n: 1\n`,
    problems: [['', 'cannot be a key', 'plain name']],
  },
  {
    title: 'two documents',
    yaml: `version: 1\n▸---\nversion: 1\n`,
    problems: [['', 'one YAML document', '---']],
  },
  {
    title: 'an alias of an anchor that is nowhere',
    yaml: `version: 1\nagencies: ▸*nowhere\n`,
    problems: [['', 'nowhere', 'anchor']],
  },
  {
    title: 'a problem behind an alias, at its anchor',
    yaml: tokens(
      '{ id: 1, name: A, token: a, rate_limit: &limit { per_minute: ▸▸lots } }',
      '{ id: 2, name: B, token: b, rate_limit: *limit }',
    ),
    problems: [
      ['tokens[0].rate_limit.per_minute', 'whole number', 'unlimited'],
      ['tokens[1].rate_limit.per_minute', 'whole number', 'unlimited'],
    ],
  },
  {
    title: 'a list',
    yaml: `▸- version: 1\n`,
    problems: [['', 'list is not', 'a map']],
  },
  {
    title: 'a text',
    yaml: `# a comment\n▸hello\n`,
    problems: [['', '"hello" is not', 'a map']],
  },
  {
    title: 'NUL bytes',
    yaml: `▸\0\0\0\0`,
    problems: [['', 'is not', 'a map']],
  },
  {
    title: 'lines that end as on Windows count as one line each',
    yaml: 'version: 1\r\nagencies:\r\n  - { id: 1, name: North }\r\n  - id: 2\r\n    name: ▸5\r\n▸frozn: true\r\n',
    problems: [
      ['agencies[1].name', '5 is not', 'a text'],
      ['frozn', '"frozn"', 'Did you mean "frozen"?'],
    ],
  },
  {
    title: 'a byte order mark does not count as a column',
    yaml: '\uFEFF▸verson: 1\nversion: 1\n',
    problems: [['verson', '"verson"', 'Did you mean "version"?']],
  },
  {
    title: 'JSON, with the line and column of its own',
    yaml: `{\n  "version": 1,\n  "agencies": [\n    { "id": 1, "name": ▸5 }\n  ]\n}\n`,
    problems: [['agencies[0].name', '5 is not', 'a text']],
  },
]

const groups = Object.entries({
  'unknown keys': unknownKeys,
  'wrong values': wrongValues,
  'missing fields': missing,
  'rules between records': betweenRecords,
  'report content': content,
  policies,
  'what is not a fixture': syntax,
})

describe.each(groups)('a fixture is refused with place and remedy: %s', (_, fixtures) => {
  test.each(fixtures)('$title', async ({ yaml, problems }) => {
    const { text, places } = readMarks(yaml)
    expect(places, 'a mark for each problem').toHaveLength(problems.length)
    const found = await problemsOf(text)
    expect(found.map(({ line, column }) => ({ line, column }))).toEqual(places)
    expect(found.map(({ path }) => path)).toEqual(problems.map(([path]) => path))
    for (const [index, [, ...says]] of problems.entries()) {
      for (const phrase of says) expect(found[index]?.message).toContain(phrase)
    }
  })
})

describe('dates', () => {
  const REMEDY = ['with a day that exists and Z or an offset', 'now-3d', 'month+0/05']

  test.each([
    '2026-02-30',
    '2026-02-29T00:00:00Z',
    '2026-13-01',
    '2026-00-10',
    '2026-03-15T12:00:00',
    '2026-03-15 12:00:00Z',
    '2026-03-15T25:00:00Z',
    '2026-03-15T24:00:00Z',
    '2026-03-15T12:60:00Z',
    '2026-03-15T23:59:60Z',
    '2026-03-15T12:00:00+24:00',
    '2026-03-15T12:00:00+0100',
    '2026-03-15T12:00:00.1234567Z',
    '2026-3-5',
    '26-03-05',
    '0000-01-01',
    'yesterday',
    'now-3',
    'now+1y',
    'now - 3d',
    'now-100000d',
    'Now',
    'month/05',
    'month+0/5',
    'month+0/00',
    'month+0/32',
    '""',
  ])('%s is not a date and time, nor a date', async (written) => {
    const { text, places } = readMarks(
      project(`    keywords: [{ id: 1, keyword: fish, create_date: ▸${written} }]
`).replace('created_at: 2026-01-01', `created_at: ▸${written}`),
    )
    const found = await problemsOf(text)
    expect(found.map(({ line, column }) => ({ line, column }))).toEqual(places)
    const quoted = `"${written.replaceAll('"', '')}" is not a date`
    for (const phrase of [quoted, ...REMEDY]) expect(found[0]?.message).toContain(phrase)
    for (const phrase of [quoted, 'Write a day that exists, like 2026-03-15']) {
      expect(found[1]?.message).toContain(phrase)
    }
  })

  test('a day is not a datetime: a field of days refuses a time', async () => {
    const { text, places } = readMarks(
      report('status: pending, date_to_create_texts: ▸2026-03-15T00:00:00Z'),
    )
    const [found] = await problemsOf(text)
    expect(found).toMatchObject({
      ...places[0],
      path: 'projects[0].reports[0].date_to_create_texts',
      message: expect.stringContaining('Write a day that exists, like 2026-03-15') as string,
    })
  })

  test.each([
    ['now', `version: 1\nnow: ▸20260315\n`],
    ['projects[0].created_at', project('').replace('2026-01-01', '▸20260101')],
  ])('a number for %s is told to be a date, not a text', async (path, yaml) => {
    const { text, places } = readMarks(yaml)
    const [found] = await problemsOf(text)
    expect(found).toMatchObject({ ...places[0], path })
    expect(found?.message).toContain('2026-03-15T12:00:00Z')
  })
})

describe('references', () => {
  const references = COLLECTION_NAMES.flatMap((collection) =>
    Object.entries(REFERENCES[collection])
      .filter(([field]) => field !== 'project')
      .map(([field, target]) => ({ collection, field, target })),
  )

  test('are these, and no other', () => {
    expect(references.map(({ collection, field }) => `${collection}.${field}`)).toEqual([
      'users.agency',
      'tokens.agency',
      'projects.agency',
      'projects.country',
      'projects.text_language',
      'projects.report_language',
      'projects.managing_user',
      'projects.created_by',
      'reports.approved_by',
      'reports.managed_by',
    ])
  })

  test.each(references)(
    '$field of $collection must be the id of one of $target',
    async ({ collection, field, target }) => {
      const world = worldWith(collection, { [field]: 999 })
      const text = JSON.stringify(world, null, 2)
      const [found, ...others] = await problemsOf(text)
      expect(others).toEqual([])
      const isNested = collection === 'reports' || collection === 'keywords'
      expect(found).toMatchObject({
        ...positionOf(text, text.indexOf('999')),
        path: `${isNested ? 'projects[0].' : ''}${collection}[0].${field}`,
      })
      for (const phrase of ['There is no', '999', target]) {
        expect(found?.message).toContain(phrase)
      }
    },
  )

  function worldWith(collection: string, fields: Record<string, unknown>): object {
    const the = (name: string) => (name === collection ? fields : {})
    const created_at = '2026-01-01'
    return {
      version: 1,
      agencies: [{ id: 1, name: 'North' }],
      users: [{ id: 1, name: 'Maja', ...the('users') }],
      tokens: [{ id: 1, name: 'A', token: 'a', ...the('tokens') }],
      projects: [
        {
          id: 1,
          agency: 1,
          name: 'Harbour',
          status: 'active',
          created_at,
          ...the('projects'),
          keywords: [{ id: 1, keyword: 'fish', create_date: '2026-01-01', ...the('keywords') }],
          reports: [{ id: 1, report_number: 1, status: 'pending', created_at, ...the('reports') }],
        },
      ],
    }
  }
})

describe('all problems at once', () => {
  test('problems in several records are one error, each with its place and a sentence', async () => {
    const { text, places } = readMarks(`version: 1
frozen: ▸maybe
agencies:
  - { id: 1, name: North }
  - { id: ▸1, name: South }
users:
  - { id: 1, name: Maja, agency: ▸9 }
projects:
  - id: 1
    agency: 1
    name: Harbour
    status: active
    created_at: ▸2026-02-30
    reports:
      - { id: 1, report_number: 1, status: ▸completd, created_at: 2026-01-01 }
      - { id: 2, report_number: 2, status: pending, created_at: 2026-01-01, approved_by: ▸9 }
`)
    const found = await problemsOf(text)
    expect(found.map(({ line, column }) => ({ line, column }))).toEqual(places)
    expect(found.map(({ path }) => path)).toEqual([
      'frozen',
      'agencies[1].id',
      'users[0].agency',
      'projects[0].created_at',
      'projects[0].reports[0].status',
      'projects[0].reports[1].approved_by',
    ])
  })

  test('the message has the place on one line and the sentence, indented, on the next', async () => {
    const { text, places } = readMarks(report('status: ▸done'))
    const error = await refusalOf({ files: [{ name: 'worlds/a.yaml', text }] })
    const [place, sentence, ...rest] = error.message.split('\n')
    expect(place).toBe(
      `worlds/a.yaml:${places[0]?.line}:${places[0]?.column}  projects[0].reports[0].status`,
    )
    expect(sentence).toMatch(/^ {2}"done" .+ Use one of: pending, running, completed, failed\.$/)
    expect(rest).toEqual([])
    expect([error.name, error.code]).toEqual(['FixtureError', 'invalid_fixture'])
  })

  test('a problem of the file as a whole has the file alone as its place', async () => {
    const error = await refusalOf({ files: [{ name: 'worlds/a.yaml', text: '' }] })
    expect(error.message).toBe('worlds/a.yaml\n  The fixture is empty. Begin with: version: 1')
  })

  test('a long message shows the first 50 and counts the rest, which `problems` holds', async () => {
    const text = `version: 1\nagencies:\n${'  - { name: North }\n'.repeat(60)}`
    const { problems, message } = await refusalOf(text)
    expect(problems).toHaveLength(60)
    expect(message.match(/^fixtures:\d+:5 {2}agencies/gm)).toHaveLength(50)
    expect(message).toMatch(/\n… and 10 more\.$/)
  })

  test('problems of several files each name their own', async () => {
    const first = readMarks(`version: 1\nagencies:\n  - { id: 1, name: ▸5 }\n`)
    const second = readMarks(`agencies:\n  - { id: ▸1, name: West }\n▸languges: []\n`)
    const found = await problemsOf({
      files: [
        { name: 'b.yaml', text: first.text },
        { name: 'a.yaml', text: second.text },
      ],
    })
    expect(found).toEqual([
      { file: 'a.yaml', ...second.places[0], path: 'agencies[0].id', message: expect.any(String) },
      { file: 'a.yaml', ...second.places[1], path: 'languges', message: expect.any(String) },
      { file: 'b.yaml', ...first.places[0], path: 'agencies[0].name', message: expect.any(String) },
    ])
    expect(found[0]?.message).toContain('agencies[0] of b.yaml')
  })

  test('each of several files that are no YAML is told, with every problem of the others', async () => {
    const found = await problemsOf({
      files: [
        { name: 'a.yaml', text: 'version: 1\nusers: [\n' },
        { name: 'b.yaml', text: 'languages: {\n' },
        { name: 'c.yaml', text: 'countries:\n  - { id: 1, label: 5 }\n' },
      ],
    })
    expect(found.map(({ file, path }) => [file, path])).toEqual([
      ['a.yaml', ''],
      ['b.yaml', ''],
      ['c.yaml', 'countries[0].label'],
    ])
  })

  test('a reference into a file that is no YAML is not called dangling', async () => {
    const found = await problemsOf({
      files: [
        { name: 'agencies.yaml', text: 'version: 1\nagencies: [{ id: 1, name: North }\n' },
        { name: 'users.yaml', text: 'users: [{ id: 1, name: Maja, agency: 1 }]\n' },
      ],
    })
    expect(found.map(({ file }) => file)).toEqual(['agencies.yaml'])
  })

  test('a file of comments alone is empty', async () => {
    const [found] = await problemsOf('# version: 1\n# agencies: []\n')
    expect(found?.message).toContain('The fixture is empty. Begin with: version: 1')
  })

  test('what a fixture says cannot steer the terminal that shows the message', async () => {
    const { message } = await refusalOf(
      String.raw`version: 1
"\e[31mred": 1
frozen: "\e[32mgreen"
`,
    )
    expect(message).toContain('red')
    expect(message).toContain('green')
    expect(message.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })
})

describe('a fixture that would exhaust a parser is refused in one sentence', () => {
  const LETTERS = 'abcdefgh'.split('')
  const billionLaughs = [
    'version: 1',
    'agencies: &a [x, x, x, x, x, x, x, x, x, x]',
    ...LETTERS.slice(1).map((letter, index) => {
      const alias = `*${LETTERS[index]}`
      return `${letter}: &${letter} [${Array.from({ length: 10 }).fill(alias).join(', ')}]`
    }),
  ].join('\n')
  const selfInContent = (forms: string) =>
    report(`status: completed, content_scheme: faq, content: { 1: ${forms} }`)

  test.each([
    { title: 'ten to the eighth aliases', text: billionLaughs, says: ['aliases', '1000 times'] },
    {
      title: 'a section that contains itself',
      text: `version: 1\nagencies: &self [*self]\n`,
      says: [],
    },
    {
      title: 'content with a list that contains itself',
      text: selfInContent('{ content: &self [*self], html: [] }'),
      says: ['contain'],
    },
    {
      title: 'content with a map that contains itself',
      text: selfInContent('{ content: [], html: &self { a: { b: *self } } }'),
      says: ['contain'],
    },
    {
      title: 'a hundred thousand lists that are not closed',
      text: '['.repeat(100_000),
      says: ['nested too deeply'],
    },
    {
      title: 'five thousand lists that are closed',
      text: `version: 1\nagencies: ${'['.repeat(5000)}${']'.repeat(5000)}\n`,
      says: ['nested too deeply'],
    },
    {
      title: 'twenty thousand maps on one line',
      text: `version: 1\nagencies: ${'{a: '.repeat(20_000)}`,
      says: ['nested too deeply'],
    },
    {
      title: 'two thousand maps, each a space further in',
      text: Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
      says: ['nested too deeply'],
    },
  ])('$title', async ({ text, says }) => {
    const { problems, message } = await refusalOf(text)
    expect(problems).toHaveLength(1)
    for (const phrase of says) expect(message).toContain(phrase)
    expect(message).not.toContain('call stack')
  })
})

describe('a fixture given as an object', () => {
  const circular: { version: number; agencies: unknown[] } = { version: 1, agencies: [] }
  circular.agencies.push(circular)
  const loop: unknown[] = []
  loop.push(loop)

  test.each([
    {
      title: 'has paths without lines',
      fixtures: { version: 1, agencies: [{ id: 1, nam: 'North' }] },
      paths: ['agencies[0].nam', 'agencies[0].name'],
    },
    {
      title: 'that contains itself',
      fixtures: circular,
      paths: ['agencies[0].agencies', 'agencies[0].id', 'agencies[0].name', 'agencies[0].version'],
    },
    {
      title: 'with content that contains itself',
      fixtures: worldWithContent({ content: loop, html: [] }),
      paths: ['projects[0].reports[0].content.1.content'],
    },
    {
      title: 'with values that JSON does not have',
      fixtures: {
        version: 1,
        agencies: [
          { id: 1n, name: 'North' },
          { id: 2, name: Symbol('South') },
          { id: 3, name: () => 'West' },
          { id: 4, name: new Map() },
        ],
      },
      paths: ['agencies[0].id', 'agencies[1].name', 'agencies[2].name', 'agencies[3].name'],
    },
    {
      title: 'with __proto__ as a key',
      fixtures: JSON.parse('{ "version": 1, "__proto__": { "now": "2026-01-01" } }') as object,
      paths: ['__proto__'],
    },
    { title: 'that is a list', fixtures: [], paths: [''] },
    { title: 'that is a number', fixtures: 5, paths: [''] },
    { title: 'that is true', fixtures: true, paths: [''] },
    { title: 'whose files are none', fixtures: { version: 1, files: 5 }, paths: ['files'] },
  ])('$title', async ({ fixtures, paths }) => {
    const problems = await problemsOf(fixtures as unknown as Fixtures)
    expect(problems.map(({ path }) => path)).toEqual(paths)
    for (const { file, line, column } of problems) {
      expect([file, line, column]).toEqual(['fixtures', undefined, undefined])
    }
  })

  function worldWithContent(forms: object): object {
    const created_at = '2026-01-01'
    const keywords = [{ id: 1, keyword: 'fish', create_date: created_at }]
    const item = { id: 1, report_number: 1, status: 'completed', created_at }
    const reports = [{ ...item, content_scheme: 'faq', content: { 1: forms } }]
    const harbour = { id: 1, agency: 1, name: 'Harbour', status: 'active', created_at }
    return {
      version: 1,
      agencies: [{ id: 1, name: 'North' }],
      projects: [{ ...harbour, keywords, reports }],
    }
  }
})

/** The error that refuses a fixture. Whatever it says is in the house form and in words. */
async function refusalOf(fixtures: Fixtures): Promise<FixtureError> {
  const error: unknown = await createSandbox({ fixtures }).then(
    () => expect.fail('The fixture was accepted.'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(FixtureError)
  const { message, problems } = error as FixtureError
  expect(message).not.toMatch(/undefined|\[object |Invalid input|^\s+at .+:\d+:\d+/m)
  const shown = problems.slice(0, 50).map(houseForm).join('\n')
  expect(message.slice(0, shown.length)).toBe(shown)
  return error as FixtureError
}

function houseForm({ file, line, column, path, message }: FixtureProblem): string {
  const place = line === undefined ? file : `${file}:${line}:${column}`
  return [path === '' ? place : `${place}  ${path}`, `  ${message}`].map(escapeControls).join('\n')
}

function escapeControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))
}

/** The problems of a fixture in the order of their places. */
async function problemsOf(fixtures: Fixtures): Promise<FixtureProblem[]> {
  const { problems } = await refusalOf(fixtures)
  return problems.toSorted(
    (a, b) =>
      a.file.localeCompare(b.file) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0) ||
      a.path.localeCompare(b.path),
  )
}

const MARK = '▸'

/** A text without its marks, and the places that they were at. */
function readMarks(marked: string): { text: string; places: { line: number; column: number }[] } {
  const parts = marked.split(MARK)
  const text = parts.join('')
  const offsets = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('').length)
  return { text, places: offsets.map((offset) => positionOf(text, offset)) }
}

/** The line and column of an offset, as an editor shows them: from 1, a byte order mark not counted. */
function positionOf(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).replace('\uFEFF', '').split('\n')
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}
