import type { RequestListener } from 'node:http'
import connect from 'connect'
import express from 'express'
// @ts-expect-error: the types are those of Express 5
import express4 from 'express-4'
import { createServer } from 'vite'
import { describe, expect, test } from 'vitest'
import { reportLinks } from '../../src/contract/report-facts.ts'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import { middleware } from '../../src/server.ts'
import type { Middleware } from '../../src/server.ts'
import { sendRaw, serve } from '../support/transports.ts'
import { AGENCY, aProject, aReport, aWorld } from '../support/worlds.ts'

/** The sandbox inside an application of the user: docs/test-runners.md. */

const KEY = 'an-admin-key-of-tests'
const headers = { authorization: `Bearer ${AGENCY}` }
const own: RequestListener = (_, response) => void response.end('own page')

/** The frameworks, each with a page of its own behind the sandbox. */
const FRAMEWORKS: [string, (mounted: Middleware) => Promise<Application>][] = [
  ['Express 5', async (mounted) => ({ listener: express().use(mounted).use(own) })],
  ['Express 4', async (mounted) => ({ listener: express4().use(mounted).use(own) })],
  ['Connect', async (mounted) => ({ listener: connect().use(mounted).use(own) })],
  [
    "Vite's dev server",
    async (mounted) => {
      const vite = await createServer({
        configFile: false,
        logLevel: 'silent',
        appType: 'custom',
        optimizeDeps: { noDiscovery: true },
        server: { middlewareMode: true, ws: false, watch: null },
        plugins: [
          { name: 'sandbox', configureServer: ({ middlewares }) => void middlewares.use(mounted) },
        ],
      })
      vite.middlewares.use(own)
      return { listener: vite.middlewares, close: () => vite.close() }
    },
  ],
]

interface Application {
  listener: RequestListener
  close?: () => Promise<void>
}

describe.each(FRAMEWORKS)('in %s', (_, mount) => {
  async function open(mounted: Middleware) {
    const { listener, close } = await mount(mounted)
    const server = await serve(listener)
    return {
      port: server.port,
      [Symbol.asyncDispose]: async () => {
        await server[Symbol.asyncDispose]()
        await close?.()
      },
    }
  }

  test('the API, the control API, report pages, the document and the console are mounted', async () => {
    const sandbox = await aSandbox()
    await using app = await open(middleware(sandbox, { control: true, console: true }))
    const get = (target: string, accept = '*/*') =>
      sendRaw(app.port, { target, headers: { ...headers, accept } })
    const project = await get('/api/v1/projects/1')
    expect([project.status, project.body.data.name]).toEqual([200, 'Shoes'])
    expect((await get('/_sandbox/health')).body.status).toBe('ok')
    expect((await get('/openapi.json')).body.openapi).toMatch(/^3\./)
    expect((await get('/', 'text/html')).text).toContain('<title>seo-sandbox</title>')
    const { body } = await get('/api/v1/projects/1/reports')
    const link = new URL(body.data[0].web_link)
    expect(link.origin).toBe(`http://127.0.0.1:${app.port}`)
    expect((await get(link.pathname)).text).toContain('<!doctype html>')
  })

  test('a command changes the world, and a body that is too large is refused', async () => {
    const sandbox = await aSandbox()
    await using app = await open(middleware(sandbox, { control: true }))
    const patch = (body: string) =>
      sendRaw(app.port, {
        target: '/_sandbox/records/projects/1',
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body,
      })
    expect((await patch('{"name":"Boots"}')).body.name).toBe('Boots')
    expect(sandbox.world.records.get('projects', 1)?.name).toBe('Boots')
    expect((await patch(`{"name":"${'a'.repeat(5_000_000)}"}`)).status).toBe(413)
  })

  test.each([
    [{}, ['/api/v10/me', '/_sandbox/health', '/reports/1', '/openapi.json', '/', '/console/a.js']],
    [{ control: true }, ['/', '/console/a.js', '/other']],
    [{ console: true }, ['/console/none.js', '/other']],
  ])('with %o the application answers all other paths', async (options, paths) => {
    await using app = await open(middleware(await aSandbox(), options))
    for (const target of paths) {
      const { text } = await sendRaw(app.port, { target, headers: { accept: 'text/html' } })
      expect(text).toBe('own page')
    }
  })
})

describe('the mounted control API', () => {
  test('needs the admin key where one is set', async () => {
    const options = { control: true, adminKey: KEY }
    await using app = await serve(middleware(await aSandbox(), options))
    const clock = (authorization: string) =>
      sendRaw(app.port, { target: '/_sandbox/clock', headers: { authorization } })
    expect((await clock('')).status).toBe(401)
    expect((await clock(`Bearer ${KEY}`)).status).toBe(200)
  })

  test('says that middleware in front has read the body', async () => {
    const app = express().use(express.json())
    app.use(middleware(await aSandbox(), { control: true }))
    await using server = await serve(app)
    const { status, body } = await sendRaw(server.port, {
      target: '/_sandbox/clock',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"advance":"P1D"}',
    })
    expect([status, body.error.code]).toEqual([500, 'body_already_read'])
    expect(body.error.message).toContain('before')
  })

  test('is refused for an isolated sandbox, and for a key that can be guessed', async () => {
    const { sandbox } = await (await aSandbox()).worlds.create()
    expect(() => middleware(sandbox, { control: true })).toThrow('an isolated one')
    const options = { control: true, adminKey: 'short' }
    await expect(aSandbox().then((whole) => middleware(whole, options))).rejects.toThrow(
      'An admin key has at least',
    )
  })
})

function aSandbox(): Promise<Sandbox> {
  const reports = [aReport({ id: 4, status: 'completed', ...reportLinks(4) })]
  const projects = [aProject({ id: 1, name: 'Shoes', reports })]
  return createSandbox({ fixtures: aWorld({ projects }) })
}
