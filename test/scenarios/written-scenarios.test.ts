import { expect, test } from 'vitest'

/**
 * The scenarios that are too large to write by hand, and how they are made. To write them anew:
 * `npx vitest run test/scenarios/written-scenarios.test.ts --update`
 */

test('fixtures/scenarios/large-project.yaml is as it is made here', async () => {
  await expect(largeProject()).toMatchFileSnapshot('../../fixtures/scenarios/large-project.yaml')
})

test('fixtures/scenarios/long-values.yaml is as it is made here', async () => {
  await expect(longValues()).toMatchFileSnapshot('../../fixtures/scenarios/long-values.yaml')
})

const EDITOR_LINE = '# yaml-language-server: $schema=../schema.json'
const MADE = `Made by test/scenarios/written-scenarios.test.ts, which also says how to make it anew.`

const TOKENS = `tokens:
  - { id: 1, name: Sandbox agency, token: sandbox-agency, agency: 1 }
  - { id: 2, name: Sandbox super-admin, token: sandbox-super, agency: null }
  - { id: 5, name: Sandbox unlimited, token: sandbox-unlimited, agency: 1, rate_limit: unlimited }`

const KEYWORDS = 400
const REPORTS = 26

/** Of the reports with an even number, the keywords that lack content: each that this divides. */
const GAP = 7

const KINDS = ['Cheap', 'Organic', 'Local', 'Modern', 'Family', 'Late', 'Quiet', 'Handmade']
const TRADES = ['bakery', 'bike repair', 'garden design', 'piano tuning', 'joinery', 'sailing']
const TOWNS = ['Tusmørke', 'Krähenhub', 'Marehalm', 'Leegwater', 'Lyngheia', 'Surdeg', 'Wirbel']

function largeProject(): string {
  const keywords = countTo(KEYWORDS)
  return `${EDITOR_LINE}
# purpose: one very large project: ${KEYWORDS} keywords, 26 completed reports, content for nearly all of them
#
# How a client does with size: a report's content is one answer of some 130 kB, /keywords lists up to 26 numbers for each keyword.
# ${MADE}
#
# 101  all reports completed, the last one this month. Reports with an odd number have the texts of number 1, for all keywords;
#      those with an even number the texts of number 2, for all but every ${GAP}th. They are aliases, so that this file is a tenth
#      of the world it makes.
version: 1

agencies:
  - { id: 1, name: Klitrose Synlighed, report_cc_email: rapporter@klitrose.example }

${TOKENS}

projects:
  - id: 101
    agency: 1
    name: Blåhvalens Varehus
    status: active
    domain: https://blaahvalen.example
    created_at: month-28/01
    keywords:
${keywords.map(keywordLine).join('\n')}
    reports:
${countTo(REPORTS).map(reportLines).join('\n')}
`
}

function phraseOf(index: number): string {
  return `${cycle(KINDS, index)} ${cycle(TRADES, index)} ${cycle(TOWNS, index)} ${index}`
}

function keywordLine(index: number): string {
  const url = index % 11 === 0 ? '' : `, url: https://blaahvalen.example/${index}`
  const position = index % 5 === 0 ? '' : `, latest_position: ${(index * 37) % 100 || 100}`
  const status = index % 13 === 0 ? '' : `, status_200: ${String(index % 17 !== 0)}`
  return `      - { id: ${10_100 + index}, keyword: ${phraseOf(index).toLowerCase()}, create_date: month-28/02${url}${position}${status} }`
}

function reportLines(number: number): string {
  const fields = `id: ${510_100 + number}, report_number: ${number}, status: completed, created_at: month${signed(number - REPORTS - 1)}/25, date_to_create_texts: month${signed(number - REPORTS)}/05`
  const anchor = number % 2 === 0 ? 'even' : 'odd'
  if (number > 2) return `      - { ${fields}, content: *${anchor} }`
  const content = countTo(KEYWORDS).filter((index) => number === 1 || index % GAP !== 0)
  return [
    ...fields.split(', ').map((field, index) => `${index === 0 ? '      - ' : '        '}${field}`),
    `        content: &${anchor}`,
    ...content.map((index) => contentLine(index, number)),
  ].join('\n')
}

function contentLine(index: number, number: number): string {
  const [kind, trade, town] = [cycle(KINDS, index), cycle(TRADES, index), cycle(TOWNS, index)]
  const [h3, text] =
    number === 1
      ? [`${kind} ${trade}`, `Ask in ${town} & around: number ${index} of our ${trade} pages.`]
      : [`The ${trade} of ${town}`, `${kind} since the first day. Page ${index} says why.`]
  return `          ${10_100 + index}: [{ h3: ${h3}, text: "${text}" }]`
}

const NAME_LENGTH = 255
/** The longest local part, and the longest address that SMTP takes. */
const EMAIL_LENGTH = 254
const URL_LENGTH = 2000
const TEXT_LENGTH = 65_536

