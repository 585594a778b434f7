import { z } from 'zod'
import { option, toInteger, toList } from '../world/parse-option.ts'

export const DEFAULT_PORT = 4010
export const DEFAULT_HOST = '127.0.0.1'

export const Port = option<number, number>(
  (input) => toInteger(input, 65_535),
  'Write a whole number from 0 to 65535; 0 picks a free port.',
)

export const Host = option<string, string>(
  (input) => (typeof input === 'string' && /^[\w.:-]+$/.test(input) ? input : undefined),
  'Write an address or a host name, like 127.0.0.1.',
)

export const Origins = option<string[], string | readonly string[]>(
  (input) =>
    toList(input)?.every((origin) => origin === '*' || isOrigin(origin))
      ? toList(input)
      : undefined,
  'Write origins like https://app.example.com, or * for any.',
)

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}

export const StateFile = option<string, string>(
  (input) => (typeof input === 'string' && input.endsWith('.json') ? input : undefined),
  'Write the path of one file, like state.json.',
)

const LEAST_KEY_LENGTH = 16

/** The key of the control API, too long to be guessed. Messages about it do not repeat it. */
export const AdminKey = z
  .string({ error: 'An admin key is a string.' })
  .regex(
    new RegExp(`^[!-~]{${LEAST_KEY_LENGTH},}$`),
    `An admin key has at least ${LEAST_KEY_LENGTH} letters, digits and symbols, and no spaces. openssl rand -hex 16 creates one.`,
  )
