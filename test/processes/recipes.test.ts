import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { EXEC_VARIABLES } from '../../src/cli/exec/exec-options.ts'
import { environmentName, SERVE_OPTION_NAMES } from '../../src/cli/serve-options.ts'
import { fromRoot } from '../support/cli.ts'
import { freePort } from '../support/free-port.js'
import { BIN, launch } from '../support/launch.ts'
import { aProject } from './project.ts'

/** The recipes for services that are not available here: their commands do what the recipes promise. */

const PORT = '4010'

/** A recipe, with a free port. */
async function readRecipe(path: string): Promise<any> {
  const port = await freePort()
  const recipe = await readFile(fromRoot(`docs/recipes/${path}`), 'utf8')
  return parse(recipe.replaceAll(PORT, String(port)))
}

async function run(
  [program = '', ...args]: string[],
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<{ code: number; stdout: string }> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [stdout, [code]] = await Promise.all([readText(child.stdout), once(child, 'exit')])
  return { code, stdout }
}

/** Variables that set options of a server, as in a container. */
const OPTION_VARIABLES = SERVE_OPTION_NAMES.map(environmentName)

test(
  'every recipe finds a running server by the variables that exec sets',
  { tags: ['core'] },
  async () => {
    const folder = fromRoot('docs/recipes')
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    const texts = await Promise.all(
      files.map((file) => readFile(join(file.parentPath, file.name), 'utf8')),
    )
    const names = texts.flatMap((text) => text.match(/\b\w*SANDBOX_\w+/g) ?? [])
    expect(names).toContain(EXEC_VARIABLES.url)
    const known = [...Object.values<string>(EXEC_VARIABLES), ...OPTION_VARIABLES]
    expect(names.filter((name) => !known.includes(name))).toEqual([])
  },
)

test(
  'GitHub Actions: the server that one step starts serves the tests of the next',
  { tags: ['core'] },
  async () => {
    const { jobs } = await readRecipe('github-actions/api-tests.yml')
    const steps = jobs.test.steps.filter(({ run: script }: any) => script && script !== 'npm ci')
    const script =
      'curl --fail --silent -H "Authorization: Bearer sandbox-agency" $SEO_SANDBOX_URL/api/v1/me'
    await using folder = await aProject({ test: script })
    const cwd = folder.path()
    const outputs: string[] = []
    try {
      for (const { run: line, env } of steps) {
        const bash = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', line]
        const { code, stdout } = await run(bash, { cwd, env })
        expect(code).toBe(0)
        outputs.push(stdout)
      }
    } finally {
      const [, pid] = /"pid":(\d+)/.exec(await folder.read('seo-sandbox.log')) ?? []
      if (pid !== undefined) process.kill(Number(pid), 'SIGKILL')
    }
    expect(outputs).toEqual([
      '',
      expect.stringContaining('"name":"Sandbox agency"'),
      expect.stringContaining('"target":"/api/v1/me","status":200'),
    ])
  },
)

test(
  'Docker Compose: the server becomes healthy, and the tests may control it',
  { tags: ['core'] },
  async () => {
    const { services } = await readRecipe('docker-compose/compose.yaml')
    const { command, environment, healthcheck } = services.sandbox
    const [program, ...args] = command.map((word: string) => word.replace('0.0.0.0', '127.0.0.1'))
    const [kind, ...check] = healthcheck.test
    expect([program, kind]).toEqual(['seo-sandbox', 'CMD'])
    expect((await run(check)).code).toBe(1)

    const line: [string, ...string[]] = [process.execPath, BIN, ...args, '--json']
    await using _ = await launch(line, { env: environment })
    expect((await run(check)).code).toBe(0)
    const { SEO_SANDBOX_URL: url, SEO_SANDBOX_ADMIN_KEY: key } = services.tests.environment
    const { host, port } = new URL(url)
    const reset = request({
      port,
      method: 'POST',
      path: '/_sandbox/reset',
      headers: { host, authorization: `Bearer ${key}` },
    }).end()
    const [response] = await once(reset, 'response')
    expect(response.statusCode).toBe(200)
  },
)
