import { describe, expect, test } from 'vitest'
import { LABELS } from '../../src/pages/labels-by-language.ts'
import { labelsOf } from '../../src/pages/page-labels.ts'
import { BANDS, countByBand } from '../../src/pages/position-bands.ts'
import { fillIn, toPlainText } from '../../src/pages/sentence.ts'
import { summarize } from '../../src/pages/summarize.ts'
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
    [[[4], [12]], 'One of the 2 keywords is among the first ten search results.'],
    [[[4], [7], [11]], '2 of the 3 keywords are among the first ten search results.'],
    [[[1], [10]], 'All 2 keywords are among the first ten search results.'],
    [[[11], [null]], 'None of the 2 keywords is among the first ten search results.'],
    [[[undefined], [undefined]], 'There are no positions from this month.'],
    [[[4]], 'The keyword is at position 4.'],
    [[[4, 9]], 'The keyword is at position 4, against 9 in the last report.'],
    [[[4, 4]], 'The keyword is at position 4, as in the last report.'],
    [[[4, null]], 'The keyword is at position 4.'],
    [[[null, 4]], 'The keyword is not among the first hundred search results.'],
    [
      [
        [4, 4],
        [12, 9],
      ],
      'One of the 2 keywords is among the first ten search results, against 2 in the last report.',
    ],
    [
      [
        [4, 31, 'bike bells'],
        [12, 14],
        [8, null],
      ],
      '2 of the 3 keywords are among the first ten search results, against 0 in the last report; “bike bells” has risen most, from position 31 to 4.',
    ],
    // A rise that nobody notices, one that nobody sees, and one of as few positions as are worth a word.
    [
      [
        [4, 5],
        [60, 90],
      ],
      'One of the 2 keywords is among the first ten search results, as in the last report.',
    ],
    [
      [
        [20, 22, 'bells'],
        [21, 22],
      ],
      'None of the 2 keywords is among the first ten search results, as in the last report; “bells” has risen most, from position 22 to 20.',
    ],
    // What is not known of one keyword does not make a comparison of the others.
    [[[4, 4], [7]], 'All 2 keywords are among the first ten search results.'],
    [
      [
        [9, 3],
        [12, 9],
        [undefined, 1],
      ],
      'One of the 2 keywords is among the first ten search results, against 2 in the last report.',
    ],
  ])('of %j', (standings, sentence) => {
    expect(summaryOf('English', standings)).toBe(sentence)
  })

  test.each([
    [
      'Danish',
      'Et af de 2 søgeord er blandt de ti første søgeresultater, mod 0 i forrige rapport;',
    ],
    ['German', 'Eines der 2 Keywords steht unter den ersten zehn Suchergebnissen, gegenüber 0 im'],
    ['Dutch', 'Een van de 2 zoekwoorden staat in de top 10 van de zoekresultaten, tegenover 0 in'],
    ['Swedish', 'Ett av de 2 sökorden ligger bland de tio första sökträffarna, mot 0 i förra'],
    ['Norwegian', 'One of the 2 keywords is among the first ten search results, against 0 in the'],
  ])('is in %s', (language, beginning) => {
    const sentence = summaryOf(language, [
      [4, 31, 'bells'],
      [12, 14],
    ])
    expect(sentence.slice(0, beginning.length)).toBe(beginning)
    expect(sentence).toMatch(/; .bells. .*31 .* 4\.$/)
  })

  test('names no keyword that is not the text of a line, or longer than one', () => {
    for (const keyword of ['one\ntwo', 'x'.repeat(61), '\u0000'])
      expect(summaryOf('English', [[4, 31, keyword], [12]])).not.toContain('risen')
  })

  test('has every keyword as a name of its own, whatever braces it has', () => {
    const keyword = '{count} <b>{from}'
    const keywords = [aKeyword({ keyword, position: 4, before: 9 }), aKeyword({ position: null })]
    const sentence = summarize(aPage({ keywords }), labelsOf('English'))
    expect(sentence).toContainEqual({ name: keyword })
    expect(toPlainText(sentence)).toContain(`“${keyword}” has risen most, from position 9 to 4.`)
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

test('bands have every position, each one once', () => {
  expect(BANDS.map(({ name }) => name)).toEqual(['1–3', '4–10', '11–20', '21+'])
  expect(countByBand([1, 3, 4, 10, 11, 20, 21, 100, 1000, null, undefined])).toEqual([2, 2, 2, 3])
  expect(countByBand([])).toEqual([0, 0, 0, 0])
})
