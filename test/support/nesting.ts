import fc from 'fast-check'

/** The number of levels of lists and maps in a value. */
export function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Object.values(value).reduce((most: number, child) => Math.max(most, depthOf(child)), 0)
}

/** Numbers of levels on both sides of the permitted 64. */
export const Levels = fc.integer({ min: 56, max: 72 })

/** A text that looks as if it had levels. */
export const Decoy = fc.constantFrom(
  '[',
  ']',
  '{"a":',
  '"',
  '\\',
  '[[[',
  '}',
  '# [',
  '- - -',
  '\\"',
)

/** A JSON value of some 64 levels, with shallower values beside each. */
export const DeepJson: fc.Arbitrary<unknown> = Levels.chain((levels) =>
  fc
    .array(
      fc.record({ isList: fc.boolean(), decoy: Decoy, before: fc.boolean(), after: fc.boolean() }),
      { minLength: levels, maxLength: levels },
    )
    .map((around) =>
      around.reduce((inner: unknown, { isList, decoy, before, after }) => {
        const one = before ? [decoy, [], { [decoy]: [decoy] }] : []
        const other = after ? [{}, decoy] : []
        if (isList) return [...one, inner, ...other]
        return { ...Object.fromEntries(one.entries()), [decoy]: inner, ...(after && { z: {} }) }
      }, 1),
    ),
)