function longValues(): string {
  return `${EDITOR_LINE}
# purpose: very long values: names of 255 characters, texts of 65,536, links of 2,000, and the largest ids
#
# For layouts, for columns that are too short, and for integers of 32 bits. What the specification lists as closed, dates and
# bearer values keep their form. ${MADE}
#
# 101               every text as long as its column may be. Latest and last-generated are number 1, whose content is:
#                   keyword 10101  prose of 65,536 characters under a heading of 255
#                   keyword 10102  65,536 characters without a space, more bytes than characters, and more in html: each & grows
#                   keyword 10103  200 short blocks
#                   Number 2 has a content scheme with a name of 255 characters.
# 9007199254740991  the largest id that a JavaScript number holds exactly, of the project, its keyword and its report
version: 1

agencies:
  - { id: 1, name: ${name('Klitrose Synlighed')}, report_cc_email: ${email('rapporter', 'klitrose.example')} }

countries:
  - { id: 45, label: ${name('Kongeriget Langeland')} }

languages:
  - { id: 1, label: ${name('Langsk')} }

users:
  - { id: 11, name: ${name('Ane Tværholm')}, role: ${name('Account manager')}, agency: 1 }

${TOKENS.replace('name: Sandbox agency,', `name: ${name('Sandbox agency')}, abilities: [${name('projects:read')}],`)}

projects:
  - id: 101
    agency: 1
    name: ${name('Rødspætte & Rugbrød')}
    status: ${name('active')}
    company_name: ${name('Rødspætte & Rugbrød ApS')}
    domain: ${link('https://roedspaette.example/')}
    created_at: month-2/01
    country: 45
    text_language: 1
    report_language: 1
    managing_user: 11
    created_by: 11
    contact_email: ${email('kontakt', 'roedspaette.example')}
    client_emails:
${countTo(50)
  .map((index) => `      - ${email(`modtager-${index}`, 'roedspaette.example')}`)
  .join('\n')}
    plan: ${name('Growth')}
    gsc_status: ${name('connected')}
    keywords:
      - { id: 10101, keyword: ${name('fiskerestaurant')}, url: ${link('https://roedspaette.example/menu/')},
          create_date: month-2/02, latest_position: 2147483648, status_200: true }
      - { id: 10102, keyword: "${'stjerneskud'.repeat(24).slice(0, NAME_LENGTH)}", create_date: month-2/02 }
      - { id: 10103, keyword: many blocks, create_date: month-2/02 }
    reports:
      - id: 510101
        report_number: 1
        report_name: ${name('Månedsrapport')}
        status: completed
        created_at: month-1/20
        date_to_create_texts: month+0/10
        approved_status: ${name('approved')}
        approved_by: 11
        managed_status: ${name('completed')}
        managed_by: 11
        pdf_link: ${link('https://files.klitrose.example/510101/')}
        web_link: ${link('https://reports.klitrose.example/510101/')}
        content:
          10101:
            - h3: ${name('Fisk, der blev landet i morges')}
              text: >-
${foldWords(prose(TEXT_LENGTH), '                ')}
          10102:
            - h3: "${'Stjerneskud&'.repeat(22).slice(0, NAME_LENGTH)}"
              text: "${foldLetters('rødspættefilet&'.repeat(5000).slice(0, TEXT_LENGTH), '                ')}"
          10103:
${countTo(200)
  .map((index) => `            - { h3: Block ${index}, text: One of two hundred. }`)
  .join('\n')}
      - id: 510102
        report_number: 2
        status: completed
        created_at: month-2/20
        date_to_create_texts: month-1/10
        content_scheme: ${name('langt_skema')}
        content_scheme_fields:
${countTo(10)
  .map((index) => `          - ${name(`felt_${index}`)}`)
  .join('\n')}
        content:
          10101: { content: [{ felt_1: Short. }], html: ["<p>Short.</p>"] }

  - id: ${Number.MAX_SAFE_INTEGER}
    agency: 1
    name: The largest ids
    status: active
    created_at: month-2/01
    keywords:
      - { id: ${Number.MAX_SAFE_INTEGER}, keyword: largest, create_date: month-2/02 }
    reports:
      - { id: ${Number.MAX_SAFE_INTEGER}, report_number: 26, status: completed, created_at: month-1/20,
          date_to_create_texts: month+0/10, content: { ${Number.MAX_SAFE_INTEGER}: [{ h3: Large, text: And exact. }] } }
`
}

/** A name of 255 characters that begins like this. */
function name(start: string): string {
  return JSON.stringify(
    `${start} ${'med et meget langt navn og '.repeat(10)}`.slice(0, NAME_LENGTH - 1).concat('.'),
  )
}

function email(start: string, host: string): string {
  return `${`${start}.${'langt-navn.'.repeat(30)}`.slice(0, EMAIL_LENGTH - host.length - 2)}x@${host}`
}

function link(start: string): string {
  return `${start}${'meget-lang-sti/'.repeat(140)}`.slice(0, URL_LENGTH - 1).concat('x')
}

function prose(length: number): string {
  const sentence =
    'Vi køber rødspætter på auktionen, før byen vågner, & skifter menukort med fangsten. '
  return sentence
    .repeat(1000)
    .slice(0, length - 1)
    .concat('.')
}

/** The lines of a folded YAML text, which is joined by spaces again when it is read. */
function foldWords(text: string, indent: string): string {
  const lines = text.match(/\S.{0,100}\S(?= |$)/g) ?? []
  return lines.map((line) => `${indent}${line}`).join('\n')
}

/** A quoted YAML text over several lines, which is joined without spaces when it is read. */
function foldLetters(text: string, indent: string): string {
  return (text.match(/.{1,100}/g) ?? []).join(`\\\n${indent}`)
}

function cycle(words: readonly string[], index: number): string {
  return words[index % words.length] ?? ''
}

function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}

function signed(months: number): string {
  return months < 0 ? String(months) : `+${months}`
}
