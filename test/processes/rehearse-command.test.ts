import { readdirSync, statSync } from 'node:fs'
import { describe, test } from 'vitest'
import type { JudgedRehearsal } from '../../src/rehearsal/judge-rehearsal.ts'
import { aFolder } from '../support/cli.ts'
import type { Folder } from '../support/cli.ts'
import { exec } from '../support/exec.ts'
import { BIN } from '../support/launch.ts'
import { rehearse as start } from '../support/rehearse.ts'

/** Commands under `seo-sandbox rehearse`, on Linux: their ends, and the files kept of them. */

const ASK = 'curl --silent --fail --max-time 2 -H "Authorization: Bearer $SEO_SANDBOX_TOKEN"'
const CLIENTS = {
  /** Sends one request. */
  'ask.sh': `${ASK} "$SEO_SANDBOX_URL/api/v1/me" > /dev/null || exit 1\n`,
  /** Fails quietly. */
  'silent.sh': `${ASK} "$SEO_SANDBOX_URL/api/v1/projects"; exit 0\n`,
}
const RESET = 'curl --silent -X POST "$SEO_SANDBOX_CONTROL_URL/reset" > /dev/null; exit 0'
/** Six runs; the first and the last ones are calm. */
const SHORT = ['--every', 'P10D', '--for', 'P2M', '--start', '2026-01-01']

interface Ran {
  /** Files left in its temporary folder. */
  left: string[]
  code: number | null
  stdout: string
  stderr: string
}

