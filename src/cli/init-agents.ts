import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { printJson } from './print-json.ts'
import { withoutControls } from '../contract/describe.ts'
import { codeOf, toFileReason } from '../server/file-errors.ts'
import { createFile, followLinks, replaceFile } from '../server/replace-file.ts'
import { OptionError } from '../world/options/option-error.ts'
import { toAgentsBlock } from './agents-block.ts'
import { colorsFor } from './colors.ts'
import { requireFolder, toImport } from './init.ts'
import { findProject } from './project.ts'

const DONE = 0
const DOCS = 'seo-sandbox/docs'
const BEGIN = '<!-- seo-sandbox, written by npx seo-sandbox init --agents, which renews it -->'
const END = '<!-- end of seo-sandbox -->'
/** By this line Claude Code reads the other file too. */
const IMPORT = '@AGENTS.md'

/**
 * `seo-sandbox init --agents`: writes a block for coding agents into AGENTS.md, or renews it, and has CLAUDE.md, where there is
 * one, lead to it. Everything else in these files stays as it is.
 *
 * @throws OptionError if the folder cannot be written to, or a file has the beginning of the block and no end.
 */
export async function initAgents(folder: string, { json }: { json: boolean }): Promise<number> {
  await requireFolder(folder)
  const project = await findProject(folder)
  const docs = project.dependency(DOCS)
  const block = toAgentsBlock({
    docs: toImport(folder, docs).replace(/^\.\//, ''),
    exec: project.manager.exec,
  })
  const agents = join(folder, 'AGENTS.md')
  const claude = join(folder, 'CLAUDE.md')
  const changes = [
    { path: agents, isChanged: await edit(agents, (text = '') => withBlock(agents, text, block)) },
    ...(existsSync(claude) && !(await isSameFile(claude, agents))
      ? [{ path: claude, isChanged: await edit(claude, (text = '') => withImport(text)) }]
      : []),
  ]
  const [written, unchanged] = [true, false].map((is) =>
    changes.filter(({ isChanged }) => isChanged === is).map(({ path }) => path),
  )
  const next = existsSync(docs) ? [] : [project.manager.install]
  if (json) {
    printJson({ written, unchanged, next })
    return DONE
  }
  const lines = changes.map(({ path, isChanged }) =>
    isChanged ? `Wrote ${withoutControls(path)}.` : `${withoutControls(path)} is up to date.`,
  )
  const { cyan } = colorsFor(process.stdout)
  if (next.length > 0) lines.push('', 'Next:', ...next.map((command) => `  ${cyan(command)}`))
  process.stdout.write(`${lines.join('\n')}\n`)
  return DONE
}

/** Changes the text of a file, which may not exist yet. @returns whether it had to be written */
async function edit(path: string, change: (text: string | undefined) => string): Promise<boolean> {
  try {
    const before = await readFile(path, 'utf8').catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
      return undefined
    })
    const after = change(before)
    if (after === before) return false
    if (before === undefined) await createFile(path, after)
    else await replaceFile(await followLinks(path), after)
    return true
  } catch (error) {
    if (error instanceof OptionError) throw error
    throw new OptionError(`${withoutControls(path)}: ${toFileReason(error)}`, { cause: error })
  }
}

/** A text with the block in place of an earlier one, or else at its end. */
function withBlock(path: string, text: string, block: string): string {
  const end = lineEndOf(text)
  const whole = [BEGIN, block, END].join('\n').replaceAll('\n', end)
  const [start, stop] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (start === -1) return appendTo(text, whole)
  if (stop < start) {
    throw new OptionError(
      `${withoutControls(path)}: The block of seo-sandbox has no end. Write the line ${END} below it, or remove it.`,
    )
  }
  return text.slice(0, start) + whole + text.slice(stop + END.length)
}

function withImport(text: string): string {
  return /\bAGENTS\.md\b/.test(text) ? text : appendTo(text, IMPORT)
}

function appendTo(text: string, part: string): string {
  const end = lineEndOf(text)
  const before = text.replace(/(?:\r?\n)+$/, '')
  return `${before}${before === '' ? '' : end + end}${part}${end}`
}

function lineEndOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** Whether one is a symbolic link to the other, or both lead to the same file. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  return (await followLinks(resolve(one))) === (await followLinks(resolve(other)))
}
