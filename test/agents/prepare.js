/**
 * Makes the folder that an agent is given: `node test/agents/prepare.js TASK FOLDER [--agents]`. With `--agents`, also runs `seo-sandbox init --agents`.
 * Prints the whole prompt. TARBALL names the package, or it is packed from this checkout.
 */
import { existsSync } from 'node:fs'
import { copyFile, cp, mkdir, readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { filesOf, taskFolder } from './support/tasks.js'
import { run } from './support/workplace.js'

const PACKAGE = 'seo-sandbox-0.1.0.tgz'
const root = fileURLToPath(new URL('../..', import.meta.url))

/** An agent that finds the sources of the sandbox, or of anything else, above its folder is not on its own. */
function refuseCheckouts(folder) {
  for (let parent = dirname(folder); ; parent = dirname(parent)) {
    const found = ['.git', 'package.json', 'AGENTS.md', 'CLAUDE.md'].find((name) =>
      existsSync(join(parent, name)),
    )
    if (found !== undefined) {
      throw new Error(
        `${folder} is not on its own: ${join(parent, found)} is above it. Use a folder elsewhere.`,
      )
    }
    if (parent === dirname(parent)) return
  }
}

async function runOrFail(words, cwd) {
  const { code, output } = await run(words, { cwd })
  if (code !== 0)
    throw new Error(`${words.join(' ')} failed in ${cwd}: ${output.trim().slice(-500)}`)
}

async function prepare(name, folder, { agents }) {
  const prompt = await readFile(new URL('prompt.md', taskFolder(name)), 'utf8')
  refuseCheckouts(folder)
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0)
    throw new Error(`${folder} is not empty. Use a new folder.`)

  const files = filesOf(name)
  if (files !== undefined) await cp(files, folder, { recursive: true })
  const tarball = process.env['TARBALL']
  if (tarball) await copyFile(tarball, join(folder, PACKAGE))
  else await runOrFail(['npm', 'pack', '--ignore-scripts', '--pack-destination', folder], root)

  if (!existsSync(join(folder, 'package.json'))) await runOrFail(['npm', 'init', '-y'], folder)
  await runOrFail(['npm', 'install', `./${PACKAGE}`], folder)
  if (!agents) return prompt
  await runOrFail(['npx', 'seo-sandbox', 'init', '--agents'], folder)
  const instructions = await readFile(join(folder, 'AGENTS.md'), 'utf8')
  return `Contents of AGENTS.md (project instructions):\n\n${instructions}\n\n${prompt}`
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { agents: { type: 'boolean', default: false } },
})
const [name, folder] = positionals
try {
  if (folder === undefined) throw new Error('Name a task and a new folder outside any checkout.')
  process.stdout.write(await prepare(name, resolve(folder), values))
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
