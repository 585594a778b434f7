import { spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import { describe, test } from 'vitest'
import { aFolder } from '../support/cli.ts'
import { EXEC, exec, node } from '../support/exec.ts'
import { BIN } from '../support/launch.ts'

/** Kinds of commands for `seo-sandbox exec`, and their behaviour, on Linux. */

type Line = [program: string, ...args: string[]]

const CLIENTS = {
  'client.js': `
    const { SEO_SANDBOX_URL: url, SEO_SANDBOX_TOKEN: token } = process.env
    const headers = { authorization: 'Bearer ' + token }
    fetch(url + '/api/v1/me', { headers }).then(async (response) => console.log((await response.json()).name))
  `,
  'client.py': `
import json, os, urllib.request
headers = {"Authorization": "Bearer " + os.environ["SEO_SANDBOX_TOKEN"]}
request = urllib.request.Request(os.environ["SEO_SANDBOX_URL"] + "/api/v1/me", headers=headers)
print(json.load(urllib.request.urlopen(request))["name"])
`,
  'client.php': `<?php
$http = ['header' => 'Authorization: Bearer ' . getenv('SEO_SANDBOX_TOKEN')];
$answer = file_get_contents(getenv('SEO_SANDBOX_URL') . '/api/v1/me', false, stream_context_create(['http' => $http]));
echo json_decode($answer)->name, "\\n";
`,
  'client.sh': `
curl --fail --silent -H "Authorization: Bearer $SEO_SANDBOX_TOKEN" "$SEO_SANDBOX_URL/api/v1/me" |
  sed 's/.*"name":"\\([^"]*\\)".*/\\1/'
echo
`,
}

describe.concurrent('a client is run that is written', () => {
  test.for<[language: string, command: Line]>([
    ['for Node', [process.execPath, 'client.js']],
    ['in Python', ['python3', 'client.py']],
    ['in PHP', ['php', 'client.php']],
    ['for a shell', ['sh', 'client.sh']],
  ])('%s', { tags: ['core'] }, async ([, command], { expect }) => {
    await using folder = await aFolder(CLIENTS)
    await using run = exec(['--', ...command], { cwd: folder.path() })
    const { code, stdout, stderr } = await run.outcome
    expect({ code, stdout: stdout.trim(), stderr }).toEqual({
      code: 0,
      stdout: 'Sandbox agency',
      stderr: '',
    })
  })
})

describe.concurrent('a command that cannot be run has the exit code of bash', () => {
  test.for<[command: string, code: number]>([
    ['./not-executable/below', 126],
    ['./no-first-line', 9],
    ['./no-interpreter', 127],
  ])('%s: %i', async ([command, expected], { expect }) => {
    await using folder = await aFolder({
      'not-executable': 'exit 9\n',
      'no-first-line': 'exit 9\n',
      'no-interpreter': '#!/no/such/interpreter\n',
    })
    const cwd = folder.path()
    spawnSync('chmod', ['+x', 'no-first-line', 'no-interpreter'], { cwd })
    const { status } = spawnSync('bash', ['-c', '"$0"', command], { cwd })
    await using run = exec(['--', command], { cwd })
    const { code } = await run.outcome
    expect([code, status]).toEqual([expected, expected])
  })
})

/** Shell commands that leave processes running when the shell ends with 3. */
const LEFT = {
  'a background process': 'sleep 600 &',
  several: 'sleep 600 & sleep 600 & (sleep 600; sleep 600) &',
  'a process in a session of its own': 'setsid sleep 600 &',
  'a process that has left its parents, and has no streams': 'setsid -f sleep 600 <&- >&- 2>&-',
  'a background job of a shell with job control': 'set -m; sleep 600 &',
  'a daemon of Python': `python3 -c '
import os, time
if os.fork() > 0: os._exit(0)
os.setsid()
if os.fork() > 0: os._exit(0)
os.chdir("/")
os.closerange(0, 100)
time.sleep(600)'`,
  'one that starts another when it is ended':
    'setsid sh -c \'trap "setsid -f sleep 600; exit" TERM; while :; do sleep 1; done\' &',
  'a run of its own, and what that has left': `"${process.execPath}" "${BIN}" exec --leave-daemons -- setsid -f sleep 600; "${process.execPath}" "${BIN}" exec -- sleep 600 &`,
}

/** A command line as a shell reads it. */
function quote(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ')
}

/** Runs `exec` on a terminal, to which standard input is typed. */
function onTerminal(...args: string[]) {
  // `exec` waits until the third descriptor is closed: by then every process has ended, even later than the terminal.
  const line: Line = ['bash', '-c', 'exec script "$@" 3>&1', 'bash']
  // A shell that survives Ctrl-C passes on the exit code.
  const command = `trap : INT; ${quote([...EXEC, ...args])}; exit $?`
  return exec(['-qec', command, '/dev/null'], { line })
}

describe.concurrent('nothing is left of', () => {
  test.for(
    Object.entries(LEFT).flatMap(([what, script]) => [
      { what, script, start: (...args: string[]) => exec(args) },
      { what: `${what}, on a terminal`, script, start: onTerminal },
    ]),
  )('$what', async ({ script, start }, { expect }) => {
    await using run = start('--', 'bash', '-c', `${script}\nexit 3`)
    const { code, stdout, stderr } = await run.outcome
    expect(code).toBe(3)
    expect(stdout + stderr).toContain('seo-sandbox: The command left processes running, which ')
    expect(run.running()).toEqual([])
  })

  test('a process that has cleared its environment', async ({ expect }) => {
    const script = 'env -i RUN_OF_TEST=$RUN_OF_TEST sleep 600 & set -m; env -i sh -c "sleep 600" &'
    await using run = exec(['--', 'bash', '-c', script])
    expect(await run.outcome).toMatchObject({
      stderr: expect.stringContaining('which were ended: sleep'),
    })
    expect(run.running()).toEqual([])
  })

  test('a process group where there is no /proc to tell more, as on macOS', async ({ expect }) => {
    const hideProc = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'] as const
    const line: Line = [...hideProc, 'mount -t tmpfs none /proc && exec "$0" "$@"', ...EXEC]
    await using run = exec(['--', 'sh', '-c', 'sleep 600 & sleep 600 & exit 3'], { line })
    expect(await run.outcome).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('which were ended: its process group ('),
    })
    expect(run.running()).toEqual([])
  })

  test('a daemon that ignores SIGTERM', async ({ expect }) => {
    const script = `setsid -f sh -c 'trap "" TERM; echo ready; while :; do sleep 60; done'; read line`
    await using run = exec(['--', 'bash', '-c', script])
    await run.until(/ready\n/)
    run.stdin.end('\n')
    expect(await run.outcome).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/which were ended: (sh|sleep) \(\d+\), (sh|sleep) \(\d+\)\. /),
    })
    expect(run.running()).toEqual([])
  })

  test('a command that takes too long, and its children', async ({ expect }) => {
    const script = 'setsid sleep 600 & sleep 600 & wait'
    await using run = exec(['--timeout', '500ms', '--', 'bash', '-c', script])
    expect(await run.outcome).toMatchObject({ code: 124 })
    expect(run.running()).toEqual([])
  })

  test('a command that takes too long on a terminal', async ({ expect }) => {
    await using run = onTerminal('--timeout', '500ms', '--', 'bash', '-c', 'sleep 600; true')
    expect(await run.outcome).toMatchObject({ code: 124 })
    expect(run.running()).toEqual([])
  })
})

