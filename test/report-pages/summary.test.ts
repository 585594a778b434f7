import { describe, expect, test } from 'vitest'
import { LABELS } from '../../src/report-pages/labels-by-language.ts'
import {
  labelsOf,
  fillIn,
  toPlainText,
  toStandings,
  summarize,
} from '../../src/report-pages/page-labels.ts'
import { BANDS, countByBand } from '../../src/report-pages/report-page.ts'
import { aKeyword, aPage } from './any-page.ts'

type Standing = [position: number | null | undefined, before?: number | null, keyword?: string]

function summaryOf(language: string, standings: readonly Standing[]): string {
  const keywords = standings.map(([position, before, keyword = 'bells'], index) =>
    aKeyword({ id: index + 1, keyword, position, before }),
  )
  return toPlainText(summarize(aPage({ keywords }), labelsOf(language)))
}

describe('the sentence that sums up a report', () => {
  test.each<[standings: Standing[], sentence: string]>([
    [[[4], [12]], 'For one of the 2 keywords, the website is among the first ten search results.'],
    [
      [[4], [7], [11]],
      'For 2 of the 3 keywords, the website is among the first ten search results.',
    ],
    [[[1], [10]], 'For all 2 keywords, the website is among the first ten search results.'],
    [
      [[11], [null]],
      'For none of the 2 keywords is the website among the first ten search results.',
    ],
    [[[undefined], [undefined]], 'There are no positions for this month.'],
    [[[4]], 'For this keyword, the website is at position 4.'],
    [
      [[4, 9]],
      'For this keyword, the website is at position 4, compared with 9 in the last report.',
    ],
    [[[4, 4]], 'For this keyword, the website is at position 4, the same as in the last report.'],
    [[[4, null]], 'For this keyword, the website is at position 4.'],
    [[[null, 4]], 'For this keyword, the website is not among the first hundred search results.'],
    [
      [
        [4, 4],
        [12, 9],
      ],
      'For one of the 2 keywords, the website is among the first ten search results, compared with 2 in the last report; the biggest fall since February was for “bells”, from position 9 to 12.',
    ],
    [
      [
        [4, 31, 'bike bells'],
        [12, 14],
        [8, null],
      ],
      'For 2 of the 3 keywords, the website is among the first ten search results, compared with 0 in the last report; the biggest rise since February was for “bike bells”, from position 31 to 4.',
    ],
    // A change that nobody notices, one that nobody sees, and one of as few positions as are worth a word.
    [
      [
        [4, 5],
        [60, 90],
      ],
      'For one of the 2 keywords, the website is among the first ten search results, the same as in the last report.',
    ],
    [
      [
        [20, 22, 'bells'],
        [21, 22],
      ],
      'For none of the 2 keywords is the website among the first ten search results, the same as in the last report; the biggest rise since February was for “bells”, from position 22 to 20.',
    ],
    // An unknown position of one keyword makes no comparison of the others.
    [[[4, 4], [7]], 'For all 2 keywords, the website is among the first ten search results.'],
    [
      [
        [9, 3],
        [12, 9],
        [undefined, 1],
      ],
      'For one of the 2 keywords, the website is among the first ten search results, compared with 2 in the last report; the biggest fall since February was for “bells”, from position 3 to 9.',
    ],
  ])('of %j', (standings, sentence) => {
    expect(summaryOf('English', standings)).toBe(sentence)
  })

  test.each([
    [
      'Danish',
      'For ét af de 2 søgeord ligger websitet blandt de ti første søgeresultater, mod 0 i forrige rapport.',
    ],
    [
      'German',
      'Für eines der 2 Keywords steht die Website unter den ersten zehn Suchergebnissen, gegenüber 0 im',
    ],
    [
      'Dutch',
      'Voor één van de 2 zoekwoorden staat de website bij de eerste tien zoekresultaten, tegenover 0 in',
    ],
    [
      'Swedish',
      'För ett av de 2 sökorden ligger webbplatsen bland de tio första sökträffarna, jämfört med 0 i förra',
    ],
    [
      'Norwegian',
      'For one of the 2 keywords, the website is among the first ten search results, compared with 0 in the',
    ],
  ])('is in %s', (language, beginning) => {
    const sentence = summaryOf(language, [
      [4, 31, 'bells'],
      [12, 14],
    ])
    expect(sentence.slice(0, beginning.length)).toBe(beginning)
    expect(sentence).toMatch(/[;.] .*[“„»‘”]bells[”“«’].* 31 .* 4\b.*\.$/)
  })

  test('names the keyword that has fallen, if it has fallen more than any has risen', () => {
    const sentence = summaryOf('English', [
      [14, 3, 'locks'],
      [4, 11, 'bells'],
    ])
    expect(sentence).toContain('; the biggest fall since February was for “locks”, from position 3')
  })

  test('recalls the first month of a chart of more than half a year', () => {
    const months = ['09', '10', '11', '12'].map((month) => `2025-${month}-01`)
    const all = [...months, '2026-01-01', '2026-02-01', '2026-03-01'].map((date, index) => ({
      date,
      counts: [1, index, 5, 0],
    }))
    const recalled = (count: number) =>
      toPlainText(
        summarize(
          aPage({ months: all.slice(-count), keywords: [aKeyword(), aKeyword({ id: 2 })] }),
          labelsOf('English'),
        ),
      )
    expect(recalled(7)).toContain('; in September 2025 the figure was 1')
    expect(recalled(6)).not.toContain('2025')
  })

  test('names no keyword that is not the text of a line, or longer than one', () => {
    for (const keyword of ['one\ntwo', 'x'.repeat(61), '\u0000'])
      expect(summaryOf('English', [[4, 31, keyword], [12]])).not.toContain('rise')
  })

  test('names no keyword that another one has risen as much as', () => {
    const standings: Parameters<typeof summaryOf>[1] = [
      [4, 8, 'bells'],
      [12, 16, 'locks'],
    ]
    expect(summaryOf('English', standings)).not.toContain('rise')
  })

  test('has every keyword as a name of its own, whatever braces it has', () => {
    const keyword = '{count} <b>{from}'
    const keywords = [aKeyword({ keyword, position: 4, before: 9 }), aKeyword({ position: null })]
    const sentence = summarize(aPage({ keywords }), labelsOf('English'))
    expect(sentence).toContainEqual({ name: keyword })
    expect(toPlainText(sentence)).toContain(
      `the biggest rise since February was for “${keyword}”, from position 9 to 4.`,
    )
  })
})

