/**
 * Shows that the hidden tests can be passed and can fail: `node test/agents/check-solutions.js [TASK…]`. Each task has a solution that has to pass; what an
 * agent begins with, and naive solutions, have to fail. Uses the package of this checkout as it is built, Python and git.
 */
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { judge, toLine } from './check.js'
import { filesOf, TASKS } from './support/tasks.js'
import { run } from './support/workplace.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** A folder as `prepare.js` makes it, with this checkout in place of the installed package, and these files in it. */
async function fill(name, solution) {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-solution-'))
  const files = filesOf(name)
  if (files !== undefined) await cp(files, folder, { recursive: true })
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true })
  await symlink(root, join(folder, 'node_modules/seo-sandbox'))
  // What the solution in TypeScript would have installed.
  for (const module of ['typescript', '@types', '.bin/tsc']) {
    await symlink(join(root, 'node_modules', module), join(folder, 'node_modules', module))
  }
  const patch = here(`solutions/${name}.patch`)
  if (solution === 'solutions' && existsSync(patch)) {
    const { code, output } = await run(['git', 'apply', patch], { cwd: folder })
    if (code !== 0) throw new Error(`${patch} does not apply: ${output}`)
  } else if (solution !== undefined) {
    await cp(here(`${solution}/${name}`), folder, { recursive: true })
  }
  return folder
}

/** Whether the verdict is what it should be; prints the results where it is not. */
async function expectVerdict({ name, solution, expected }) {
  const folder = await fill(name, solution)
  try {
    const { passed, results } = await judge(name, folder)
    const failed = results.filter((result) => !result.passed).length
    const what = `${name}, ${solution ?? 'as it begins'}: ${failed} of ${results.length} checks failed`
    process.stdout.write(`${passed === expected ? 'as it should be' : 'WRONG'}: ${what}\n`)
    if (passed !== expected)
      process.stdout.write(results.map((one) => `  ${toLine(one)}\n`).join(''))
    return passed === expected
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const names = process.argv.length > 2 ? process.argv.slice(2) : TASKS
const queue = names.flatMap((name) => [
  { name, solution: 'solutions', expected: true },
  ...(existsSync(here(`naive/${name}`)) ? [{ name, solution: 'naive', expected: false }] : []),
  ...(filesOf(name) ? [{ name, solution: undefined, expected: false }] : []),
])
let isRight = true

/** Most of the time clients wait, as they should: a few of them share a core. */
async function work() {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (!(await expectVerdict(next))) isRight = false
  }
}

await Promise.all(Array.from({ length: 4 }, work))
process.exitCode = isRight ? 0 : 1
