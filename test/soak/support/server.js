import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const BIN = fileURLToPath(new URL('../../../bin/seo-sandbox.js', import.meta.url))

/**
 * Serves fixtures by the command line, in a process of its own.
 *
 * @param options `args` of the command line, `node` for Node's own, and `onLine`, which is called with each line of its log.
 */
export async function startServer(fixtures, { args = [], node = [], onLine = () => {} } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-soak-'))
  const file = join(folder, 'world.json')
  await writeFile(file, JSON.stringify(fixtures))
  const child = spawn(
    process.execPath,
    [...node, BIN, '--port', '0', '--json', '--fixtures', file, ...args],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    stderr += piece
  })
  const closed = once(child, 'close')
  const lines = createInterface(child.stdout)
  const first = await Promise.race([once(lines, 'line'), closed])
  if (child.exitCode !== null) throw new Error(`The server did not start: ${stderr}`)
  lines.on('line', onLine)
  const { url } = JSON.parse(first[0])
  return {
    url,
    port: Number(new URL(url).port),
    /** Its signal or exit code; undefined while it runs. */
    ended: () => child.signalCode ?? child.exitCode ?? undefined,
    stderr: () => stderr,
    /** Stops it, and returns its exit code. */
    stop: async () => {
      child.kill()
      await closed
      await rm(folder, { recursive: true })
      return child.exitCode
    },
  }
}