test.each(Object.entries(LABELS))('the labels in %s fill in what they name', (_, labels) => {
  const values = { count: 5, top: 3, position: 4, before: 2, from: 9, to: 3, month: 'May' }
  const names = { keyword: { name: 'bells' }, name: { name: 'Ane' } }
  for (const label of [...Object.values(labels.summary), labels.since, labels.author]) {
    const text = toPlainText(fillIn(label, { ...values, ...names }))
    expect(text).not.toMatch(/[{}]|undefined/)
  }
})

test.each([
  [
    ['2025-11', '2025-12', '2026-01', '2026-02'],
    ['2025', undefined, '2026', undefined],
  ],
  [
    ['2025-12', '2026-01', '2026-02'],
    [undefined, '2026', undefined],
  ],
  [
    ['2026-01', '2026-02'],
    ['2026', undefined],
  ],
  [
    ['2026-02', '2026-03'],
    ['2026', undefined],
  ],
])('the columns of the months %j have room for the years %j', (months, years) => {
  const page = aPage({
    months: months.map((month) => ({ date: `${month}-01`, counts: [1, 0, 0, 0] })),
  })
  expect(toStandings(page, labelsOf('English')).map(({ year }) => year)).toEqual([...years])
})

test('bands have every position, each one once', () => {
  expect(BANDS.map(({ name }) => name)).toEqual(['1–3', '4–10', '11–20', '21+'])
  expect(countByBand([1, 3, 4, 10, 11, 20, 21, 100, 1000, null, undefined])).toEqual([2, 2, 2, 3])
  expect(countByBand([])).toEqual([0, 0, 0, 0])
})