test('--leave-daemons leaves them', async ({ expect }) => {
  const script = 'setsid -f sh -c "echo ready; exec sleep 600"; sleep 600 & read line'
  await using run = exec(['--leave-daemons', '--', 'bash', '-c', script])
  await run.until(/ready\n/)
  run.stdin.end('\n')
  // The processes have standard output open.
  await run.exit
  expect(run.running()).toHaveLength(2)
})

test('what ends by itself soon is not ended: the rest of a pipe is written', async ({ expect }) => {
  const script = "exec > >(sleep 0.05; sed 's/^/> /'); echo last"
  await using run = exec(['--', 'bash', '-c', script])
  expect(await run.outcome).toEqual({ code: 0, stdout: '> last\n', stderr: '' })
})

describe.concurrent('output', () => {
  test('of 100 MB passes, also where its reader is slow to begin', async ({ expect }) => {
    const script = 'import sys\nfor _ in range(100): sys.stdout.write("x" * 1_000_000)'
    const line: Line = ['bash', '-c', '"$0" "$@" | (head -c 1 && wc -c); exit ${PIPESTATUS[0]}']
    await using run = exec(['--', 'python3', '-c', script], { line: [...line, ...EXEC] })
    expect(await run.outcome).toEqual({ code: 0, stdout: 'x99999999\n', stderr: '' })
  })

  test('that nobody reads ends the command as it would without exec', async ({ expect }) => {
    const line: Line = ['bash', '-c', '"$0" "$@" | head -n 1; exit ${PIPESTATUS[0]}', ...EXEC]
    await using run = exec(['--', 'yes'], { line })
    const { code, stdout } = await run.outcome
    expect([code, stdout]).toEqual([128 + constants.signals.SIGPIPE, 'y\n'])
  })

  test('may be closed, by the command or before it', async ({ expect }) => {
    const closes = ['bash', '-c', 'exec <&- >&- 2>&-; exit 5']
    await using run = exec(['--', ...closes])
    expect(await run.outcome).toEqual({ code: 5, stdout: '', stderr: '' })
    const line: Line = ['bash', '-c', '"$0" "$@" <&- >&- 2>&-', ...EXEC]
    await using closed = exec(['--', 'bash', '-c', 'exit 6'], { line })
    expect(await closed.outcome).toEqual({ code: 6, stdout: '', stderr: '' })
  })
})

