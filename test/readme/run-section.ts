import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fromRoot } from '../support/cli.ts'
import { Project } from './project.ts'
import type { Block, Section } from './sections.ts'

/** Runs one block in the project of its section, and throws if it does not do what it shows. */
type Run = (block: Block, project: Project) => Promise<void>

interface Language {
  run: Run
  /** What has to be installed on the machine, besides Node and bash. */
  needs?: string
}

/** How to run a block, by its language. */
const LANGUAGES: Record<string, Language> = {
  sh: { run: ({ code }, project) => project.run(code) },
  ts: { run: runTypeScript },
  js: { run: runTypeScript },
  yaml: { run: runFixture },
  json: { run: compareOutput },
  python: { run: runFileWith('python3', 'py'), needs: 'python3' },
  php: { run: runFileWith('php', 'php'), needs: 'php' },
}

/** Blocks that need something else, by their first line. */
const EXCEPTIONS: Record<string, Run> = {
  // `.ci/run` already runs it.
  'npm ci && npm start': () => Promise.resolve(),
  'agency.yaml:17:17  projects[0].reports[0].status': async ({ code }, project) => {
    const mistake = (await project.read('agency.yaml')).replace(': completed', ': done')
    await project.write('agency.yaml', mistake)
    await project.run('npx seo-sandbox --fixtures agency.yaml 2>&1 || [ $? = 2 ]')
    assert.ok(project.output.includes(code), project.output)
  },
  '# yaml-language-server: $schema=./node_modules/seo-sandbox/fixtures/schema.json': async (
    { code },
    project,
  ) => assert.ok((await project.read('agency.yaml')).startsWith(code)),
}

/** The first lines of the exceptional blocks, to check that they still exist. */
export const EXCEPTIONAL_LINES = Object.keys(EXCEPTIONS)

export function firstLineOf({ code }: Block): string {
  return code.split('\n', 1)[0] ?? ''
}

/**
 * Runs the blocks of a section in order, in a new project, like a reader who follows it.
 *
 * @returns the programs that are not installed, and whose blocks were skipped.
 * @throws Error that names the line of the block that does not do what it shows.
 */
export async function runSection({ blocks }: Section): Promise<string[]> {
  await using project = await Project.create()
  const missing = new Set<string>()
  for (const block of blocks) {
    const { run, needs } = languageOf(block)
    if (needs !== undefined && !isInstalled(needs)) {
      missing.add(needs)
      continue
    }
    try {
      await run(await prepare(block, project), project)
    } catch (error) {
      if (error instanceof Error) error.message = `Line ${block.line}: ${error.message}`
      throw error
    }
  }
  return [...missing]
}

function languageOf(block: Block): Language {
  const exception = EXCEPTIONS[firstLineOf(block)]
  if (exception) return { run: exception }
  const language = LANGUAGES[block.language]
  if (language === undefined) {
    throw new Error(
      `Line ${block.line}: Nothing runs a block in "${block.language}". Add the language to test/readme/run-section.ts.`,
    )
  }
  return /\bcurl\b/.test(block.code) ? { ...language, needs: 'curl' } : language
}

export function isInstalled(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.some((folder) => existsSync(join(folder, program)))
}

const DOCUMENTED_URL = 'http://127.0.0.1:4010'

/**
 * Prepares what the guide assumes at a block: a server that listens, with the default options if
 * its section started none; the fixture that it reads; a path instead of a placeholder.
 */
async function prepare(block: Block, project: Project): Promise<Block> {
  const { code } = block
  if (code.includes(DOCUMENTED_URL) && project.url === undefined) {
    await project.run('npx seo-sandbox')
  }
  if (code.includes("loadFixtures('agency.yaml')") && !(await project.has('agency.yaml'))) {
    const example = await readFile(fromRoot('fixtures/examples/agency.yaml'), 'utf8')
    await project.write('agency.yaml', example)
  }
  const settled = code
    .replaceAll(DOCUMENTED_URL, project.url ?? DOCUMENTED_URL)
    .replaceAll('PATH…', 'agency.yaml')
  return { ...block, code: settled }
}

/** Declarations for blocks that use a name without declaring it. */
const DECLARATIONS: Record<string, string> = {
  createSandbox: `import { createSandbox } from 'seo-sandbox'`,
  createClient: `import createClient from 'openapi-fetch'`,
  app: `import express from 'express'; const app = express()`,
  sandbox: `import * as seo from 'seo-sandbox'; const sandbox = await seo.createSandbox()`,
  headers: `const headers = { authorization: 'Bearer sandbox-unlimited' }`,
}

/** Checks the types, then runs the code with Node or, if it is a test, with Vitest. */
async function runTypeScript({ code, line }: Block, project: Project): Promise<void> {
  const named = fileNamedIn(code)
  if (named !== undefined) await project.write(named, code)
  const isTest = /from '(seo-sandbox\/)?vitest'/.test(code)
  const name = isTest ? `line-${line}.test` : `line-${line}`
  await project.write(`${name}.ts`, declarationsFor(code) + '\n'.repeat(line - 1) + code)
  await project.run('npx tsc')
  // test/browser covers code for pages.
  if (code.includes(`from 'msw/browser'`)) return
  await project.run(isTest ? `npx vitest run ${name}.ts` : `node ${name}.js`)
}

/** On one line, so that errors have the line numbers of the guide. */
function declarationsFor(code: string): string {
  const needed = Object.entries(DECLARATIONS).filter(
    ([name]) =>
      new RegExp(String.raw`(?<![-.\w])${name}\b`).test(code) &&
      !new RegExp(String.raw`^(import|const) [^=\n]*\b${name}\b`, 'm').test(code),
  )
  return needed.map(([, declaration]) => declaration).join('; ')
}

/** Keeps a fixture for the following blocks, and validates it. */
async function runFixture({ code }: Block, project: Project): Promise<void> {
  const name = fileNamedIn(code) ?? 'agency.yaml'
  await project.write(name, code)
  await project.run(`npx seo-sandbox validate '${name}'`)
}

/** The file name in a comment on the first line of a block. */
function fileNamedIn(code: string): string | undefined {
  return /^(?:\/\/|#) ([\w.-]+\.\w+)\n/.exec(code)?.[1]
}

/** Compares the block with the output of the previous command line. */
async function compareOutput({ code }: Block, { output }: Project): Promise<void> {
  assert.deepEqual(JSON.parse(output), JSON.parse(code))
}

function runFileWith(program: string, extension: string): Run {
  return async ({ code, line }, project) => {
    const name = `line-${line}.${extension}`
    await project.write(name, code)
    await project.run(`${program} ${name}`)
  }
}
