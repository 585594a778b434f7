import axios from 'axios'
import ky from 'ky'
import createClient from 'openapi-fetch'
import { expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { ProjectPage } from '../../src/index.ts'
import { AGENCY, aWorld } from '../support/worlds.ts'

/** Clients that accept a fetch function work with `sandbox.fetch` unchanged. */

const BASE = 'https://seo.example.com/api/v1'
const headers = { authorization: `Bearer ${AGENCY}` }

interface Paths {
  '/projects': {
    get: {
      parameters: { query?: { per_page?: number } }
      responses: { 200: { content: { 'application/json': ProjectPage } } }
    }
  }
}

test('openapi-fetch works with sandbox.fetch', async () => {
  const { fetch } = await createSandbox({ fixtures: aWorld() })
  const client = createClient<Paths>({ baseUrl: BASE, fetch, headers })
  const { data, response } = await client.GET('/projects', { params: { query: { per_page: 1 } } })
  expect([response.status, data?.meta.per_page]).toEqual([200, 1])
})

test('ky works with sandbox.fetch, and throws its own error for a 404', async () => {
  const { fetch } = await createSandbox({ fixtures: aWorld() })
  const client = ky.create({ prefixUrl: BASE, fetch, headers, retry: 0 })
  const page = await client.get('projects').json<ProjectPage>()
  expect(page.meta.total).toBe(1)
  await expect(client.get('projects/99')).rejects.toThrow('404')
})

test("axios' fetch adapter works with sandbox.fetch", async () => {
  const { fetch } = await createSandbox({ fixtures: aWorld() })
  const client = axios.create({ baseURL: BASE, adapter: 'fetch', env: { fetch }, headers })
  const { status, data } = await client.get<ProjectPage>('/projects', { params: { per_page: 1 } })
  expect([status, data.data.map(({ id }) => id)]).toEqual([200, [1]])
})
