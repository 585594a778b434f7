import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { fromRoot } from '../support/cli.ts'

/** A link of a page, with its target as written. */
interface Link {
  page: string
  line: number
  target: string
}

/** The Markdown pages of the repository, apart from those of tests and dependencies. */
export function listPages(): string[] {
  const inDocs = readdirSync(fromRoot('docs'), { recursive: true, encoding: 'utf8' })
  const pages = [
    ...readdirSync(fromRoot('.')),
    ...['fixtures', 'src', 'test'].map((folder) => `${folder}/README.md`),
    ...inDocs.map((name) => `docs/${name.replaceAll('\\', '/')}`),
  ]
  return pages.filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
}

/** The links of a page, apart from those in code. */
export function readLinks(page: string, text: string): Link[] {
  let fence: string | undefined
  return text.split('\n').flatMap((line, index) => {
    const [, mark] = /^\s*(`{3,}|~{3,})/.exec(line) ?? []
    if (mark !== undefined) fence = fence === undefined ? mark : undefined
    if (fence !== undefined) return []
    const prose = line.replaceAll(/(`+)(?!`).*?[^`]\1(?!`)/g, (code) => 'x'.repeat(code.length))
    const written = /\]\(<?([^()\s>]*)|^\[[^\]]+\]: *<?(\S+?)>?$|<(https?:[^>]+)>|\bsrc="([^"]+)"/g
    return [...prose.matchAll(written)].map(([, inline, reference, auto, image]) => ({
      page,
      line: index + 1,
      target: inline ?? reference ?? auto ?? image ?? '',
    }))
  })
}

/**
 * The reasons why links are broken, one sentence each.
 *
 * @param has returns true for the path of a file or a folder
 * @param read returns the text of a page
 */
export function findBrokenLinks(
  links: readonly Link[],
  { has, read }: { has: (path: string) => boolean; read: (path: string) => string },
): string[] {
  return links.flatMap(({ page, line, target }) => {
    if (/^https?:/.test(target)) return []
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? page : join(dirname(page), path)
    const where = `${page}:${line} leads to ${target}`
    if (!has(file.replace(/\/$/, ''))) return [`${where}, which does not exist.`]
    if (anchor === undefined || anchorsOf(read(file)).has(anchor)) return []
    return [`${where}, but ${file} has no such heading.`]
  })
}

/** The anchors of the headings of a page, in the form of GitHub and npm. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  const prose = text.replaceAll(/^\s*(`{3,})[^]*?^\s*\1/gm, '')
  for (const [, heading = ''] of prose.matchAll(/^#+ +(.+)$/gm)) {
    const plain = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    const anchor = plain.trim().replaceAll(/\s/g, '-')
    let unique = anchor
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`
    anchors.add(unique)
  }
  return anchors
}

/** The repository on disk. */
export const REPOSITORY = {
  has: (path: string): boolean => existsSync(fromRoot(path)),
  read: (path: string): string => readFileSync(fromRoot(path), 'utf8'),
}
