import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { BIN } from '../support/launch.ts'
import { fromRoot } from '../support/cli.ts'
import { startRedis } from './support/redis.js'
import type { Redis } from './support/redis.js'
import { ask, startReplica } from './support/replica.ts'

/** `seo-sandbox exec --store`: the command has a world of its own, and the default world stays unchanged. */

/** Runs a shell script that calls the API and the control API, and returns its output. */
async function exec(redis: Redis, script: string, args: string[] = []): Promise<string[]> {
  const line = [BIN, 'exec', '--store', redis.url, ...args, '--', 'sh', '-euc', FUNCTIONS + script]
  const { stdout } = await promisify(execFile)(process.execPath, line)
  return stdout.trim().split('\n')
}

const FUNCTIONS = `
status() { curl -s -o /dev/null -w '%{http_code}\\n' "$@"; }
api="$SEO_SANDBOX_URL/api/v1"
control="$SEO_SANDBOX_CONTROL_URL"
bearer="Authorization: Bearer $SEO_SANDBOX_TOKEN"
`

async function keysOf(redis: Redis, pattern: string): Promise<string[]> {
  return redis.command('KEYS', pattern)
}

test('what the command asks and changes is of its own world, which is dropped at the end', async () => {
  await using redis = await startRedis()
  const args = ['--fixtures', fromRoot('fixtures/examples/agency.yaml')]
  await using replica = await startReplica(redis.url, { args })
  await ask(`${replica.url}/_sandbox/policies`, {
    method: 'PATCH',
    body: { 'missing-token': '403' },
  })
  const before = await redis.command('XRANGE', 'seo-sandbox:{default}:log', '-', '+')
  const printed = await exec(
    redis,
    `
    status -H "$bearer" "$api/projects/101"
    status "$api/me"
    status -H 'Authorization: Bearer unknown' "$api/me"
    status -H 'Authorization: Bearer northlight-live' "$api/me"
    status "$control/clock" -d '{ "now": "2031-01-01T00:00:00Z" }'
    status -X POST "$control/reset"
    status -H "$bearer" "$api/me"
    curl -s "$control/requests" | grep -o '"path":"[^"]*"'
    curl -s "$control/worlds" | grep -o '"id":"[^"]*"' | wc -l
    `,
  )
  const statuses = ['200', '401', '401', '401', '200', '200', '200']
  expect(printed).toEqual([...statuses, '"path":"/api/v1/me"', '1'])
  expect(await redis.command('XRANGE', 'seo-sandbox:{default}:log', '-', '+')).toEqual(before)
  expect(await keysOf(redis, 'seo-sandbox:{w*')).toEqual([])
  expect((await ask(`${replica.url}/_sandbox/worlds`)).body).toEqual([])
})

test('its options are those of that world, and a store without a default world gets none', async () => {
  await using redis = await startRedis()
  const options = ['--fixtures', fromRoot('fixtures/examples/agency.yaml')]
  const script = `
    echo "$SEO_SANDBOX_TOKEN" | sed 's/~.*//'
    curl -s "$control/clock" | grep -o '2030-05-0.'
    for _ in $(seq 150); do echo "url = $api/me"; echo 'output = /dev/null'; done | curl -s -w '%{http_code}\\n' -K - | sort -u
  `
  const printed = await exec(redis, script, [...options, '--now', '2030-05-06T12:00:00Z'])
  expect(printed).toEqual(['northlight-live', '2030-05-06', '401'])
  expect(await keysOf(redis, 'seo-sandbox:{*')).toEqual([])
})
