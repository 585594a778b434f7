/**
 * `npm run soak`: sends requests that no client should send, and compares the responses of many clients. Runs the named
 * suites, or all of them, and exits with 1 if one found something. The same seed draws the same requests.
 *
 *   requests      1,000,000 hostile requests and commands in this process
 *   bytes         150,000 messages over TCP to a server of its own, most of them not quite HTTP
 *   connections   500,000 responses over 64 connections, each compared with that of a sandbox in this process
 *
 *   --short       a twentieth of them
 *   --seed TEXT   draws others; 1 if omitted
 *   --batch N     only that batch, or that client, which a failure names
 */
import { parseArgs } from 'node:util'

const SUITES = ['requests', 'bytes', 'connections']
const SHORT_SHARE = 1 / 20
const SHOWN_FAILURES = 10
const PROGRESS_MS = 5000

const { values, positionals } = readArguments()
const { seed, short: isShort } = values
const onlyBatch = values.batch === undefined ? undefined : Number(values.batch)

for (const name of SUITES.filter(
  (suite) => positionals.length === 0 || positionals.includes(suite),
)) {
  const { run, COUNT } = await import(`./${name}.js`)
  const count = isShort ? COUNT * SHORT_SHARE : COUNT
  let failures = 0
  const fail = (text, batch) => {
    failures += 1
    if (failures > SHOWN_FAILURES) return
    const again = batch === undefined ? '' : `  (again: ${name} --seed ${seed} --batch ${batch})`
    process.stdout.write(`${text}${again}\n`)
  }
  const report = createReport(name, count)
  const summary = await run({ seed, count, onlyBatch, report, fail })
  const found = failures === 0 ? 'nothing wrong' : `${failures} WRONG`
  process.stdout.write(`${name}: ${summary}, seed ${seed}: ${found}\n`)
  if (failures > 0) process.exitCode = 1
}

function readArguments() {
  try {
    const parsed = parseArgs({
      allowPositionals: true,
      options: {
        short: { type: 'boolean', default: false },
        seed: { type: 'string', default: '1' },
        batch: { type: 'string' },
      },
    })
    const unknown = parsed.positionals.find((name) => !SUITES.includes(name))
    if (unknown) throw new Error(`There is no suite ${unknown}. Use some of: ${SUITES.join(', ')}.`)
    return parsed
  } catch ({ message }) {
    process.stderr.write(`${message}\n`)
    return process.exit(2)
  }
}

/** Reports the progress of a suite on standard error, every few seconds. */
function createReport(name, count) {
  let last = performance.now()
  return (done) => {
    const now = performance.now()
    if (now - last < PROGRESS_MS) return
    last = now
    process.stderr.write(`${name}: ${done.toLocaleString('en')} of ${count.toLocaleString('en')}\n`)
  }
}
