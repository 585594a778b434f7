import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { BIN } from '../support/launch.ts'
import { freePort } from '../support/free-port.js'
import { control } from './support/cluster.ts'
import type { StoredWorld } from './support/cluster.ts'
import { ADMIN_KEY, claim, invite } from './support/partners.ts'
import { startRedis } from './support/redis.js'
import { ask, startReplica } from './support/replica.ts'

/** docs/hosting/several-servers.md, Secure Redis. */

const GUIDE = new URL('../../docs/hosting/several-servers.md', import.meta.url)

test('the rights of the documented user are all that servers need, and reach nothing else', async () => {
  const [, name = '', rules = ''] =
    /^user (\S+) (on .+)$/m.exec(await readFile(GUIDE, 'utf8')) ?? []
  await using redis = await startRedis()
  await redis.command('ACL', 'SETUSER', name, ...rules.split(' '))
  const [, password = ''] = />(\S+)/.exec(rules) ?? []
  const store = redis.url.replace('//', `//${name}:${password}@`)
  const options = { args: ['--admin-key', ADMIN_KEY, '--metrics'] }
  await using replica = await startReplica(store, options)
  const { url } = replica
  const send = (path: string, body?: object) =>
    ask(url + path, { token: ADMIN_KEY, ...(body ? { body } : { method: 'POST' }) })

  const world = (await send('/_sandbox/worlds', {})).body as StoredWorld
  const token = world.tokens['sandbox-agency']!
  expect((await ask(`${url}/api/v1/me`, { token })).status).toBe(200)
  const fixtures = { version: 1, generate: { projects: 2 } }
  const load = await send(control(world, '/commands'), { type: 'fixtures.load', fixtures })
  expect(load.status, load.text).toBe(200)
  const partner = await invite(replica, { name: 'A partner' })
  expect((await claim(replica, partner)).status).toBe(201)
  const renewed = await ask(`${url}/_sandbox/partners/${partner.id}`, {
    method: 'PATCH',
    token: ADMIN_KEY,
    body: { expires: 'P1M', link: true },
  })
  expect(renewed.status, renewed.text).toBe(200)

  // The next server loads the snapshots that this one takes at the end, and looks for data that is no longer needed.
  expect(await replica.stop()).toBe(0)
  await redis.command('DEL', 'seo-sandbox:swept')
  await replica.start()
  expect((await ask(`${url}/api/v1/me`, { token: partner.tokens['sandbox-agency']! })).status).toBe(
    200,
  )
  const reads = [
    `partners/${partner.id}/keys`,
    'partners',
    'worlds',
    'ready',
    'metrics',
    'health',
    `requests?world=${world.id}`,
  ]
  for (const path of reads) {
    const { status, text } = await ask(`${url}/_sandbox/${path}`, { token: ADMIN_KEY })
    expect(status, text).toBe(200)
  }
  expect((await send(`/_sandbox/worlds/${world.id}/load`)).status).toBeLessThan(300)
  for (const path of [`/partners/${partner.id}`, `/worlds/${world.id}`]) {
    const gone = await ask(`${url}/_sandbox${path}`, { method: 'DELETE', token: ADMIN_KEY })
    expect(gone.status, gone.text).toBe(204)
  }
  expect(await replica.stop()).toBe(0)
  await promisify(execFile)(process.execPath, [BIN, 'partners', 'add', 'Another', '--store', store])
  expect(await redis.command('ACL', 'LOG')).toEqual([])

  await redis.command('SET', 'others:key', 'x')
  const tried = (...words: string[]) => redis.command('ACL', 'DRYRUN', name, ...words)
  for (const words of [
    ['FLUSHALL'],
    ['CONFIG', 'GET', '*'],
    ['KEYS', '*'],
    ['ACL', 'LIST'],
    ['GET', 'others:key'],
  ])
    expect(await tried(...words), words.join(' ')).not.toBe('OK')
})

test('a server trusts the certificate of a Redis by a private authority in NODE_EXTRA_CA_CERTS, and no other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-tls-'))
  await using _ = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
  const file = (name: string) => join(folder, name)
  const openssl = (line: string) => promisify(execFile)('openssl', line.split(' '), { cwd: folder })
  const newKey = (name: string) =>
    `-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ${name}.key -subj /CN=${name}`
  await writeFile(file('names'), 'subjectAltName=IP:127.0.0.1')
  await openssl(`req -x509 -days 2 -out authority.pem ${newKey('authority')}`)
  await openssl(`req -out redis.csr ${newKey('redis')}`)
  await openssl(
    'x509 -req -days 2 -in redis.csr -CA authority.pem -CAkey authority.key -CAcreateserial -extfile names -out redis.pem',
  )
  const tlsPort = await freePort()
  await using redis = await startRedis({
    config: {
      'tls-port': tlsPort,
      'tls-cert-file': file('redis.pem'),
      'tls-key-file': file('redis.key'),
      'tls-ca-cert-file': file('authority.pem'),
      'tls-auth-clients': 'no',
    },
  })
  const store = redis.url.replace(/redis:(.*):\d+/, `rediss:$1:${tlsPort}`)
  const env = { NODE_EXTRA_CA_CERTS: file('authority.pem') }
  await using replica = await startReplica(store, { env })
  expect((await ask(`${replica.url}/_sandbox/ready`)).status).toBe(200)
  await expect(startReplica(store)).rejects.toThrow(/certificate/)
})
