import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { findLibrary, probeClock } from '../../src/cli/rehearse/faked-clock.ts'
import { removeStartTimes } from '../../src/cli/rehearse/start-times.ts'
import { aFolder } from '../support/cli.ts'
import type { Folder } from '../support/cli.ts'

/** Programs that tell their date, and then take half a second. */
const CLIENTS: Record<string, string[]> = {
  node: ['-e', 'console.log(Date.now()); setTimeout(() => {}, 500)'],
  python3: ['-c', 'import time; print(int(time.time() * 1000)); time.sleep(0.5)'],
  php: ['-r', 'echo (int) (microtime(true) * 1000), "\\n"; usleep(500_000);'],
  sh: ['-c', 'date +%s%3N; sleep 0.5'],
  bash: ['-c', 'date +%s%3N; sleep 0.5'],
  ruby: ['-e', 'puts((Time.now.to_f * 1000).to_i); sleep 0.5'],
  perl: ['-MTime::HiRes=time,sleep', '-e', 'printf "%d\n", time * 1000; sleep 0.5'],
}

/** Those that the nightly run and developers may have. */
const OPTIONAL = ['bash', 'ruby', 'perl', 'java', 'go', 'gcc']

const isThere = (program: string): boolean =>
  !OPTIONAL.includes(program) ||
  (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(`${folder}/${program}`))

const FUTURE_MS = Date.UTC(2032, 1, 29, 12, 0, 0, 250)
const DATES = [FUTURE_MS, Date.UTC(2019, 5, 1)]

afterAll(removeStartTimes)

/** Runs a command line as of these dates. */
async function runAt(line: string[], ...dates: number[]) {
  const clock = await probeClock(line, process.env)
  const [name = '', ...args] = line
  return dates.map((atMs) => {
    const begunMs = performance.now()
    const env = { ...process.env, ...clock.environmentAt(atMs) }
    const { stdout, stderr } = spawnSync(name, args, { env, encoding: 'utf8', timeout: 20_000 })
    return { output: stdout + stderr, tookMs: performance.now() - begunMs }
  })
}

describe('a client begins at the date that it is to have, and waits as long as ever', () => {
  for (const [program, args] of Object.entries(CLIENTS)) {
    test.runIf(isThere(program))(program, async () => {
      const runs = await runAt([program, ...args], ...DATES)
      for (const [index, { output, tookMs }] of runs.entries()) {
        const lateMs = Number(output) - DATES[index]!
        expect(lateMs).toBeGreaterThanOrEqual(0)
        expect(lateMs).toBeLessThan(15_000)
        expect(tookMs).toBeGreaterThanOrEqual(500)
      }
    })
  }
})

test.runIf(isThere('java'))('java is tried with a program that it compiles', async () => {
  const { environmentAt } = await probeClock(['java', '-jar', 'client.jar'], process.env)
  expect(environmentAt(Date.now())).toHaveProperty('FAKETIME')
})

test('threads of Python wait as long as they are to', async () => {
  const script = `
import queue, threading, time
begun = time.monotonic()
threading.Event().wait(0.3)
try:
    queue.Queue().get(timeout=0.3)
except queue.Empty:
    pass
time.sleep(0.3)
print(0.85 < time.monotonic() - begun < 10)`
  await expect(runAt(['python3', '-c', script], FUTURE_MS)).resolves.toMatchObject([
    { output: 'True\n' },
  ])
})

test('threads of Node wait as long as they are to', async () => {
  const script = `
const begun = performance.now()
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
const tookMs = performance.now() - begun
console.log(tookMs > 450 && tookMs < 10_000)`
  await expect(runAt([process.execPath, '-e', script], FUTURE_MS)).resolves.toMatchObject([
    { output: 'true\n' },
  ])
})

test('the programs that a command starts have its date', async () => {
  const script = `date +%F; node -p 'new Date().toISOString().slice(0, 10)'; env date +%F`
  const output = '2032-02-29\n2032-02-29\n2032-02-29\n'
  await expect(runAt(['sh', '-c', script], FUTURE_MS)).resolves.toMatchObject([{ output }])
})

test('files have their true times', async () => {
  await using folder = await aFolder({ file: '' })
  const code = `echo filemtime(${JSON.stringify(folder.path('file'))});`
  const [run] = await runAt(['php', '-r', code], FUTURE_MS)
  expect(Math.abs(Number(run!.output) - Date.now() / 1000)).toBeLessThan(60)
})

test('what the user preloads is preloaded first', async () => {
  const { environmentAt } = await probeClock(['node'], { ...process.env, LD_PRELOAD: 'libm.so.6' })
  expect(environmentAt(0)['LD_PRELOAD']).toMatch(/^libm\.so\.6:.*libfaketime\.so\.1:libc\.so\.6$/)
})

test('a libfaketime that the user preloads is the only one', async () => {
  const own = { LD_PRELOAD: '/opt/faketime/libfaketime.so.1' }
  const { environmentAt } = await probeClock(['nonesuch'], own)
  expect(environmentAt(0)['LD_PRELOAD']).toBe('/opt/faketime/libfaketime.so.1:libc.so.6')
})

test.each([['nonesuch'], ['./nonesuch'], ['']])(
  'the command %j, which there is not, is left to fail when it is started',
  async (name) => {
    await expect(probeClock([name], process.env)).resolves.toBeDefined()
  },
)

