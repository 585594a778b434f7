import { describe, expect, test } from 'vitest'
import { GUIDE_SECTIONS } from './guides.ts'
import { EXCEPTIONAL_LINES, firstLineOf, runSection } from './run-section.ts'

/** The examples of the README and the guides work as shown. */

const titled = GUIDE_SECTIONS.map(
  (section) => [`${section.guide}: ${section.heading}`, section] as const,
)

describe.concurrent('the examples do what they show', () => {
  test.for(titled)('%s', async ([, section], { expect: expectHere }) => {
    await expectHere(runSection(section)).resolves.toBeUndefined()
  })
})

test('every exception for an example belongs to an existing example', () => {
  const lines = GUIDE_SECTIONS.flatMap(({ blocks }) => blocks.map(firstLineOf))
  expect(lines).toEqual(expect.arrayContaining(EXCEPTIONAL_LINES))
})