async function rehearse(
  folder: Folder,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ran> {
  await using run = await start(args, folder.path(), env)
  const outcome = await run.outcome
  return { left: readdirSync(run.temporary), ...outcome }
}

function reportOf({ stdout }: Ran): JudgedRehearsal {
  return JSON.parse(stdout) as JudgedRehearsal
}

describe.concurrent('a command is started once for each run', () => {
  test('with its number, and with the time where it reads that', async ({ expect }) => {
    await using folder = await aFolder({
      'client.sh': `echo "$SEO_SANDBOX_RUN_NUMBER $SEO_SANDBOX_CLIENT_NOW" >> state/runs\n${CLIENTS['ask.sh']}`,
    })
    const args = [...SHORT, '--client-state', 'state', '--require', 'json-accept']
    for (const clock of ['env', 'none']) {
      await rehearse(folder, [...args, '--client-clock', clock, '--', 'sh', 'client.sh'])
      const runs = (await folder.read('state/runs')).split('\n').map((line) => line.trim())
      // The folder was emptied before the rehearsal.
      expect(runs.filter((line) => line !== '')).toHaveLength(6)
      expect(runs[1]).toBe(clock === 'env' ? '2 2026-01-11T06:00:00.000000Z' : '2')
    }
  })

  test('and gets the variables that --env names, but no input', async ({ expect }) => {
    await using folder = await aFolder({
      'client.sh': `cat > /dev/null; [ -n "$BASE" ] && ${ASK} "$BASE/me" > /dev/null\n`,
    })
    const run = await rehearse(folder, [
      ...SHORT,
      ...'--until 2 --env BASE=api --json -- sh client.sh'.split(' '),
    ])
    expect(reportOf(run)).toMatchObject({ requests: 2, runs: [{ ended: 'done', exit: 0 }, {}] })
  })
})

describe.concurrent('the exit code says how a rehearsal ended', () => {
  test.for<[what: string, code: number, script: string, options: string[]]>([
    ['0: the client passed', 0, CLIENTS['ask.sh'], ['--require', 'unauthenticated']],
    ['1: it did not', 1, CLIENTS['silent.sh'], []],
    ['1: it asked nothing', 1, 'true', ['--require', 'unauthenticated']],
    ['124: it never ends', 124, `${CLIENTS['ask.sh']}sleep 600`, ['--timeout', '1s']],
    [
      '124: it ignores SIGTERM as well',
      124,
      `${CLIENTS['ask.sh']}trap '' TERM; while :; do sleep 0.1; done`,
      ['--timeout', '500ms', '--until', '1'],
    ],
    ['125: the world has no usable token', 125, 'true', ['--fixtures', 'empty.yaml']],
    ['125: it would begin before its world does', 125, 'true', ['--now', '2027-01-01']],
  ])('%s', async ([, code, script, options], { expect }) => {
    await using folder = await aFolder({ 'client.sh': script, 'empty.yaml': 'version: 1\n' })
    const run = await rehearse(folder, [...SHORT, ...options, '--', 'sh', 'client.sh'])
    expect([run.code, run.stderr.includes('    at ')]).toEqual([code, false])
  })

  test.for<[command: string, code: number]>([
    ['no-such-command', 127],
    ['./client.sh', 126],
  ])('%s: %i, and nothing is reported', async ([command, code], { expect }) => {
    await using folder = await aFolder({ 'client.sh': '' })
    const run = await rehearse(folder, ['--report', 'json=r.json', '--', command])
    expect(run).toMatchObject({ code, stdout: '' })
    expect(readdirSync(folder.path())).toEqual(['client.sh'])
  })

  test('127 with a report of what was run, where the command vanishes', async ({ expect }) => {
    await using folder = await aFolder({
      client: `#!/bin/sh\n[ "$SEO_SANDBOX_RUN_NUMBER" = 2 ] && rm client\n${CLIENTS['ask.sh']}`,
    })
    const run = await rehearse(folder, [
      ...SHORT,
      '--json',
      '--',
      'sh',
      '-c',
      'chmod +x client; exec ./client',
    ])
    expect(reportOf(run).runs.map(({ exit }) => exit)).toEqual([0, 0, 127, 127, 127, 127])
  })

  test('130 after Ctrl-C, with a report of what was run and nothing left behind', async ({
    expect,
  }) => {
    await using folder = await aFolder({
      'client.sh': `${CLIENTS['ask.sh']}sleep 600 & setsid sleep 601 &
[ "$SEO_SANDBOX_RUN_NUMBER" = 2 ] || exit 0; echo begun > begun; sleep 602\n`,
    })
    await using run = await start([...SHORT, '--json', '--', 'sh', 'client.sh'], folder.path())
    while (!readdirSync(folder.path()).includes('begun')) await new Promise(setImmediate)
    run.signal('SIGINT')
    const ended = await run.outcome
    const report = JSON.parse(ended.stdout) as JudgedRehearsal
    expect(ended.code).toBe(130)
    expect(report.runs.map(({ ended: how, message }) => [how, message])).toEqual([
      ['done', undefined],
      ['failed', 'It was interrupted.'],
    ])
    expect(report).toMatchObject({ notice: 'It was stopped after 2 of 6 runs.', required: [] })
    expect([report.verdict, report.stopped]).toEqual(['failed', true])
    expect(run.running()).toEqual([])
  })
})

describe.concurrent('whatever a run does, the next one begins', () => {
  test.for<[what: string, script: string, run: object, ...options: string[]]>([
    ['ends by a signal', 'kill -SEGV $$', { ended: 'failed', exit: 139 }],
    ['leaves daemons', 'setsid sleep 600 & exit 0', { ended: 'done', exit: 0 }],
    ['prints without an end', 'yes', { ended: 'timeout', exit: 124 }, '--timeout', '1s'],
    [
      'opens its output again',
      'echo a > /dev/stderr && echo b > /dev/stdout && exit 5',
      { exit: 5 },
    ],
    ['closes its output', 'exec >&- 2>&-; exit 3', { ended: 'failed', exit: 3 }],
    ['deletes its own state', 'rm -rf state; exit 0', { ended: 'done', exit: 0 }],
  ])('that %s', async ([, script, expected, ...more], { expect }) => {
    await using folder = await aFolder({ 'client.sh': `${CLIENTS['ask.sh']}${script}\n` })
    const options = ['--client-state', 'state', '--report', 'json=r.json', ...more]
    await using run = await start(
      [...SHORT, '--until', '2', ...options, '--', 'sh', 'client.sh'],
      folder.path(),
    )
    const { stderr } = await run.outcome
    const { runs } = JSON.parse(await folder.read('r.json')) as JudgedRehearsal
    expect(runs).toMatchObject([expected, expected])
    expect(run.running()).toEqual([])
    expect(stderr).not.toContain('    at ')
  })
})

test('a run that goes on reading something new may take longer than --timeout', async ({
  expect,
}) => {
  await using folder = await aFolder({
    'client.sh': `for path in me countries languages users projects; do
  ${ASK} "$SEO_SANDBOX_URL/api/v1/$path" > /dev/null || exit 1; sleep 1
done\n`,
  })
  const options = [...SHORT, '--until', '1', '--timeout', '4s', '--json']
  const run = await rehearse(folder, [...options, '--', 'sh', 'client.sh'])
  expect(reportOf(run).runs).toMatchObject([{ ended: 'done', exit: 0 }])
})

test('a run is killed in three of smoke, with all that it has started, and the next one begins', async ({
  expect,
}) => {
  await using folder = await aFolder({
    'client.sh': `sleep 600 & echo $! >> pids; exec 2> /dev/null
${ASK} "$SEO_SANDBOX_URL/api/v1/projects" > /dev/null || exit 1; kill $!\n`,
  })
  const options = ['--start', '2026-01-01', '--require', 'unauthenticated', '--json']
  await using run = await start([...options, '--', 'bash', 'client.sh'], folder.path())
  const { runs, lacks } = JSON.parse((await run.outcome).stdout) as JudgedRehearsal
  const killed = runs.filter(({ trouble }) => trouble?.startsWith('it is killed while'))
  expect(killed).toHaveLength(3)
  // The client requests projects alone, so it is killed only if the plan waits for projects.
  const inProjects = killed.filter(({ trouble }) => trouble?.includes('for projects'))
  expect(inProjects.map(({ ended, exit }) => [ended, exit])).toEqual(
    inProjects.map(() => ['failed', 137]),
  )
  expect(inProjects.length).toBeGreaterThan(0)
  expect(run.running()).toEqual([])
  expect(lacks).toContainEqual({
    event: 'an outage of contents',
    reason: 'No request of the client met it.',
  })
})

const SOCKETS = 300
/** Sends a request on each of many connections, and is gone before the server has read them all. */
const GONE = `import { connect } from 'node:net'
const { SEO_SANDBOX_URL: url, SEO_SANDBOX_TOKEN: token } = process.env
const { port, hostname, host } = new URL(url)
let open = ${SOCKETS}
for (let number = 1; number <= ${SOCKETS}; number += 1) {
  const socket = connect(Number(port), hostname, () => {
    const head = ['GET /api/v1/me HTTP/1.1', 'Host: ' + host, 'Authorization: Bearer ' + token]
    socket.write(head.join('\\r\\n') + '\\r\\n\\r\\n', () => {
      open -= 1
      if (open === 0) process.kill(process.pid, 'SIGKILL')
    })
  })
  socket.on('error', () => {})
}
`

test('a request counts for the run that sent it, even if its process was gone by then', async ({
  expect,
}) => {
  await using folder = await aFolder({ 'client.mjs': GONE })
  const run = await rehearse(folder, [
    ...SHORT,
    ...'--until 3 --json -- node client.mjs'.split(' '),
  ])
  expect(reportOf(run).runs.map(({ requests }) => requests)).toEqual([SOCKETS, SOCKETS, SOCKETS])
})

test('a run that starts the world again ends the rehearsal, as no plan holds then', async ({
  expect,
}) => {
  await using folder = await aFolder({ 'client.sh': `${CLIENTS['ask.sh']}${RESET}\n` })
  const run = await rehearse(folder, [...SHORT, '--', 'sh', 'client.sh'])
  expect([run.code, run.stderr]).toEqual([
    125,
    'error Run 1 has started the world again (reset), so that the plan no longer holds. In a rehearsal, your client must not change the world through the control API. (docs/judging.md)\n',
  ])
  expect(run.left).toEqual([])
})

test('so does one that moves its clocks', async ({ expect }) => {
  const json = `-H 'Content-Type: application/json' -d '{"type":"clock.advance","by":"P1M"}'`
  const move = `curl --silent ${json}`
  await using folder = await aFolder({
    'client.sh': `${CLIENTS['ask.sh']}${move} "$SEO_SANDBOX_CONTROL_URL/commands"\n`,
  })
  const run = await rehearse(folder, [...SHORT, '--', 'sh', 'client.sh'])
  expect([run.code, run.stderr]).toEqual([
    125,
    expect.stringContaining('Run 1 has moved the clocks of the world (clock.advance)'),
  ])
})

test('a folder that no rehearsal made is not emptied', { tags: ['core'] }, async ({ expect }) => {
  await using folder = await aFolder({ ...CLIENTS, 'project/file': 'mine', 'r-runs/file': 'mine' })
  for (const state of ['project', '.', '..', '/', 'ask.sh', '']) {
    const run = await rehearse(folder, ['--client-state', state, '--', 'sh', 'ask.sh'])
    expect([state, run.code]).toEqual([state, 125])
    expect(run.stderr).toMatch(/^error --client-state( \S+)?: .+\. \(docs\/judging\.md\)\n$/)
  }
  const run = await rehearse(folder, ['--report', 'json=r.json', '--', 'sh', 'ask.sh'])
  expect([run.code, await folder.read('project/file'), await folder.read('r-runs/file')]).toEqual([
    125,
    'mine',
    'mine',
  ])
})

test('what an earlier rehearsal left stays where the next one cannot begin', async ({ expect }) => {
  await using folder = await aFolder({ ...CLIENTS, 'state/.seo-sandbox-rehearsal': '' })
  const options = ['--client-state', 'state', '--report', 'json=r.json']
  await rehearse(folder, [...SHORT, '--until', '2', ...options, '--', 'sh', 'silent.sh'])
  const before = readdirSync(folder.path('r-runs'))
  const typo = await rehearse(folder, [...options, '--', 'shh', 'silent.sh'])
  const inside = ['--client-state', 'state', '--report', 'json=state/r.json', '--', 'sh', 'ask.sh']
  const nested = await rehearse(folder, inside)
  expect([typo.code, nested.code]).toEqual([127, 125])
  expect(nested.stderr).toContain('must not contain each other')
  expect(readdirSync(folder.path('r-runs'))).toEqual(before)
})

test('only their owner can read the output of runs and the sessions', async ({ expect }) => {
  await using folder = await aFolder(CLIENTS)
  await rehearse(folder, [
    ...SHORT,
    '--until',
    '2',
    '--report',
    'json=r.json',
    '--',
    'sh',
    'silent.sh',
  ])
  const modeOf = (path: string) => (statSync(folder.path(path)).mode & 0o777).toString(8)
  const kept = readdirSync(folder.path('r-runs')).filter((name) => /\.(?:log|jsonl)$/.test(name))
  expect(kept).toEqual(
    expect.arrayContaining([expect.stringMatching(/log$/), expect.stringMatching(/jsonl$/)]),
  )
  expect(modeOf('r-runs')).toBe('700')
  expect(kept.map((name) => modeOf(`r-runs/${name}`))).toEqual(kept.map(() => '600'))
})

test('a rehearsal keeps the delay of --latency', async ({ expect }) => {
  await using folder = await aFolder({
    'client.sh': `${CLIENTS['ask.sh']}curl --silent "$SEO_SANDBOX_CONTROL_URL/faults"\n`,
  })
  const options = [...SHORT, '--until', '2', '--report', 'json=r.json']
  await rehearse(folder, [...options, '--latency', '50', '--', 'sh', 'client.sh'])
  expect(await folder.read('r-runs/run-2.log')).toMatch(/"kind": ?"latency",\s*"ms": ?50/)
})

test.for(['hour-exhausted', 'minute-exhausted', 'long-values'])(
  'the scenario %s can be rehearsed',
  async (scenario, { expect }) => {
    await using folder = await aFolder(CLIENTS)
    const options = ['--scenario', scenario, '--profile', 'smoke', '--json']
    const run = await rehearse(folder, [...options, '--', 'sh', 'ask.sh'])
    expect(reportOf(run).runs).toHaveLength(40)
  },
)

test('a job of GitHub Actions is annotated with what a rehearsal found', async ({ expect }) => {
  await using folder = await aFolder({ 'client.sh': CLIENTS['silent.sh'] })
  const options = [...SHORT, '--client-state', 'state', '--', 'sh', 'client.sh']
  const { stdout, stderr } = await rehearse(folder, options, { GITHUB_ACTIONS: 'true' })
  expect(stderr).toMatch(/^::error title=failed%3A undelivered .+::Run 1, 1 Jan: .+$/m)
  expect(stdout).not.toContain('::warning')
})

test(
  'the report prints a command that reproduces a finding, and the seed, start and last run of each',
  { tags: ['core'] },
  async ({ expect }) => {
    await using folder = await aFolder({ 'a client.sh': CLIENTS['silent.sh'] })
    const options = ['--client-state', 'state dir', '--profile', 'smoke', '--start', '2026-01-01']
    const report = ['--report', 'json=out here/r.json', '--report', 'junit=out here/r.xml']
    const first = await rehearse(folder, [...options, ...report, '--', 'sh', 'a client.sh'])
    const { checks, plan } = JSON.parse(await folder.read('out here/r.json')) as JudgedRehearsal
    const silent = checks.find(({ id }) => id === 'silent-failure')!
    const untils = silent.findings.map(({ run }) => run)
    const flags = `--seed 1 --start ${plan.start} --until`
    for (const until of untils.slice(0, 3))
      expect(first.stdout).toContain(`Reproduce with ${flags} ${until}\n`)
    for (const until of untils)
      expect(await folder.read('out here/r.xml')).toContain(`Reproduce with ${flags} ${until}\n`)
    // The complete command reproduces the finding that is shown first.
    const [, until] = /Reproduce with .+ --until (\d+)\n/.exec(first.stdout)!
    expect(first.stdout).toContain(
      `npx seo-sandbox rehearse --profile smoke --client-state 'state dir' ${flags} ${until} -- sh 'a client.sh'\n`,
    )

    const again = ['--seed', '1', '--start', plan.start, '--until', String(untils[0]), '--json']
    const repeated = reportOf(
      await rehearse(folder, [...options.slice(0, 4), ...again, '--', 'sh', 'a client.sh']),
    )
    const found = repeated.checks.find(({ id }) => id === 'silent-failure')!.findings
    const [{ message, reproduce }] = silent.findings as [(typeof silent.findings)[number]]
    expect(found).toMatchObject([{ message, reproduce }])
  },
)

test.for(['--from=r-runs/run-1', '--retry=2', '--client-clock=faketime'])(
  '%s is refused',
  async (option, { expect }) => {
    await using folder = await aFolder(CLIENTS)
    const run = await rehearse(folder, [option, '--', 'sh', 'ask.sh'])
    expect([run.code, run.stdout]).toEqual([125, ''])
  },
)

test('each month has a session, which replays, and the temporary folder of one that passed is gone', async ({
  expect,
}) => {
  await using folder = await aFolder(CLIENTS)
  const own = ['--require', 'unauthenticated', '--', 'sh', 'ask.sh']
  const passed = await rehearse(folder, [...SHORT, ...own])
  expect([passed.code, passed.left]).toEqual([0, []])
  await rehearse(folder, [...SHORT, '--report', 'html=r.html', ...own])
  const sessions = readdirSync(folder.path('r-runs')).filter((name) => name.endsWith('.jsonl'))
  expect(sessions).toEqual(['2026-01.session.jsonl', '2026-02.session.jsonl'])
  for (const session of sessions) {
    await using replay = exec(['replay', `r-runs/${session}`], {
      cwd: folder.path(),
      line: [process.execPath, BIN],
    })
    expect((await replay.outcome).stdout).toMatch(/^\d+ steps, every response the same\n$/)
  }
})

test('--dry-run prints the plan, and runs nothing', { tags: ['core'] }, async ({ expect }) => {
  await using folder = await aFolder({ 'client.sh': `touch ran\n${CLIENTS['ask.sh']}` })
  const options = [...SHORT, '--json']
  const planned = await rehearse(folder, [...options, '--dry-run', '--', 'sh', 'client.sh'])
  expect(readdirSync(folder.path())).toEqual(['client.sh'])
  const ran = await rehearse(folder, [...options, '--', 'sh', 'client.sh'])
  expect(JSON.parse(planned.stdout)).toEqual(reportOf(ran).plan)
})
