import { z } from 'zod'
import { listOption, option, toInteger } from '../world/parse-option.ts'

export const DEFAULT_PORT = 4010
export const DEFAULT_HOST = '127.0.0.1'

export const Port = option<number, number>((input) => toInteger(input, 65_535), {
  noun: 'a port',
  remedy: 'use 0 to 65535, where 0 picks a free one',
})

export const Host = option<string, string>(
  (input) => (typeof input === 'string' && /^[\w.:-]+$/.test(input) ? input : undefined),
  { noun: 'an address or a host name', remedy: 'use one like 127.0.0.1 or localhost' },
)

export const Origins = listOption(isOrigin, {
  noun: 'an origin',
  remedy: 'use one like https://app.example.com, without a path, or * for any',
})

function isOrigin(text: string): boolean {
  return text === '*' || (URL.canParse(text) && new URL(text).origin === text)
}

/** Without a slash at its end. */
export const PublicUrl = option<string, string>(toPublicUrl, {
  noun: 'the URL of a server',
  remedy: 'use one like https://seo.example.com, without a query',
})

function toPublicUrl(input: unknown): string | undefined {
  if (typeof input !== 'string' || !/^https?:\/\/[^?#@\s]+$/i.test(input) || !URL.canParse(input)) {
    return undefined
  }
  const { origin, pathname } = new URL(input)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}

export const StateFile = option<string, string>(
  (input) => (typeof input === 'string' && input.endsWith('.json') ? input : undefined),
  { noun: 'the path of a state file', remedy: 'use one that ends in .json, like state.json' },
)

const LEAST_KEY_LENGTH = 16

/** The key of the control API, too long to be guessed. Messages about it do not repeat it. */
export const AdminKey = z
  .string({ error: 'An admin key is a string.' })
  .regex(
    new RegExp(`^[!-~]{${LEAST_KEY_LENGTH},}$`),
    `An admin key has at least ${LEAST_KEY_LENGTH} letters, digits and symbols, and no spaces. openssl rand -hex 16 creates one.`,
  )