/** A shell script that requests a report number that does not exist, and then runs `rest`. */
const asksAndThen = (rest: string) => `
  curl --silent -H "Authorization: Bearer $SEO_SANDBOX_TOKEN" -H 'Accept: application/json' \\
    "$SEO_SANDBOX_URL/api/v1/projects/101/reports/0/content" >/dev/null
  ${rest}
`

describe.concurrent('--review ends in a review, and nothing is left of a command', () => {
  test.for<[title: string, code: number, rest: string]>([
    ['that hangs', 124, 'sleep 600'],
    ['that crashes', 128 + constants.signals.SIGSEGV, 'kill -SEGV $$'],
    ['that leaves a daemon', 1, 'setsid -f sleep 600 <&- >&- 2>&-'],
    ['that closes its streams', 1, 'exec <&- >&- 2>&-'],
  ])('%s', async ([, code, rest], { expect }) => {
    await using folder = await aFolder({})
    // Only a command that does not end by itself needs a short limit: a busy machine may take longer for the others.
    const limit = code === 124 ? '5s' : '120s'
    const args = ['--report', 'json=review.json', '--timeout', limit, '--']
    await using run = exec([...args, 'bash', '-c', asksAndThen(rest)], { cwd: folder.path() })
    const outcome = await run.outcome
    expect(outcome.code).toBe(code)
    expect(outcome.stderr).toContain('failed report-number-range')
    expect(await folder.list()).toEqual(['review.json', 'review.session.jsonl'])
    expect(run.running()).toEqual([])
  })
})

describe.concurrent('on a terminal', () => {
  test('the command reads what is typed', async ({ expect }) => {
    const script = 'test -t 0 && read line && echo "read $line" && exit 4'
    await using run = onTerminal('--', 'bash', '-c', script)
    run.stdin.write('hello\n')
    expect(await run.outcome).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/read hello\r\n$/),
    })
  })

  test('Ctrl-C reaches the command once, and it may go on; SIGTERM is forwarded', async ({
    expect,
  }) => {
    // `exec` is stopped until the command has handled Ctrl-C, so it handles Ctrl-C after the command, and before SIGTERM.
    const script = `
      let count = 0
      const tell = (...signals) => signals.forEach((signal) => process.kill(process.ppid, signal))
      process.on('SIGINT', () => {
        count += 1
        if (count === 1) tell('SIGTERM', 'SIGCONT')
      })
      process.on('SIGTERM', () => { console.log('in all ' + count); process.exit(4) })
      setInterval(() => {}, 60_000)
      tell('SIGSTOP')
      console.log('ready')
    `
    await using run = onTerminal('--', ...node(script))
    await run.until(/ready/)
    run.stdin.write('\u0003')
    expect(await run.outcome).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/in all 1\r\n$/),
    })
  })

  test('Ctrl-C that ends the command ends all', { tags: ['core'] }, async ({ expect }) => {
    await using run = onTerminal('--', 'bash', '-c', 'setsid sleep 600 & echo ready; sleep 600')
    await run.until(/ready/)
    run.stdin.write('\u0003')
    expect(await run.outcome).toMatchObject({ code: 128 + constants.signals.SIGINT })
    expect(run.running()).toEqual([])
  })

  test('a terminal that is closed ends all', async ({ expect }) => {
    await using run = onTerminal('--', 'bash', '-c', 'echo ready; sleep 600')
    await run.until(/ready/)
    run.signal('SIGKILL')
    await run.outcome
    expect(run.running()).toEqual([])
  })
})
