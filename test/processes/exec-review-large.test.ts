import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { aFolder } from '../support/cli.ts'
import { exec, node } from '../support/exec.ts'
import { BIN } from '../support/launch.ts'

/** Sessions that are larger than the memory of their readers. */

/** A client that fails the review, which keeps its session. */
const CLIENT = node(`
  const { SEO_SANDBOX_URL: url, SEO_SANDBOX_TOKEN: token } = process.env
  const headers = { authorization: 'Bearer ' + token, accept: 'application/json' }
  const read = (path) => fetch(url + '/api/v1' + path, { headers })
  read('/projects').then(() => read('/projects/101/reports/0/content'))
`)

test('a session of 100 MB is reviewed and replayed with 256 MB of heap', async () => {
  await using folder = await aFolder({})
  await using run = exec(['--report=json=a.json', '--rate-limit=unlimited', '--', ...CLIENT], {
    cwd: folder.path(),
    env: { TMPDIR: folder.path() },
  })
  await run.outcome
  const [head = '', first = ''] = (await folder.read('a.session.jsonl')).split('\n')
  const { run: _run, ...header } = JSON.parse(head) as { run: object; lines: number }
  const step = JSON.parse(first) as { sequence: number }
  const count = Math.ceil(100_000_000 / (first.length + 20))
  const file = createWriteStream(folder.path('large.jsonl'))
  const lines = function* (): Generator<string> {
    yield `${JSON.stringify({ ...header, lines: 2 * count })}\n`
    for (let sequence = 1; sequence <= count; sequence += 1) {
      yield `${JSON.stringify({ ...step, sequence })}\n${JSON.stringify({ end: sequence })}\n`
    }
  }
  await pipeline(Readable.from(lines()), file)
  const inLittleMemory = async (command: string) =>
    await promisify(execFile)(
      process.execPath,
      ['--max-old-space-size=256', BIN, command, 'large.jsonl'],
      { cwd: folder.path() },
    )
  expect((await inLittleMemory('replay')).stdout).toBe(`${count} steps, every response the same\n`)
  expect((await inLittleMemory('review')).stdout).toContain(`review ${count} requests: `)
})