/** A folder with these programs, which PATH names first. */
async function programs(
  files: Record<string, string | Buffer>,
): Promise<Folder & { env: NodeJS.ProcessEnv }> {
  const folder = await aFolder({})
  for (const [name, content] of Object.entries(files)) {
    await writeFile(folder.path(name), content)
    await chmod(folder.path(name), 0o755)
  }
  const env = { ...process.env, PATH: `${folder.path()}:${process.env['PATH']}` }
  return { ...folder, env }
}

/** A program for Linux, as far as its headers go. */
function elf({ loader = '', text = '' }: { loader?: string; text?: string }): Buffer {
  const header = Buffer.alloc(120)
  header.write('\x7fELF\x02\x01', 'latin1')
  header.writeBigUInt64LE(64n, 32)
  header.writeUInt16LE(56, 54)
  header.writeUInt16LE(1, 56)
  header.writeUInt32LE(loader === '' ? 1 : 3, 64)
  header.writeBigUInt64LE(120n, 72)
  header.writeBigUInt64LE(BigInt(loader.length), 96)
  return Buffer.concat([header, Buffer.from(`${loader}\0${text}`, 'latin1')])
}

const GLIBC = '/lib64/ld-linux-x86-64.so.2'

test('any other program that glibc loads is accepted', async () => {
  await using found = await programs({ client: elf({ loader: GLIBC }) })
  await expect(probeClock(['client'], found.env)).resolves.toBeDefined()
})

describe('what cannot be faked is refused in a sentence', () => {
  const WAY_OUT = String.raw`: use --client-clock env or none\.$`

  test.each([
    ['linked statically', elf({}), 'is linked statically, so that no libfaketime can be preloaded'],
    [
      'linked with musl',
      elf({ loader: '/lib/ld-musl-x86_64.so.1' }),
      'is linked with musl, and libfaketime needs glibc',
    ],
    [
      'of Go',
      elf({ loader: GLIBC, text: '\u00ff Go buildinf:' }),
      'is a Go program, which does not ask glibc for the time',
    ],
  ])('a program %s', async (_, content, sentence) => {
    await using found = await programs({ client: content })
    const message = new RegExp(
      `^--client-clock faketime: ${found.path('client')} ${sentence}${WAY_OUT}`,
    )
    await expect(probeClock(['client'], found.env)).rejects.toThrow(message)
    await expect(probeClock(['timeout', '60', 'client'], found.env)).rejects.toThrow(message)
    await writeFile(found.path('script'), `#!/usr/bin/env -S client --fast\n`, { mode: 0o755 })
    await expect(probeClock([found.path('script')], found.env)).rejects.toThrow(message)
  })

  test('a program that runs as another user', async () => {
    await using found = await programs({ client: elf({ loader: GLIBC }) })
    await chmod(found.path('client'), 0o4755)
    await expect(probeClock(['client'], found.env)).rejects.toThrow(
      new RegExp(`client runs as another user \\(setuid\\), .*${WAY_OUT}`),
    )
  })

  const COMPILERS = [
    ['go', ['build'], 'client.go', 'package main\nfunc main() {}\n', /client is a Go program/],
    ['gcc', ['-static'], 'client.c', 'int main() {}\n', /client is linked statically/],
  ] as const
  for (const [compiler, args, source, text, message] of COMPILERS) {
    test.runIf(isThere(compiler))(`what ${compiler} makes of ${source}`, async () => {
      await using folder = await aFolder({ [source]: text })
      const file = folder.path('client')
      spawnSync(compiler, [...args, '-o', file, folder.path(source)])
      await expect(probeClock([file], process.env)).rejects.toThrow(message)
    })
  }

  test.each([
    ['env', ['env', '-i', process.execPath, 'client.js'], /node keeps its date with libfaketime/],
    ['a script with the name of a runtime', ['nodejs'], /nodejs keeps its date/],
    [
      'a runtime that fails',
      ['php'],
      /php does not tell the date .* \(it said: No such php\): use/,
    ],
    ['one that sleeps for ever', ['ruby'], /ruby does not get through a sleep of a second/],
    ['one that does not sleep', ['perl'], /perl wakes up from a sleep of a second too early/],
  ])('where the clock is wrong behind %s', async (_, line, message) => {
    await using found = await programs({
      nodejs: `#!/bin/sh\nexec env -u LD_PRELOAD ${process.execPath} "$@"\n`,
      php: '#!/bin/sh\necho "No such php" >&2\nexit 1\n',
      ruby: '#!/bin/sh\ndate +%s%3N\nsleep 3600\n',
      perl: '#!/bin/sh\ndate +%s%3N\ndate +%s%3N\n',
    })
    await expect(probeClock(line, found.env)).rejects.toThrow(message)
  })

  test('where there is no libfaketime', async () => {
    await using folder = await aFolder({ 'x86_64-linux-gnu/': '' })
    const folders = [folder.path(), '/nonesuch']
    expect(() => findLibrary({}, { folders })).toThrow(
      `--client-clock faketime: there is no libfaketime in ${folder.path()} or /nonesuch: install it (Debian and Ubuntu: apt-get install libfaketime), or use --client-clock env or none.`,
    )
  })

  test('where there is no Linux', () => {
    expect(() => findLibrary({}, { platform: 'darwin' })).toThrow(
      '--client-clock faketime: libfaketime shifts the clock of programs on Linux, and this is darwin: use --client-clock env or none.',
    )
  })
})
