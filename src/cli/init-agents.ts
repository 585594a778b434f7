import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { withoutControls } from '../contract/text.ts'
import { errorCodeOf, toFileReason } from '../server/file-errors.ts'
import { createFile, followLinks, replaceFile } from '../server/replace-file.ts'
import { OptionError } from '../world/options/option-error.ts'
import { DOCS_INDEX } from './docs-index.ts'
import { requireFolder, toImport } from './init.ts'
import { printJson, colorsFor } from './print.ts'
import { findUserProject } from './user-project.ts'

const DONE = 0
const DOCS = 'seo-sandbox/docs'
const BEGIN = '<!-- seo-sandbox, written by npx seo-sandbox init --agents, which renews it -->'
const END = '<!-- end of seo-sandbox -->'
/** This line in CLAUDE.md makes Claude Code read AGENTS.md too. */
const IMPORT = '@AGENTS.md'

/**
 * `seo-sandbox init --agents`: writes or renews a block for coding agents in AGENTS.md. If CLAUDE.md exists, adds a reference
 * to AGENTS.md there. The rest of both files stays unchanged.
 *
 * @throws OptionError if the folder does not exist, if a file cannot be read or written, or if the block in AGENTS.md has no end.
 */
export async function initAgents(folder: string, { json }: { json: boolean }): Promise<number> {
  await requireFolder(folder)
  const project = await findUserProject(folder)
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

/**
 * Edits or creates a file. `change` receives undefined if there is no file. Returns false if the text is unchanged.
 *
 * @throws OptionError if the file cannot be read or written, and the errors of `change`.
 */
async function edit(path: string, change: (text: string | undefined) => string): Promise<boolean> {
  try {
    const before = await readFile(path, 'utf8').catch((error: unknown) => {
      if (errorCodeOf(error) !== 'ENOENT') throw error
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

/**
 * Returns `text` with the block, in place of an earlier block or else at the end.
 *
 * @throws OptionError if the earlier block has no end.
 */
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

async function isSameFile(one: string, other: string): Promise<boolean> {
  return (await followLinks(resolve(one))) === (await followLinks(resolve(other)))
}

interface AgentsBlock {
  /** Path of the documentation, relative to the folder of AGENTS.md. */
  docs: string
  exec: (command: string) => string
}

/** Requirements for a client before it gets a real token (docs/judging.md); `warnings` covers all other warnings. */
const REQUIRED =
  'delivered,retry-after,missing-after-error,retry-unauthorised,unfinished-content,warnings'

/** Arguments of seo-sandbox for the run that a finished client must pass. */
export const REQUIRED_RUN = `exec --env API_URL=api --env API_TOKEN=token --demo --rate-limit unlimited --profile storm --require ${REQUIRED} -- COMMAND`

/**
 * Returns instructions for a coding agent that writes a client of the API: the purpose of the sandbox, three commands, the
 * pages to read, and the criterion for a finished client.
 */
export function toAgentsBlock({ docs, exec }: AgentsBlock): string {
  const run = (line: string): string => exec(`seo-sandbox ${line}`)
  const pages = DOCS_INDEX.map(({ path, about }) => `- ${path}: ${about}`)
  return `## The Search Content and Reporting Service: test against seo-sandbox

The package \`seo-sandbox\` is that API on this machine: every endpoint, rule and rate limit of its specification. Test clients against it, not against the
real API. Before you write or fix a client, read \`${docs}/api.md\` for its rules, and \`${docs}/judging.md\` for the duties of a client.

- \`${run('exec --env API_URL=api --env API_TOKEN=token -- COMMAND')}\` runs a command with a sandbox of its own. The names on the left are the variables that the command
  reads. \`--demo\`, \`--scenario\`, \`--fixtures\` and \`--policy\` choose its world, and \`--review\` reports the mistakes of the client.
- \`${run('traffic FILE')}\` shows each request and the reason for its response: of the session that a failed review saves, or without FILE of a running server.
- \`${run('why PROJECT FILE')}\` explains the latest report of a project: the reason, until when, and the next one.

A client is done when its review meets the requirements. Finish by running this with the command of the client, and fix the mistakes that it reports until it exits with 0. Leave out requirements that do not apply, such as
\`delivered\` for a client that reads no reports:

\`\`\`sh
${run(REQUIRED_RUN)}
\`\`\`

It runs the command three times: refused with a 401, then with faults, then a day later. It tests no second page, no limit of a token, and no report that is completed late or regenerated. For these, use in place of \`--demo\`:
\`--projects 400\` with \`--require next-link\`, \`--rate-limit 20/min\` with \`--require token-told-to-wait\`, and for a client that runs daily \`${run('rehearse --profile smoke --client-state FOLDER -- COMMAND')}\`;
for questions that the specification leaves open, use \`--policy\`. The review sees only requests: compare the data that the client wrote with \`/_sandbox/records/reports\`. A test suite
whose client uses SEO_SANDBOX_URL finishes with \`${run('exec --review --require warnings -- npm test')}\`; tests with a sandbox of their own, by \`createSandbox\` or \`startServer\`, assert \`sandbox.review().verdict\`.

Errors name the page that explains them. Pages in \`${docs}\`:

${pages.join('\n')}`
}
