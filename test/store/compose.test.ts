import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { fromRoot } from '../support/cli.ts'
import { startRedis } from './support/redis.js'
import { ask, startReplica } from './support/replica.ts'

/** docs/hosting/compose.yaml: what its services run does what it says. */

const KEY = 'a-key-of-sixteen-letters'

async function readServices(): Promise<Record<string, any>> {
  const text = await readFile(fromRoot('docs/hosting/compose.yaml'), 'utf8')
  return parse(text, { merge: true }).services
}

test('its servers start on its Redis, with metrics and behind a proxy', async () => {
  const { redis: store, 'replica-1': first, 'replica-2': second } = await readServices()
  expect(second).toEqual(first)
  const [program, ...args] = store.command
  expect(program).toBe('redis-server')
  const config = Object.fromEntries(
    args.flatMap((name: string, at: number) =>
      name.startsWith('--') ? [[name.slice(2), args[at + 1]]] : [],
    ),
  )
  await using redis = await startRedis({ config })
  const { SEO_SANDBOX_STORE: url, SEO_SANDBOX_ADMIN_KEY: key, ...env } = first.environment
  expect(url).toBe('redis://redis:6379')
  expect(key).toMatch(/^\$\{SEO_SANDBOX_ADMIN_KEY:\?Set it to a key /)
  await using replica = await startReplica(redis.url, {
    env: { ...env, SEO_SANDBOX_ADMIN_KEY: KEY },
  })
  const headers = { 'x-forwarded-host': 'seo.example', 'x-forwarded-proto': 'https' }
  for (const path of ['/_sandbox/metrics', '/_sandbox/worlds']) {
    expect((await ask(replica.url + path, { headers })).status).toBe(401)
    expect((await ask(replica.url + path, { headers, token: KEY })).status).toBe(200)
  }
})

test('its proxy finds its servers and its files', async () => {
  const { proxy, ...others } = await readServices()
  const config = await readFile(fromRoot('docs/hosting/haproxy.cfg'), 'utf8')
  const servers = [...config.matchAll(/^ {2}server (\S+) "\$\{REPLICA_\d-(\S+):4010\}"$/gm)]
  const names = Object.keys(others).filter((name) => name !== 'redis')
  expect(servers.map(([, name, host]) => [name, host])).toEqual(names.map((name) => [name, name]))
  expect(Object.keys(proxy.depends_on)).toEqual(names)
  const mounted = proxy.volumes.map((volume: string) => volume.split(':')[1])
  expect(mounted).toContain(proxy.environment.CERTIFICATE)
  expect(config).toContain(`"\${CERTIFICATE-${proxy.environment.CERTIFICATE}}"`)
})
