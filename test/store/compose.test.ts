import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { fromRoot } from '../support/cli.ts'
import { startRedis } from './support/redis.js'
import { ask, startReplica } from './support/replica.ts'

/** docs/hosting/compose.yaml: its services run and behave as it says. */

const KEY = 'a-key-of-sixteen-letters'

/** The variables of .env. */
const VARIABLES: Record<string, string> = {
  SEO_SANDBOX_ADMIN_KEY: KEY,
  REDIS_PASSWORD: 'of-the-servers',
  REDIS_OPERATOR_PASSWORD: 'of-the-operator',
}

/** Reads the file with its variables replaced, all of which it requires. */
async function readCompose(): Promise<Record<string, any>> {
  const text = await readFile(fromRoot('docs/hosting/compose.yaml'), 'utf8')
  const required = [...text.matchAll(/\$\{(\w+):\?Set it to [^}]+\}/g)].map(([, name]) => name)
  expect(new Set(required)).toEqual(new Set(Object.keys(VARIABLES)))
  const filled = text.replaceAll(/\$\{(\w+)[^}]*\}/g, (_, name: string) => VARIABLES[name]!)
  return parse(filled, { merge: true })
}

/** Starts the Redis of the file, with its users. */
async function startItsRedis({ services, configs }: Record<string, any>) {
  const { command, configs: mounted } = services.redis
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-compose-'))
  const [program, ...args] = command
  expect(program).toBe('redis-server')
  const config = Object.fromEntries(
    args.flatMap((name: string, at: number) =>
      name.startsWith('--') ? [[name.slice(2), args[at + 1]]] : [],
    ),
  )
  const [{ source, target }] = mounted
  expect(config.aclfile).toBe(target)
  config.aclfile = join(folder, 'users.acl')
  await writeFile(config.aclfile, configs[source].content)
  const redis = await startRedis({ config })
  return {
    ...redis,
    async [Symbol.asyncDispose]() {
      await redis[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

test('its servers start on its Redis, with metrics and behind a proxy', async () => {
  const compose = await readCompose()
  const { 'replica-1': first, 'replica-2': second } = compose.services
  expect(second).toEqual(first)
  await using redis = await startItsRedis(compose)
  const { SEO_SANDBOX_STORE: url, ...env } = first.environment
  await using replica = await startReplica(url.replace('redis:6379', `127.0.0.1:${redis.port}`), {
    env,
  })
  const headers = { 'x-forwarded-host': 'seo.example', 'x-forwarded-proto': 'https' }
  for (const path of ['/_sandbox/metrics', '/_sandbox/worlds']) {
    expect((await ask(replica.url + path, { headers })).status).toBe(401)
    expect((await ask(replica.url + path, { headers, token: KEY })).status).toBe(200)
  }
})

test('its Redis has a password for its servers, with the rights of the guide, and one for the operator', async () => {
  const compose = await readCompose()
  const { redis: service, 'replica-1': server, proxy } = compose.services
  await using redis = await startItsRedis(compose)
  await expect(redis.command('PING')).rejects.toThrow(/NOAUTH/)
  const [program, ...args] = service.healthcheck.test.slice(1)
  const env = { PATH: process.env['PATH'], ...service.environment }
  const run = async (...words: string[]) => {
    const line = ['-p', String(redis.port), ...words]
    return (await promisify(execFile)(program, line, { env })).stdout.trim()
  }
  expect(await run(...args)).toBe('PONG')
  await expect(
    promisify(execFile)(program, ['-p', String(redis.port), ...args], { env: {} }),
  ).rejects.toThrow(/NOAUTH/)
  expect(await run('SAVE')).toBe('OK')

  const guide = await readFile(fromRoot('docs/hosting/several-servers.md'), 'utf8')
  const [line] = /^user seo-sandbox on .+$/m.exec(guide)!
  expect(compose.configs.users.content.split('\n')).toContain(
    line.replace('PASSWORD', VARIABLES['REDIS_PASSWORD']!),
  )

  expect(compose.networks.store.internal).toBe(true)
  expect(service.networks).toEqual(['store'])
  expect(server.networks).toEqual(['default', 'store'])
  expect(proxy.networks).toBeUndefined()
})

test('its proxy finds its servers and its files', async () => {
  const { proxy, ...others } = (await readCompose()).services
  const config = await readFile(fromRoot('docs/hosting/haproxy.cfg'), 'utf8')
  const names = Object.keys(others).filter((name) => name !== 'redis')
  for (const backend of ['replicas', 'without-store']) {
    const [text = ''] = new RegExp(`^backend ${backend}\\n(?: .*\\n)+`, 'm').exec(config) ?? []
    const servers = [...text.matchAll(/^ {2}server (\S+) "\$\{REPLICA_\d-(\S+):4010\}"$/gm)]
    expect(servers.map(([, name, host]) => [name, host])).toEqual(names.map((name) => [name, name]))
  }
  expect(Object.keys(proxy.depends_on)).toEqual(names)
  const mounted = proxy.volumes.map((volume: string) => volume.split(':')[1])
  expect(mounted).toContain(proxy.environment.CERTIFICATE)
  expect(config).toContain(`"\${CERTIFICATE-${proxy.environment.CERTIFICATE}}"`)
})
