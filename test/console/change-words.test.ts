import { expect, test } from 'vitest'
import { changeWords, comingWords } from '../../src/wording/change-words.ts'
import { toWords, withDays } from '../../src/console/parts/value-words.ts'
import { createSandbox } from '../../src/index.ts'

/** Descriptions of changes and values in the console. */

const PENDING = { status: 'pending', created_at: '2026-10-01T00:00:00Z' } as const

test('what time does to a report is said in the order in which it happens (3, 4.5)', async () => {
  const sandbox = await createSandbox({
    now: '2026-11-18T09:30:00Z',
    frozen: true,
    fixtures: {
      version: 1,
      progress: { mode: 'time' },
      agencies: [{ id: 1, name: 'Klitrose' }],
      projects: [
        {
          id: 101,
          agency: 1,
          name: 'Rødspætte',
          status: 'active',
          created_at: '2026-10-01T00:00:00Z',
          reports: [
            { ...PENDING, id: 1, report_number: 1, date_to_create_texts: '2026-11-20' },
            { ...PENDING, id: 2, report_number: 2, date_to_create_texts: '2027-01-20' },
          ],
        },
      ],
    },
  })
  const wordsOf = (id: number) =>
    comingWords(
      sandbox.world.records.get('reports', id)!,
      sandbox.explain(101, { changes: 9 }).changes,
    )
  expect(wordsOf(1)).toMatch(
    /^Starts on \d{1,2} \w+ 2026, is completed on \d{1,2} \w+ 2026 and sent to the customer on \d{1,2} \w+ 2026, if nothing is changed\.$/,
  )
  const said: string[] = []
  for (let count = 0; count < 6; count += 1) {
    const now = sandbox.explain(101)
    const [next] = now.changes
    said.push(changeWords(next!, now))
    await sandbox.clock.set(next!.at)
  }
  expect(said).toEqual([
    'report 1 starts',
    'report 1 is completed',
    'report 1 is approved',
    'report 1 is sent to the customer',
    'report 2 becomes latest',
    'report 2 starts',
  ])
  expect(wordsOf(1)).toBe('')
  expect(wordsOf(2)).toMatch(/^Is completed on \d{1,2} \w+ 2027 and sent to the customer on/)
})

test.each([
  [null, '–'],
  [undefined, '–'],
  [true, 'yes'],
  [0, '0'],
  ['2026-11-01', '1 Nov 2026'],
  ['2026-11-01T07:42:00.000000Z', '1 Nov 2026 07:42'],
  ['approved', 'approved'],
  ['https://reports.example/a/510104.pdf', '…/510104.pdf'],
  [['h3', 'text'], 'h3, text'],
  [{ id: 7, name: 'Liv', role: 'x' }, 'Liv'],
  [{ id: 7 }, '{"id":7}'],
])('a value of the API is written as people do: %j', (value, written) => {
  expect(toWords(value)).toBe(written)
})

test('a sentence has its dates as people write them', () => {
  expect(withDays('Its date 2026-11-01 is not in December 2026.')).toBe(
    'Its date 1 Nov 2026 is not in December 2026.',
  )
})
