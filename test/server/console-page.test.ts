import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { http, HttpResponse } from 'msw'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FRAME_STYLE } from '../../src/console/panels/world/frame-style.ts'
import { startServer } from '../../src/server.ts'
import type { SandboxServer, ServerOptions } from '../../src/server.ts'
import { sendRaw } from '../support/transports.ts'

/** The console as the server sends it: a page for browsers, and nothing that an API client would notice. */

const FOLDER = new URL('../../build/console/', import.meta.url)
const assets = readdirSync(new URL('console/', FOLDER)).map((name) => `console/${name}`)
const names = ['index.html', ...assets]

/** The `Accept` header of Chromium when it opens a page. */
const BROWSER =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

let server: SandboxServer
beforeAll(async () => {
  server = await startServer({ port: 0 })
})
afterAll(() => server.close())

describe('GET /', () => {
  test.each<[string, Record<string, string>]>([
    ['a browser', { accept: BROWSER }],
    ['a browser behind a proxy with a password', { accept: BROWSER, authorization: 'Basic YTpi' }],
    ['HTML alone', { accept: 'text/html' }],
    ['HTML before JSON', { accept: 'text/html, application/json' }],
    ['HTML rather than JSON', { accept: 'application/json;q=0.8, TEXT/HTML' }],
    ['a scanner of mail that accepts anything', { accept: '*/*' }],
    ['no Accept', {}],
  ])('is the page for %s', async (_, sent) => {
    const { status, headers, text } = await sendRaw(server.port, {
      target: '/?panel=world',
      headers: sent,
    })
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('<title>seo-sandbox</title>')
  })

  test.each<[string, Record<string, string>]>([
    ['JSON', { accept: 'application/json' }],
    ['axios', { accept: 'application/json, text/plain, */*' }],
    ['JSON before HTML', { accept: 'application/json, text/html' }],
    ['HTML refused', { accept: 'text/html;q=0, */*' }],
    ['a token, and any type', { accept: '*/*', authorization: 'Bearer sandbox-agency' }],
  ])('is the 404 of the API for %s', async (_, headers) => {
    const { status, body } = await sendRaw(server.port, { target: '/', headers })
    expect([status, Object.keys(body)]).toEqual([404, ['message']])
  })

  test.each([
    ['another method', 'POST', '/'],
    ['a file that is not there', 'GET', '/console/nothing.js'],
    ['a path out of its folder', 'GET', '/console/../index.js'],
    ['an encoded path out of its folder', 'GET', '/console/%2e%2e%2findex.js'],
    ['the page by its name', 'GET', '/console/index.html'],
    ['its folder', 'GET', '/console/'],
  ])('is not there for %s', async (_, method, target) => {
    const headers = { accept: BROWSER }
    const { status, body } = await sendRaw(server.port, { target, method, headers })
    expect([status, Object.keys(body)]).toEqual([404, ['message']])
  })

  test('may load nothing from elsewhere, have nothing inline, and be in no frame', async () => {
    const { headers, text } = await sendRaw(server.port, {
      target: '/',
      headers: { accept: BROWSER },
    })
    const policy = String(headers['content-security-policy']).split('; ')
    const frameStyle = createHash('sha256').update(FRAME_STYLE).digest('base64')
    for (const directive of [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'sha256-${frameStyle}'`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]) {
      expect(policy).toContain(directive)
    }
    expect(policy.join()).not.toMatch(/unsafe|http|\*/)
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
      vary: 'Accept',
    })
  })
})

test.each(assets)('/%s is kept for good, because its name has its hash', async (name) => {
  const { status, headers, text } = await sendRaw(server.port, { target: `/${name}` })
  expect([status, text]).toEqual([200, readFileSync(new URL(name, FOLDER), 'utf8')])
  expect(headers).toMatchObject({
    'content-type': name.endsWith('.css')
      ? 'text/css; charset=utf-8'
      : 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  })
})

test('gzipped its files have less than 60 kB before the first panel, 90 kB for everybody, 5.5 kB more for the operator, and 4 kB more in a static site; none is a source map', () => {
  const page = readFileSync(new URL('index.html', FOLDER), 'utf8')
  const first = names.filter((name) => name === 'index.html' || page.includes(`./${name}"`))
  expect(first.map((name) => extname(name)).toSorted()).toEqual(['.css', '.html', '.js'])
  const operators = names.filter((name) => name.startsWith('console/partners-panel'))
  expect(sizeOf(operators)).toBeLessThan(5500)
  const ofSites = names.filter((name) => name.startsWith('console/open-tab-'))
  expect(sizeOf(ofSites)).toBeLessThan(4000)
  expect(sizeOf(names) - sizeOf(operators) - sizeOf(ofSites)).toBeLessThan(90_000)
  expect(sizeOf(first)).toBeLessThan(60_000)
  expect(names.filter((name) => name.endsWith('.map'))).toEqual([])
})

/** The size of files in bytes, gzipped. */
function sizeOf(files: readonly string[]): number {
  const sizes = files.map(
    (name) => gzipSync(readFileSync(new URL(name, FOLDER)), { level: 9 }).length,
  )
  return sizes.reduce((sum, size) => sum + size)
}

test.each<[string, ServerOptions]>([
  ['console: false', { console: false }],
  ['the control API off', { control: false }],
])('with %s there is none', async (_, options) => {
  const other = await startServer({ port: 0, ...options })
  const { status } = await sendRaw(other.port, { target: '/', headers: { accept: BROWSER } })
  expect([status, other.console]).toEqual([404, undefined])
  await other.close()
})

test('a server says where it is', () => {
  expect(server.console).toBe(`${server.url}/`)
})

test("the user's own handlers come before it", async () => {
  const handlers = [http.get('*/', () => HttpResponse.json({ mine: true }))]
  const other = await startServer({ port: 0, handlers })
  const { body } = await sendRaw(other.port, { target: '/', headers: { accept: BROWSER } })
  expect(body).toEqual({ mine: true })
  await other.close()
})
