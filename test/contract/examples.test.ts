import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openFetch } from '../support/transports.ts'
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

test.each(examples.map((example) => [titleOf(example), example] as const))(
  'the example world answers %s exactly',
  async (_, { request, status, body, body_names = [] }) => {
    await using client = await openFetch({ fixtures: EXAMPLE_YAML })
    const response = await client.send(request)
    expect(response.status).toBe(status)
    if (body !== undefined) expect(response.text).toBe(JSON.stringify(body))
    for (const name of body_names) expect(response.text).toContain(name)
  },
)

function titleOf({ request: { token, path, query } }: Example): string {
  return `${token} ${path}${query ? `?${new URLSearchParams(query).toString()}` : ''}`
}
