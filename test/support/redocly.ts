import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const CLI = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url))

/** Checks an OpenAPI document against the recommended rules of Redocly. */
export async function lint(file: string): Promise<{ totals: object; problems: unknown[] }> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [CLI, 'lint', file, '--extends=recommended', '--format=json'],
    { env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
  ).catch((error: { stdout: string }) => error)
  return JSON.parse(stdout) as { totals: object; problems: unknown[] }
}
