import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TOO_DEEP } from '../../src/contract/nesting.ts'
import { aFolder, runNode } from '../support/cli.ts'
import { runs } from '../support/depth.ts'
import { DIST } from '../support/dist.ts'

/** Pieces of text that each open another level. */
const OPENINGS = ['[', '{', '{"a":', '{a: ', '[a: ', '- ', '? ', ': ', '&a [', '!!seq [']

/** Deep texts of a number of bytes. */
function textsOf(bytes: number): string[] {
  const mixed = OPENINGS.join('')
  const texts = [...OPENINGS, mixed].map((opening) =>
    opening.repeat(Math.ceil(bytes / opening.length)),
  )
  return [...texts, `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`]
}

/** V8 may end a process without an exit code, so each of these programs prints its progress. */
async function run(program: string, files: Record<string, string>): Promise<string[]> {
  await using folder = await aFolder({ ...files, 'program.mjs': program })
  const { code, stdout, stderr } = await runNode(['program.mjs'], { cwd: folder.path() })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.trimEnd().split('\n')
}

function importOf(file: string): string {
  return JSON.stringify(pathToFileURL(`${DIST}${file}`).href)
}

/** Gives each of the texts twice to createSandbox. */
const CREATE_EACH = `
  import { readFileSync } from 'node:fs'
  import { createSandbox } from ${importOf('index.js')}
  for (const fixtures of JSON.parse(readFileSync('texts.json', 'utf8'))) {
    for (const _ of [1, 2]) {
      const error = await createSandbox({ fixtures }).catch((thrown) => thrown)
      console.log(JSON.stringify([error.name, error.message]))
    }
  }
`

/** Sends each of the texts twice to a server, as fixtures and as a body, and then asks for its health. */
const SEND_EACH = `
  import { readFileSync } from 'node:fs'
  import { startServer } from ${importOf('server.js')}
  const server = await startServer({ port: 0 })
  for (const text of JSON.parse(readFileSync('texts.json', 'utf8'))) {
    for (const body of [JSON.stringify({ fixtures: text }), text]) {
      for (const _ of [1, 2]) {
        const sent = { method: 'POST', body }
        const { status } = await fetch(server.url + '/_sandbox/worlds', sent)
        console.log(status)
      }
    }
  }
  console.log((await fetch(server.url + '/_sandbox/health')).status)
  await server.close()
`

test.each([1700, 1_000_000])(
  'levels that take %i bytes are refused twice by createSandbox, in one sentence each',
  async (bytes) => {
    const texts = textsOf(bytes)
    const lines = await run(CREATE_EACH, { 'texts.json': JSON.stringify(texts) })
    expect(lines).toHaveLength(2 * texts.length)
    for (const line of lines) {
      const [name, message] = JSON.parse(line) as [string, string]
      expect(name).toBe('FixtureError')
      expect(message).toMatch(/^fixtures:\d:\d{2,3}\n {2}[^\n]+$/)
      expect(message).toContain(TOO_DEEP)
    }
  },
)

// Over HTTP, YAML may have at most 256 kB.
test.each([1700, 250_000])(
  'levels that take %i bytes are refused twice by POST /_sandbox/worlds, as fixtures and as the body',
  async (bytes) => {
    const texts = textsOf(bytes)
    const statuses = await run(SEND_EACH, { 'texts.json': JSON.stringify(texts) })
    expect(statuses).toEqual([...texts.flatMap(() => ['422', '422', '400', '400']), '200'])
  },
)

/** Any bytes, and any sequence of characters with a meaning in YAML. */
const AnyText = fc.oneof(
  fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  fc.string({ unit: 'binary', maxLength: 2000 }),
  fc
    .array(
      fc.constantFrom(
        ...OPENINGS,
        ']',
        '}',
        '*a',
        ',',
        '"',
        "'",
        '#',
        '|',
        '\n',
        '\n ',
        '\t',
        '---',
        '<<: ',
      ),
      {
        maxLength: 2000,
        size: 'max',
      },
    )
    .map((parts) => parts.join('')),
)

test('any text is refused, and the process goes on', async () => {
  const texts = fc.array(AnyText, { minLength: 100, maxLength: 100, size: 'max' })
  await fc.assert(
    fc.asyncProperty(texts, async (some) => {
      const lines = await run(CREATE_EACH, { 'texts.json': JSON.stringify(some) })
      expect(lines).toHaveLength(2 * some.length)
      for (const line of lines) expect(line).toMatch(/^\["FixtureError",/)
    }),
    { numRuns: runs(20) },
  )
})
