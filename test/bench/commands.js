/**
 * The cost of a rehearsal for a command: the calm runs of a shell script that sends eight requests with curl, one after the
 * other, against the same script started as often and asking a bare node:http.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { atMost, median } from './support/report.js'

const BIN = fileURLToPath(new URL('../../bin/seo-sandbox.js', import.meta.url))
const BAR = 1.5
const REQUESTS = 8
const SCRIPT = `
date +%s%N >> "$1/begun"
for number in ${Array.from({ length: REQUESTS }, (_, index) => index + 1).join(' ')}; do
  curl --silent --max-time 2 --output /dev/null -H "Authorization: Bearer $SEO_SANDBOX_TOKEN" \\
    "$SEO_SANDBOX_URL/api/v1/projects?status=active&page=$number"
done
`

export async function measure({ isShort }) {
  const length = isShort ? 'P2M' : 'P12M'
  const folder = await mkdtemp(join(tmpdir(), 'bench-'))
  const cwd = { cwd: folder }
  try {
    await writeFile(join(folder, 'sync.sh'), SCRIPT)
    const line = ['--start', '2026-01-01', '--for', length, '--client-state', 'state', '--json']
    const rehearsal = spawn(
      process.execPath,
      [BIN, 'rehearse', ...line, '--', 'sh', 'sync.sh', 'state'],
      { ...cwd, stdio: ['ignore', 'pipe', 'ignore'] },
    )
    const chunks = []
    rehearsal.stdout.on('data', (chunk) => chunks.push(chunk))
    await once(rehearsal, 'close')
    const { runs } = JSON.parse(Buffer.concat(chunks).toString())
    const rehearsed = await runTimes(join(folder, 'state'))
    const calm = rehearsed.filter((_, index) => {
      const { kind, events } = runs[index]
      return kind === 'calm' && !events.some((event) => event.startsWith('it begins'))
    })
    const bare = await runBare(folder, runs.length)
    const [own, others] = [calm, bare].map((times) => median(times))
    const ratio = own / others
    return [
      {
        title: 'The runs of a command in a rehearsal, against a bare node:http',
        about: `milliseconds from the start of a run to that of the next one, medians of ${calm.length} calm runs of ${runs.length}, and of as many as all`,
        columns: ['', 'rehearsed', 'bare', 'ratio'],
        rows: [
          [`${REQUESTS} requests with curl`, own.toFixed(1), others.toFixed(1), ratio.toFixed(2)],
        ],
        bars: [atMost(BAR, 'a run of a command, against a bare node:http', ratio)],
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The times from the start of each run to that of the next one, in milliseconds. */
async function runTimes(folder) {
  const lines = (await readFile(join(folder, 'begun'), 'utf8')).trim().split('\n')
  const begun = lines.map((text) => Number(text) / 1e6)
  return begun.slice(1).map((ms, index) => ms - begun[index])
}

async function runBare(folder, count) {
  const state = join(folder, 'bare')
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  await mkdir(state)
  const env = {
    ...process.env,
    SEO_SANDBOX_URL: `http://127.0.0.1:${server.address().port}`,
    SEO_SANDBOX_TOKEN: 'none',
  }
  for (let number = 0; number < count; number += 1) {
    const child = spawn('sh', ['sync.sh', 'bare'], { cwd: folder, env, stdio: 'ignore' })
    await once(child, 'exit')
  }
  server.close()
  return runTimes(state)
}
