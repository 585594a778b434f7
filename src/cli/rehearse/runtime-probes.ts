import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { killRun } from '../exec/processes.ts'
import { startCommand } from '../exec/start-command.ts'

/** A program that prints the date in epoch milliseconds, sleeps for a second, and prints it again. */
export interface Runtime {
  file: string
  text: string
}

const NODE: Runtime = {
  file: 'probe.js',
  text: 'const tell = () => console.log(Date.now()); tell(); setTimeout(tell, 1000)',
}

const SHELL: Runtime = { file: 'probe.sh', text: 'date +%s%3N; sleep 1; date +%s%3N' }

/** By the names of programs, without their versions. */
const RUNTIMES = new Map<string, Runtime>([
  ['node', NODE],
  ['nodejs', NODE],
  [
    'python',
    {
      file: 'probe.py',
      text: `
import sys, time
for seconds in (1, 0):
    sys.stdout.write('%d\\n' % (time.time() * 1000))
    sys.stdout.flush()
    time.sleep(seconds)
`,
    },
  ],
  [
    'php',
    {
      file: 'probe.php',
      text: String.raw`<?php
foreach ([1, 0] as $seconds) { printf("%d\n", microtime(true) * 1000); flush(); sleep($seconds); }`,
    },
  ],
  [
    'ruby',
    {
      file: 'probe.rb',
      text: '$stdout.sync = true; [1, 0].each { |seconds| puts((Time.now.to_f * 1000).to_i); sleep seconds }',
    },
  ],
  [
    'perl',
    {
      file: 'probe.pl',
      text: String.raw`use Time::HiRes; $| = 1; for (1, 0) { printf "%d\n", Time::HiRes::time() * 1000; sleep $_ }`,
    },
  ],
  [
    'java',
    {
      file: 'Probe.java',
      text: `
class Probe {
  public static void main(String[] args) throws Exception {
    for (int seconds : new int[] {1, 0}) {
      System.out.println(System.currentTimeMillis());
      Thread.sleep(seconds * 1000);
    }
  }
}
`,
    },
  ],
  ...['sh', 'ash', 'bash', 'dash', 'ksh', 'zsh'].map((name): [string, Runtime] => [name, SHELL]),
])

/** The runtime of a program named `python3.11`, say. */
export function toRuntime(program: string): Runtime | undefined {
  return RUNTIMES.get(program.replace(/[\d.]+$/, ''))
}

/** What a runtime printed. */
export interface Trial {
  /** When it was started, in epoch milliseconds. */
  begunMs: number
  /** The dates that it told, and when, both in epoch milliseconds. */
  told: { toldMs: number; atMs: number }[]
  /** The last other line that is not indented like a stack trace, such as an error. */
  said: string
}

/** How long printing both dates may take. */
const DEADLINE_MS = 10_000

/** Has a runtime, with how a command line starts up to it, tell two dates a second apart. It is killed if it does not end. */
export async function tryClock(
  { start, runtime }: { start: readonly string[]; runtime: Runtime },
  env: NodeJS.ProcessEnv,
): Promise<Trial> {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-'))
  const trial: Trial = { begunMs: Date.now(), told: [], said: '' }
  try {
    const file = join(folder, runtime.file)
    await writeFile(file, runtime.text)
    let text = ''
    const { run, closed } = await startCommand([...start, file], {
      env,
      hasSession: true,
      output: (chunk) => {
        text += chunk.toString()
        const lines = text.split('\n')
        text = lines.pop() ?? ''
        for (const line of lines) addLine(line, trial)
      },
    })
    await Promise.race([closed, wait(DEADLINE_MS, undefined, { ref: false })])
    killRun(run)
    return trial
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const MOST_SAID = 200

function addLine(line: string, trial: Trial): void {
  if (/^\d{13}$/.test(line)) trial.told.push({ toldMs: Number(line), atMs: Date.now() })
  else if (/^\S/.test(line)) trial.said = line.slice(0, MOST_SAID)
}
