import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { describe, test } from 'vitest'
import { parse } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { actionWorkflow } from '../derived/repository.ts'
import { aFolder, fromRoot, runCli } from '../support/cli.ts'
import type { Folder, Outcome } from '../support/cli.ts'
import { aProject } from './project.ts'

/** The steps of action.yml, run in the way that a runner of GitHub Actions runs a composite action. */

interface Step {
  id: string
  run?: string
  shell?: string
  uses?: string
  env?: Record<string, string>
  with?: Record<string, string>
}

const ACTION = parse(await readFile(fromRoot('action.yml'), 'utf8')) as {
  inputs: Record<string, { default?: string; required?: boolean }>
  outputs: Record<string, { value: string }>
  runs: { steps: Step[] }
}
const { steps } = ACTION.runs

type Values = Record<string, string>

interface Ran {
  code: number
  stdout: string
  stderr: string
  summary: string
  outputs: Values
  /** Beginnings of the files that the last step keeps. */
  kept: string[]
  /** Result of `review` of the session that the last step keeps; undefined without one. */
  again: Outcome | undefined
}

interface RunOptions {
  env?: Values
  /** The job's working folder. */
  project: Folder
}

/** Runs the steps until one fails, without those that use another action. */
async function runAction(given: Values, { env = {}, project }: RunOptions): Promise<Ran> {
  await using runner = await aFolder({ summary: '', 'temp/': '' })
  const defaults = Object.entries(ACTION.inputs).map(([name, input]) => [name, input.default ?? ''])
  const inputs: Values = { ...Object.fromEntries(defaults), ...given }
  const outputs: Record<string, Values> = {}
  const evaluate = (text: string) =>
    text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
      const [context, name = '', , output = ''] = expression.split('.')
      return (context === 'inputs' ? inputs[name] : outputs[name]?.[output]) ?? ''
    })
  const ran = { code: 0, stdout: '', stderr: '' }
  for (const { id, run, env: ofStep = {} } of steps) {
    if (run === undefined || ran.code !== 0) continue
    await Promise.all([writeFile(runner.path('step.sh'), run), writeFile(runner.path(id), '')])
    const values = Object.entries(ofStep).map(([name, value]) => [name, evaluate(value)])
    const child = spawn(
      'bash',
      ['--noprofile', '--norc', '-e', '-o', 'pipefail', runner.path('step.sh')],
      {
        cwd: project.path(inputs['working-directory']),
        env: {
          PATH: process.env['PATH'],
          HOME: process.env['HOME'],
          npm_config_prefer_offline: 'true',
          GITHUB_ACTIONS: 'true',
          GITHUB_ACTION_PATH: fromRoot('.'),
          GITHUB_OUTPUT: runner.path(id),
          GITHUB_STEP_SUMMARY: runner.path('summary'),
          RUNNER_TEMP: runner.path('temp'),
          ...env,
          ...Object.fromEntries(values),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const texts = Promise.all([readText(child.stdout), readText(child.stderr)])
    const [[stdout, stderr], [code]] = await Promise.all([texts, once(child, 'close')])
    ran.code = code
    ran.stdout += stdout
    ran.stderr += stderr
    const lines = (await runner.read(id)).trimEnd().split('\n')
    outputs[id] = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s)))
  }
  const kept = evaluate(steps.at(-1)?.with?.['path'] ?? '')
    .split('\n')
    .filter((path) => path !== '')
  const session = outputs['review']?.['session'] ?? ''
  const again =
    session === '' ? undefined : await runCli(['review', session], { cwd: runner.path() })
  return {
    ...ran,
    again,
    summary: await runner.read('summary'),
    outputs: Object.fromEntries(
      Object.entries(ACTION.outputs).map(([name, { value }]) => [name, evaluate(value)]),
    ),
    kept: await Promise.all(kept.map(async (path) => (await readFile(path, 'utf8')).slice(0, 15))),
  }
}

const ASK =
  'curl --silent --show-error -H "Accept: application/json" -H "Authorization: Bearer $SEO_SANDBOX_TOKEN" "$SEO_SANDBOX_URL/api/v1'
const RIGHT = `${ASK}/me"`
const WRONG = `${ASK}/projects/101/reports/0/content"`

const project = () => aProject({})

describe('action.yml', { tags: ['core'] }, () => {
  test('has no expression in a script, so that no input is run', ({ expect }) => {
    const scripts = steps.flatMap(({ run }) => run ?? [])
    expect(scripts).toHaveLength(2)
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([])
  })

  test('takes every input that it has, and no other', ({ expect }) => {
    const text = JSON.stringify(steps)
    const taken = [...text.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name)
    expect(new Set(taken)).toEqual(new Set(Object.keys(ACTION.inputs)))
  })
})

