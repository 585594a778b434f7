import { z } from 'zod'
import { describe } from '../contract/text.ts'

/** Fixtures in a command or a request body. They are validated when they are loaded. */
export const FixturesInput = z
  .custom<string | object>(isObjectOrText, {
    error: ({ input }) =>
      `${describe(input)} is not a fixture. Send an object, a YAML text, or { files: [{ name, text }] }.`,
  })
  .meta({
    description: 'A fixture as an object or as a YAML text, or `{ files: [{ name, text }] }`',
    type: ['object', 'string'],
  })

function isObjectOrText(input: unknown): boolean {
  return (
    typeof input === 'string' ||
    (typeof input === 'object' && input !== null && !Array.isArray(input))
  )
}
