import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { memoizeByObject } from '../../src/contract/cache.ts'
import type { FixtureInput } from '../../src/index.ts'
import { allTransports, openFetch } from '../support/transports.ts'
import type { TestResponse } from '../support/transports.ts'
import { EXAMPLE_YAML } from '../support/worlds.ts'

interface Example {
  request: { token: string; path: string; query?: Record<string, string> }
  status: number
  /** The exact body. */
  body?: unknown
  /** Names that the body must contain. */
  body_names?: string[]
}

const examples = JSON.parse(
  readFileSync(new URL('../data/agency.expected.json', import.meta.url), 'utf8'),
) as Example[]

/** Parsed once: reading the YAML is tested in test/fixtures. */
const WORLD = parse(EXAMPLE_YAML) as FixtureInput

describe.each(allTransports)('the responses of the example world over $name', ({ open }) => {
  test.each(examples.map((example) => [titleOf(example), example] as const))(
    '%s',
    async (_, { request, status, body, body_names = [] }) => {
      await using client = await open({ fixtures: WORLD })
      const response = await client.send(request)
      expect(response.status).toBe(status)
      if (body !== undefined) expect(response.text).toBe(JSON.stringify(body))
      for (const name of body_names) expect(response.text).toContain(name)
      expect(comparable(response)).toEqual(await referenceOf(request))
    },
  )
})

/** What `sandbox.fetch` responds to the same in a world of its own, once for all transports. */
const referenceOf = memoizeByObject(async (request: Example['request']) => {
  await using reference = await openFetch({ fixtures: WORLD })
  return comparable(await reference.send(request))
})

/** The parts of a response that do not depend on the time or on the transport. */
function comparable({ status, text, headers }: TestResponse): unknown[] {
  const names = ['content-type', 'x-ratelimit-limit', 'x-ratelimit-remaining']
  return [status, text, ...names.map((name) => headers[name])]
}

function titleOf({ request: { token, path, query } }: Example): string {
  return `${token} ${path}${query ? `?${new URLSearchParams(query).toString()}` : ''}`
}
