import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox, SandboxOptions } from '../../src/index.ts'
import { Companies, isNearTwin } from '../../src/records/generation/companies.ts'
import { LOCALES, TEXT_LOCALES } from '../../src/contract/locales.ts'
import type { Locale } from '../../src/contract/locales.ts'
import { slugOf, toSlug } from '../../src/records/generation/slug.ts'
import { loadWords } from '../../src/records/generation/words.ts'

/** The data of generated worlds is like an agency's: names, addresses, people and positions. */

/** Locales whose surnames are syllables: in Latin letters, hardly two of them differ by more than one. */
const WITH_SYLLABLES = ['ko', 'zh_CN']

const NOW = '2026-03-15T12:00:00Z'

type Generate = NonNullable<SandboxOptions['generate']>

function generated(generate: Generate): Promise<Sandbox> {
  return createSandbox({ now: NOW, frozen: true, generate })
}

/** Words as they stand in a domain, with the usual spelling of letters beyond ASCII. */
function wordsOf(name: string): string[] {
  const ascii = name
    .toLowerCase()
    .replaceAll(/[æä]/g, 'ae')
    .replaceAll(/[øö]/g, 'oe')
    .replaceAll('å', 'aa')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replaceAll(/[\p{M}'’]/gu, '')
  return ascii.match(/[a-z]+/g) ?? []
}

const WORLDS: readonly { locales: readonly Locale[] }[] = [
  ...LOCALES.map((locale) => ({ locales: [locale] })),
  { locales: ['en', 'en_US', 'en_CA'] },
  { locales: TEXT_LOCALES },
  { locales: LOCALES },
]

describe.each(WORLDS)('in a world of $locales', ({ locales }) => {
  test('each of 2,000 companies has a domain of its own, of the words of its name', async () => {
    const all = await Promise.all(locales.map(loadWords))
    const companies = new Companies(all, 'spring')
    const domains = new Set<string>()
    const names = new Set<string>()
    for (let index = 0; index < 2000; index += 1) {
      const { company, surname, city, domain, words } = companies.at(index)
      const inLatin = (name: string) => words.slugs[name] ?? name
      const filling = surname ?? city
      const own = wordsOf(company.replace(filling, inLatin(filling))).join('-')
      const place = wordsOf(inLatin(city)).join('-')
      const form = domain.replace(/(-\d)?\.example$/, '')
      if (form !== own) expect(form).toBe(`${own}-${place}`)
      domains.add(domain)
      names.add(company)
    }
    expect(domains.size).toBe(2000)
    expect(names.size).toBe(2000)
  })
})

test('of several locales, each company is in one, with its country, language and people', async () => {
  const sandbox = await generated({ projects: 60, agencies: 4, locale: ['da', 'de', 'sv'] })
  const { records } = sandbox.world
  expect(records.all('countries').map(({ id }) => id)).toEqual([45, 46, 49])
  const seen = new Set<string>()
  for (const { country, text_language, report_language, name } of records.all('projects')) {
    const countryLabel = records.get('countries', country!)?.label ?? ''
    const languageLabel = records.get('languages', text_language!)?.label ?? ''
    expect(report_language).toBe(text_language)
    seen.add(`${countryLabel} ${languageLabel}`)
    if (countryLabel === 'Germany') expect(name).not.toMatch(/[æøå]/)
  }
  expect([...seen].toSorted()).toEqual(['Denmark Danish', 'Germany German', 'Sweden Swedish'])
})

test('which locales and in which order is part of what a world is generated from', async () => {
  const sandbox = await generated({ projects: 5, locale: ['da', 'en'] })
  const before = sandbox.world.records.all('projects')
  const restored = await generated({ projects: 1 })
  await restored.restore(await sandbox.snapshot())
  expect(restored.world.records.all('projects')).toEqual(before)
})

test.each([
  [[], 'generate: locale: a list is too small. Write at least 1.'],
  [['da', 'da'], /twice/],
  [
    'fr_FR',
    /"fr_FR" is not a locale\. Did you mean "fr"\? Use one of: de_AT, .*\. Write several as a list\./,
  ],
] as const)('the locale %j is refused', async (locale, message) => {
  const generate = { locale } as unknown as Generate
  await expect(generated(generate)).rejects.toThrow(message)
})

describe.each(LOCALES)('in %s', (locale) => {
  test('every address is that of a role or a person, below the domain of its company', async () => {
    const sandbox = await generated({ projects: 120, locale })
    const words = await loadWords(locale)
    const { mailboxes } = words
    const people = words.people.companies.map((first) => slugOf(first, words))
    const surnames = words.surnames.map((surname) => slugOf(surname, words))
    const roles = [...mailboxes.general, mailboxes.booking]
    const shapes = { person: 0, role: 0, booking: 0 }
    for (const { domain, contact_email, client_emails } of sandbox.world.records.all('projects')) {
      const host = domain!.replace('https://', '')
      expect(new Set(client_emails).size).toBe(client_emails.length)
      for (const address of [contact_email!, ...client_emails]) {
        const [local = '', at] = address.split('@')
        expect(at).toBe(host)
        if (local === mailboxes.booking) shapes.booking += 1
        else if (roles.includes(local)) shapes.role += 1
        else {
          const [first, ...others] = local.split('.')
          expect(people).toContain(first)
          // A woman whose surname would be in the form of men has her first name alone.
          if (others.length > 0 || !words.feminine) expect(surnames).toContain(others.join('.'))
          shapes.person += 1
        }
      }
    }
    expect(Math.min(...Object.values(shapes))).toBeGreaterThan(5)
  })

  test('agencies have different names and hosts of their own, people common names', async () => {
    const sandbox = await generated({ projects: 100, agencies: 100, locale })
    const { records } = sandbox.world
    const agencies = records.all('agencies')
    expect(new Set(agencies.map(({ name }) => name)).size).toBe(100)
    const hosts = new Set(agencies.map(({ report_cc_email: address }) => address!.split('@')[1]))
    expect(hosts.size).toBe(100)
    for (const { domain } of records.all('projects')) {
      expect(hosts).not.toContain(domain!.replace('https://', ''))
    }
    const { first_names, surnames, feminine, fullName } = await loadWords(locale)
    expect(new Set(surnames).size).toBe(surnames.length)
    const men = first_names.filter((first) => !feminine?.names.has(first))
    const names = new Set(
      men.flatMap((first) =>
        surnames.map((last) => fullName.replace('{first_name}', first).replace('{surname}', last)),
      ),
    )
    for (const { name } of records.all('users')) {
      if (!feminine?.names.has(name.split(' ')[0]!)) expect(names).toContain(name)
    }
  })
})

describe('positions', () => {
  const WORLD = { projects: 60, keywords: 20 }
  const positionsOf = ({ world: { records } }: Sandbox) =>
    records.all('projects').flatMap(({ id }) => {
      return records.keywordsOf(id).map(({ latest_position: position }) => position)
    })
  const share = (items: readonly unknown[], count: number) => count / items.length

  test('half of them are on the first two pages, the others thin out to 100, some are null', async () => {
    const positions = positionsOf(await generated(WORLD))
    const between = (from: number, to: number) =>
      share(
        positions,
        positions.filter((position) => position !== null && position >= from && position <= to)
          .length,
      )
    expect(between(1, 20)).toBeGreaterThan(0.42)
    expect(between(1, 20)).toBeLessThan(0.6)
    expect(between(1, 1)).toBeLessThan(0.1)
    expect(between(21, 60)).toBeGreaterThan(between(61, 100))
    expect(between(61, 100)).toBeGreaterThan(0.05)
    const unfound = share(positions, positions.filter((position) => position === null).length)
    expect(unfound).toBeGreaterThan(0.04)
    expect(unfound).toBeLessThan(0.16)
  })

  test('stay within a month, and move slowly from one to the next, a little upwards', async () => {
    const sandbox = await generated(WORLD)
    let before = positionsOf(sandbox)
    await sandbox.clock.set('2026-03-31T23:59:59Z')
    expect(positionsOf(sandbox)).toEqual(before)
    let sum = 0
    for (const month of ['04', '05', '06', '07']) {
      await sandbox.clock.set(`2026-${month}-01T00:00:00Z`)
      const after = positionsOf(sandbox)
      const moves = after.flatMap((position, index) => {
        const previous = before[index]
        return position === null || typeof previous !== 'number' ? [] : [[previous, position]]
      }) as [number, number][]
      const distances = moves.map(([previous, position]) => Math.abs(position - previous))
      expect(Math.max(...distances)).toBeLessThanOrEqual(30)
      expect(share(distances, distances.filter((way) => way <= 8).length)).toBeGreaterThan(0.9)
      const ofFirst = moves.filter(([previous]) => previous <= 20)
      for (const [previous, position] of ofFirst) {
        expect(Math.abs(position - previous)).toBeLessThanOrEqual(6)
      }
      sum += moves.reduce((total, [previous, position]) => total + position - previous, 0)
      expect(after).not.toEqual(before)
      before = after
    }
    expect(sum).toBeLessThan(0)
  })

  test('stay as they are where time does not move a world, and are restored by a snapshot', async () => {
    const manual = await createSandbox({
      now: NOW,
      fixtures: { version: 1, generate: WORLD, progress: { mode: 'manual' } },
    })
    const before = positionsOf(manual)
    await manual.clock.advance('P3M')
    expect(positionsOf(manual)).toEqual(before)

    const sandbox = await generated({ ...WORLD, projects: 5 })
    await sandbox.clock.advance('P2M')
    const moved = positionsOf(sandbox)
    const restored = await createSandbox()
    await restored.restore(await sandbox.snapshot())
    expect(positionsOf(restored)).toEqual(moved)
  })

  test('are on the wire from the first second of a month', async () => {
    const sandbox = await generated({ projects: 3, keywords: 20, reports: 12 })
    const read = async () => {
      const headers = { authorization: 'Bearer sandbox-super' }
      const response = await sandbox.fetch('/api/v1/projects/1002/keywords', { headers })
      return response.text()
    }
    await sandbox.clock.set('2026-04-30T23:59:59Z')
    const april = await read()
    expect(await read()).toBe(april)
    await sandbox.clock.set('2026-05-01T00:00:00Z')
    const may = await read()
    const withoutTime = (text: string) => text.replace(/"cache_refreshed_at":"[^"]*"/, '')
    expect(withoutTime(may)).not.toBe(withoutTime(april))
  })
})

test.each([
  ['pl', ['Nowak', 'Kowalska', 'Konieczna']],
  ['cs_CZ', ['Nováková', 'Svobodová', 'Novotná', 'Krejčí', 'Vaňková', 'Němcová']],
  ['ru', ['Иванова', 'Никитина']],
  ['uk', ['Шевченко', 'Ковальська', 'Лугова']],
  ['el', ['Παπαδοπούλου', 'Παππά', 'Γεωργίου', 'Ιωαννίδου', 'Αυγερινού', 'Μακρή']],
] as const)(
  'in %s, a woman has a surname in the form of women, like %j',
  async (locale, surnames) => {
    const { feminine, people } = await loadWords(locale)
    const first = people.agencies.find((name) => feminine?.names.has(name))
    const seen = new Set<string>()
    for (let seed = 0; seed < 20; seed += 1) {
      const generate = { projects: 0, agencies: 100, locale }
      const { world } = await createSandbox({ now: NOW, frozen: true, seed, generate })
      for (const { name } of world.records.all('users')) seen.add(name)
    }
    for (const surname of surnames) expect(seen).toContain(`${first} ${surname}`)
  },
)

test.each([
  ['ko', /^[가-힣]{3,5}$/],
  ['zh_CN', /^\p{Script=Han}{2,5}$/u],
] as const)('in %s, surnames come first, without a space', async (locale, form) => {
  const { surnames } = await loadWords(locale)
  const { world } = await generated({ projects: 0, agencies: 9, locale })
  for (const { name } of world.records.all('users')) {
    expect(name).toMatch(form)
    expect(surnames.some((surname) => name.startsWith(surname))).toBe(true)
  }
})

test('agencies of several countries with texts in one language have different names', async () => {
  const { world } = await generated({
    projects: 0,
    agencies: 100,
    locale: ['pl', 'it', 'da', 'en'],
  })
  const names = world.records.all('agencies').map(({ name }) => name)
  expect(new Set(names).size).toBe(100)
  expect(world.records.all('languages').map(({ label }) => label)).toEqual(['Danish', 'English'])
})

describe.each(LOCALES)('in a world of forty projects in %s', (locale) => {
  /** The names of companies without their fillings, and the surnames in them. */
  async function readNames(sandbox: Sandbox) {
    const words = await loadWords(locale)
    const { surnames, cities } = words
    const names = sandbox.world.records.all('projects').map(({ name }) => name)
    const filled = [...surnames, ...cities].toSorted((one, other) => other.length - one.length)
    const parts = names.map((name) => filled.find((part) => name.includes(part))!)
    return {
      patterns: names.map((name, index) => name.replace(parts[index]!, '…')),
      slugs: parts.filter((part) => surnames.includes(part)).map((part) => slugOf(part, words)),
    }
  }

  test('no two companies are alike', async () => {
    const generate = { projects: 40, agencies: 1, locale }
    const sandbox = await createSandbox({ now: NOW, seed: 'spring', generate })
    const { patterns, slugs } = await readNames(sandbox)
    expect(new Set(patterns).size).toBe(40)
    const isLike = WITH_SYLLABLES.includes(locale) ? Object.is : isNearTwin
    for (const [index, one] of slugs.entries()) {
      const twins = slugs.slice(0, index).filter((other) => isLike(one, other))
      expect([one, twins]).toEqual([one, []])
    }
  })

  test('nobody of an agency is the contact of a company', async () => {
    const sandbox = await generated({ projects: 40, agencies: 20, locale })
    const { records } = sandbox.world
    const words = await loadWords(locale)
    const firstOf = ({ name }: { name: string }) =>
      words.first_names.find((first) =>
        words.fullName.startsWith('{first_name}')
          ? name.startsWith(`${first} `)
          : name.endsWith(first),
      )!
    const people = records.all('users').map((user) => slugOf(firstOf(user), words))
    for (const { client_emails, contact_email } of records.all('projects'))
      for (const address of [contact_email!, ...client_emails])
        expect(people).not.toContain(address.split(/[.@]/)[0])
    const own = records.all('users').filter(({ agency }) => agency === 1)
    expect(new Set(own.map(firstOf)).size).toBe(own.length)
  })
})

test.each(TEXT_LOCALES)(
  'in a world of forty projects in %s, a landing page is that of the service of its keyword, or the home page',
  async (locale) => {
    const sandbox = await generated({ projects: 40, locale })
    const { records } = sandbox.world
    const { trades } = await loadWords(locale)
    const services = trades.flatMap((trade) => trade.services)
    let [own, home] = [0, 0]
    for (const { keyword, url } of records.all('keywords')) {
      if (url === null) continue
      const page = new URL(url).pathname.slice(1)
      const service = services.find((each) => toSlug(each) === page)
      if (page === '') home += 1
      else own += 1
      expect([page, page === '' || keyword.includes(service!.toLowerCase())]).toEqual([page, true])
    }
    expect(Math.min(own, home)).toBeGreaterThan(30)
  },
)