describe('its page', { tags: ['core'] }, () => {
  test('lists its inputs and outputs', async ({ expect }) => {
    const page = await readFile(fromRoot('docs/recipes/github-actions/README.md'), 'utf8')
    const names = [...page.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name)
    expect(names).toEqual([...Object.keys(ACTION.inputs), ...Object.keys(ACTION.outputs)])
  })

  test('sets only inputs that there are, and each that is required', async ({ expect }) => {
    const { jobs } = parse(/```yaml\n(.*?)```/s.exec(actionWorkflow())?.[1] ?? '')
    const given = Object.keys(jobs.review.steps.at(-1).with)
    expect(Object.keys(ACTION.inputs)).toEqual(expect.arrayContaining(given))
    const required = Object.entries(ACTION.inputs).filter(([, input]) => input.required)
    expect(given).toEqual(expect.arrayContaining(required.map(([name]) => name)))
  })
})

describe.concurrent('a client', () => {
  test('that passes passes the job, with outputs, and one summary', async ({ expect }) => {
    await using folder = await project()
    const { code, stdout, stderr, summary, outputs } = await runAction(
      { command: RIGHT },
      { project: folder },
    )
    expect([code, outputs['verdict'], outputs['session']]).toEqual([0, 'passed', ''])
    expect(outputs['report']).toMatch(/review\.html$/)
    expect(stdout).toContain('"name":"Sandbox agency"')
    expect(stdout + stderr).not.toMatch(/^::/m)
    expect(summary.match(/^## Review of the client: passed$/gm)).toHaveLength(1)
  })

  test(
    'that fails fails the job, with an annotation, and keeps the report and a session that reproduces it',
    { tags: ['core'] },
    async ({ expect }) => {
      await using folder = await project()
      const { code, stderr, summary, outputs, kept, again } = await runAction(
        { command: WRONG },
        { project: folder },
      )
      expect([code, outputs['verdict']]).toEqual([1, 'failed'])
      expect(stderr.match(/^::error title=failed%3A report-number-range .+$/gm)).toHaveLength(1)
      expect(summary.match(/^## Review of the client: failed$/gm)).toHaveLength(1)
      expect(kept).toEqual(['<!doctype html>', expect.stringMatching(/^{"version":1,/)])
      expect([again?.code, again?.stdout]).toEqual([
        1,
        expect.stringContaining('failed report-number-range'),
      ])
    },
  )

  test.for<[title: string, lines: string, code: number]>([
    ['fails the job with the exit code of its command', 'exit 7', 7],
    ['ends with the first command that fails, as in a step of a job', 'false | true\nexit 7', 1],
  ])('%s', async ([, lines, expected], { expect }) => {
    await using folder = await project()
    const command = `${RIGHT}\n${lines}`
    const { code, outputs } = await runAction({ command }, { project: folder })
    expect([code, outputs['verdict']]).toEqual([expected, 'passed'])
  })

  test('shows what is required, and gets the profile and other options', async ({ expect }) => {
    await using folder = await project()
    const { code, stderr, summary } = await runAction(
      {
        command: `${RIGHT} && curl --silent "$BASE/me"`,
        require: ' delivered\n retry-after ',
        profile: 'storm',
        options: '--env BASE=api --quiet\n --seed  7',
      },
      { project: folder },
    )
    expect(code).toBe(1)
    for (const title of ['delivered', 'retry-after']) {
      expect(stderr).toMatch(
        new RegExp(`^::error title=Requirements%3A ${title}%3A not met::`, 'm'),
      )
    }
    expect(summary).toMatch(/^- storm: .+ then/m)
    expect(summary).toMatch(/^- world: .*seed 7/m)
  })

  test('does not see the inputs', async ({ expect }) => {
    await using folder = await project()
    const { stdout } = await runAction({ command: 'env' }, { project: folder })
    expect(stdout).toContain('SEO_SANDBOX_URL=')
    expect(stdout).not.toContain('INPUT_')
  })
})

const HOSTILE = `it's "$(touch pwned)" \`touch pwned\`; touch pwned #\n::error::x\n\${{ inputs.command }} 100% \\`

describe.concurrent('hostile text', () => {
  test(
    'in the command is what bash makes of it there, and nothing before',
    { tags: ['core'] },
    async ({ expect }) => {
      await using folder = await project()
      const command = `cat <<'END'\n${HOSTILE}\nEND\n${RIGHT}`
      const { code, stdout } = await runAction({ command }, { project: folder })
      expect([code, stdout]).toEqual([0, expect.stringContaining(`${HOSTILE}\n`)])
      expect(await folder.list()).not.toContain('pwned')
    },
  )

  test.for<[title: string, inputs: Values, code: number, message: RegExp]>([
    ['require', { require: HOSTILE }, 125, /^error --require: "it's" is not a requirement/],
    ['profile', { profile: HOSTILE }, 125, /^error --profile: "it's .+ is not a profile/],
    [
      'options',
      { options: HOSTILE },
      1,
      /^::error title=seo-sandbox::The input "options" does not begin/,
    ],
    [
      'the value of an option',
      { options: `--scenario ${HOSTILE}` },
      125,
      /^error --scenario: "it's .+ is not a scenario/,
    ],
  ])('as %s is refused', async ([, inputs, expected, message], { expect }) => {
    await using folder = await project()
    const { code, stdout, stderr, outputs } = await runAction(
      { command: RIGHT, ...inputs },
      { project: folder },
    )
    expect(code).toBe(expected)
    expect(stdout + stderr).toMatch(message)
    expect(stdout + stderr).not.toMatch(/^ +at /m)
    expect(outputs).toEqual({ verdict: '', report: '', session: '' })
    expect(await folder.list()).not.toContain('pwned')
  })

  test('as version installs nothing', async ({ expect }) => {
    await using folder = await project()
    const { code, stdout } = await runAction(
      { command: RIGHT, version: HOSTILE },
      { project: folder },
    )
    expect(code).toBe(1)
    expect(stdout).toMatch(/^::error title=seo-sandbox::seo-sandbox could not be installed/m)
    expect(await folder.list()).not.toContain('pwned')
  })

  test('is a folder to run in', async ({ expect }) => {
    await using folder = await project()
    const name = `it's "$(touch pwned)" a`
    await mkdir(folder.path(name))
    const { code, stdout } = await runAction(
      { command: 'pwd && touch here', 'working-directory': name },
      { project: folder },
    )
    expect([code, stdout]).toEqual([0, `${folder.path(name)}\n`])
    expect(await folder.list(name)).toEqual(['here'])
  })
})

test('an empty command is an error, and not a client that passes', async ({ expect }) => {
  await using folder = await project()
  const { code, stdout } = await runAction({ command: ' \n' }, { project: folder })
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/^::error title=seo-sandbox::The input "command" is empty\. .+\n$/),
  ])
})

test('a run that was not reviewed is an error, whatever its exit code', async ({ expect }) => {
  await using folder = await project()
  const { code, stdout } = await runAction(
    { command: RIGHT, options: '--help' },
    { project: folder },
  )
  expect(code).toBe(1)
  expect(stdout).toMatch(/^::error title=seo-sandbox::The client was not reviewed\. .+$/m)
})

describe('where the project does not have seo-sandbox,', () => {
  test('a package file is installed outside of it', async ({ expect }) => {
    await using folder = await aFolder({ 'package.json': '{"name":"client"}' })
    const pack = spawn(
      'npm',
      ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder.path()],
      { cwd: fromRoot('.'), stdio: ['ignore', 'ignore', 'inherit'] },
    )
    expect(await once(pack, 'exit')).toEqual([0, null])
    const version = `seo-sandbox-${packageJson.version}.tgz`
    const { code, outputs } = await runAction({ command: RIGHT, version }, { project: folder })
    expect([code, outputs['verdict']]).toEqual([0, 'passed'])
    expect(await folder.list()).toEqual(['package.json', version])
    expect(await folder.read('package.json')).toBe('{"name":"client"}')
  })

  test('the version of the action is installed', async ({ expect }) => {
    const registry = createServer((_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ name: 'seo-sandbox', versions: { '0.0.0': {} } }))
    }).listen(0, '127.0.0.1')
    await once(registry, 'listening')
    const { port } = registry.address() as AddressInfo
    await using folder = await aFolder({})
    const env = {
      npm_config_registry: `http://127.0.0.1:${port}`,
      npm_config_cache: folder.path('cache'),
    }
    const { code, stderr } = await runAction({ command: RIGHT }, { project: folder, env })
    registry.close()
    expect(code).toBe(1)
    expect(stderr).toContain(`No matching version found for seo-sandbox@${packageJson.version}`)
  })
})
