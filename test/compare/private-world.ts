import { domainToASCII } from 'node:url'
import type { FixtureInput } from '../../src/index.ts'
import { createRandom } from '../../src/records/random.ts'
import { aProject, aToken } from '../support/worlds.ts'

/** A world whose texts all contain private words, which must not leak. */

export const TOKEN = 'private-token'

const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz')
const LENGTH = 12

/** Number of consecutive letters of a word that count as a leak. */
const LEAK = 6

export function privateFixture(seed: number): { words: string[]; fixture: FixtureInput } {
  const random = createRandom('private', seed)
  const words: string[] = []
  const word = () => {
    const made = Array.from({ length: LENGTH }, () => random.pick(LETTERS)).join('')
    words.push(made)
    return made
  }
  const title = () => word().replace(/^./, (letter) => letter.toUpperCase())
  const host = () => `${random.pick(['www.', ''])}${word()}.${random.pick(['example', 'dk'])}`
  const text = () =>
    random.pick([`${title()} & ${word()}.`, `${word()}\n<b>${word()}</b>`, `5 ${word()}s`])
  const url = () => `https://${host()}/${word()}/12-${word()}.html?q=${word()}`
  const projects = Array.from({ length: 3 }, (_, index) => {
    const id = 101 + index
    const keywords = Array.from({ length: 3 }, (_unused, place) => ({
      id: id * 10 + place,
      keyword: `${word()} ${word()}`,
      create_date: '2026-01-01',
      url: url(),
      active: place < 2,
    }))
    return aProject({
      id,
      name: `${title()} & ${title()}`,
      company_name: `${title()} A/S`,
      domain: random.pick([`https://${host()}`, `https://${word()}.example/${word()}`]),
      contact_email: `${word()}.${word()}@${host()}`,
      client_emails: [`${word()}@${host()}`],
      text_language: 1,
      country: 45,
      managing_user: 7,
      created_by: 8,
      keywords,
      reports: Array.from({ length: 3 }, (_unused, place) => ({
        id: id * 100 + place,
        report_number: place + 1,
        status: 'completed' as const,
        created_at: '2026-01-01T00:00:00Z',
        report_name: text(),
        web_link: url(),
        pdf_link: url(),
        approved_by: 9,
        ...(place === 0
          ? {
              content_scheme: 'article',
              content: Object.fromEntries(
                keywords.map((keyword) => [
                  keyword.id,
                  {
                    content: { title: text(), body: [text()] },
                    html: { title: text(), body: [`<p class="${word()}">${word()}</p>`] },
                  },
                ]),
              ),
            }
          : {
              content: Object.fromEntries(
                keywords.map((keyword) => [keyword.id, [{ h3: text(), text: text() }]]),
              ),
            }),
      })),
    })
  })
  const fixture: FixtureInput = {
    version: 1,
    agencies: [
      { id: 1, name: title(), report_cc_email: `${word()}@${host()}` },
      { id: 2, name: title() },
    ],
    countries: [{ id: 45, label: 'Denmark' }],
    languages: [{ id: 1, label: 'Danish' }],
    users: [
      { id: 7, name: `${title()} ${title()}`, role: 'Editor', agency: 1 },
      { id: 8, name: `${title()} ${title()}`, agency: 1 },
      { id: 9, name: title(), agency: 2 },
    ],
    tokens: [aToken({ id: 1, name: word(), token: TOKEN })],
    projects,
  }
  return { words, fixture }
}

/** The words with a part in a text: as it is, in Base64, percent-encoded or in punycode. */
export function leaksOf(words: readonly string[], text: string): string[] {
  const plain = [text, decodePercent(text), ...decodeBase64(text)].join('\n').toLowerCase()
  return words.filter((word) =>
    Array.from({ length: LENGTH - LEAK + 1 }, (_, at) => word.slice(at, at + LEAK)).some(
      (part) => plain.includes(part) || plain.includes(domainToASCII(part)),
    ),
  )
}

function decodePercent(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}

/** The texts that parts of a text may stand for in Base64, at every offset. */
function decodeBase64(text: string): string[] {
  const parts = text.match(/[\w+/-]{8,}={0,2}/g) ?? []
  return parts.flatMap((part) =>
    [0, 1, 2, 3].map((offset) => Buffer.from(part.slice(offset), 'base64').toString('latin1')),
  )
}
