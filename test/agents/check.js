/**
 * Judges what an agent has left in a folder: `node test/agents/check.js TASK FOLDER [--json]`. Prints a line for each check, and exits with 1 where one
 * failed. The folder stays as it is.
 */
import { AssertionError } from 'node:assert'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { loadTask } from './support/tasks.js'
import { openWorkplace } from './support/workplace.js'

/** The lines of a review that say what was wrong, or the last ones of anything else. */
function summarize(output) {
  const lines = output.trim().split('\n')
  const telling = lines.filter((line) =>
    /^(failed|nothing|.*: failed; )|^ {2}(not met|missed)/.test(line),
  )
  return (telling.length > 0 ? telling : lines.slice(-3)).map((line) => line.trim()).join(' | ')
}

function reviewOf({ world, require }) {
  return async ({ sandbox, aFolder }) => {
    const args = ['exec', '--review', ...world, '--require', require.join(',')]
    const { code, output } = await sandbox(args, await aFolder())
    if (code !== 0) throw new AssertionError({ message: `exit code ${code}: ${summarize(output)}` })
  }
}

/** A month of runs, in which reports are regenerated and the API is down now and then. */
async function rehearse({ sandbox, aFolder }) {
  const out = await aFolder()
  const world = ['--projects', '5', '--seed', 'harvest', '--start', '2026-01-01']
  const args = ['rehearse', '--profile', 'smoke', '--quiet', '--timeout', '300s', ...world]
  const { code, output } = await sandbox([...args, '--client-state', out], out)
  if (code !== 0) throw new AssertionError({ message: `exit code ${code}: ${summarize(output)}` })
}

/** Runs all checks of a task, one after the other, and calls `onResult` with each result. */
export async function judge(name, folder, onResult = () => {}) {
  const task = await loadTask(name)
  const all = {
    'exec --review --require': reviewOf(task.review),
    ...task.checks,
    ...(task.rehearse && { 'rehearse --profile smoke': rehearse }),
  }
  const results = []
  const place = await openWorkplace(folder, task.command)
  try {
    for (const [check, run] of Object.entries(all)) {
      const result = { check, ...(await settle(run, place)) }
      results.push(result)
      onResult(result)
    }
  } finally {
    await place.remove()
  }
  return { task: name, passed: results.every(({ passed }) => passed), results }
}

/** What a check finds wrong is a result. Everything else that may go wrong in it comes of what the agent has written, or of what is missing. */
async function settle(run, place) {
  try {
    await run(place)
    return { passed: true, reason: '' }
  } catch (error) {
    return { passed: false, reason: error.message.split('\n')[0] }
  } finally {
    await place.closeServers()
  }
}

export const toLine = ({ check, passed, reason }) =>
  passed ? `passed ${check}` : `failed ${check}: ${reason}`

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  })
  const [name, folder] = positionals
  try {
    if (folder === undefined) throw new Error('Name a task and the folder that an agent has left.')
    const print = (result) => process.stdout.write(`${toLine(result)}\n`)
    const verdict = await judge(name, folder, values.json ? undefined : print)
    const text = values.json ? JSON.stringify(verdict) : verdict.passed ? 'passed' : 'failed'
    process.stdout.write(`${text}\n`)
    process.exitCode = verdict.passed ? 0 : 1
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 2
  }
}
