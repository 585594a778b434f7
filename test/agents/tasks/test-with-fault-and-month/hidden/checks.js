import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { STORM } from '../../../support/sync-checks.js'

export const command = (out) => ['node', 'src/main.js', out]

export const review = STORM

const files = new URL('../files/', import.meta.url)

/** The client is changed in one place each; a test that proves what the prompt asks for fails with every one. */
const MUTANTS = [
  {
    what: 'does not try again after a 503',
    from: 'status === 0 || status === 429 || status >= 500',
    to: 'status === 0 || status === 429',
  },
  {
    what: 'gives up at a 429 or a 503',
    from: 'status === 0 || status === 429 || status >= 500',
    to: 'status === 0',
  },
  {
    what: 'waits milliseconds where it is told seconds',
    from: 'Number(retryAfter) * 1000',
    to: 'Number(retryAfter)',
  },
  {
    what: 'pauses for its own time, not as long as it is told',
    from: 'retryAfter === null ? pauseMs : Number(retryAfter) * 1000',
    to: 'Math.min(pauseMs, 900)',
  },
  { what: 'says that it is complete when it is not', from: 'complete = false', to: '' },
  {
    what: 'never gets what was missing',
    from: 'await syncProject(project)',
    to:
      'const mark = join(folder, `.${project.id}`)\n' +
      '      if (existsSync(mark)) continue\n' +
      "      await writeFile(mark, '')\n" +
      '      await syncProject(project)\n' +
      "      await (await import('node:fs/promises')).rm(mark)",
  },
  {
    what: 'downloads everything again',
    from: 'if (existsSync(join(folder, name))) continue',
    to: '',
  },
  {
    what: 'downloads reports that are not finished',
    from: "if (report.status !== 'completed') continue",
    to: '',
  },
  {
    what: 'downloads nothing more of a project that it knows',
    from: 'for (const report of reports) {',
    to:
      'const known = reports.some(({ id: report }) => existsSync(join(folder, `${id}-${report}.json`)))\n' +
      '    for (const report of known ? [] : reports) {',
  },
  {
    what: 'misses a report that is finished after a later one',
    from: 'for (const report of reports) {',
    to:
      'const has = reports.filter((one) => existsSync(join(folder, `${id}-${one.id}.json`)))\n' +
      '    const newest = Math.max(0, ...has.map((one) => one.report_number))\n' +
      '    for (const report of reports.filter((one) => one.report_number > newest)) {',
  },
]

async function assertPasses({ program }, when, env) {
  const { code, output } = await program(['npm', 'test'], env)
  assert.equal(code, 0, `npm test fails ${when}: ${output.trim().slice(-400)}`)
}

/** Judges the test with a client that is wrong in one place. */
function failsWith({ from, to }) {
  return async ({ folder, program }) => {
    const right = await readFile(new URL('src/sync.js', files), 'utf8')
    assert.equal(right.split(from).length, 2, `the client does not have this in one place: ${from}`)
    const file = join(folder, 'src/sync.js')
    await writeFile(
      file,
      right.replace(from, () => to),
    )
    try {
      const { code } = await program(['npm', 'test'])
      assert.notEqual(code, 0, 'npm test passes with this client')
    } finally {
      await writeFile(file, right)
    }
  }
}

export const checks = {
  'the client is as it was': async ({ folder }) => {
    for (const name of ['src/sync.js', 'src/main.js']) {
      const [is, was] = await Promise.all([
        readFile(join(folder, name), 'utf8'),
        readFile(new URL(name, files), 'utf8'),
      ])
      assert.equal(is, was, `${name} was changed`)
    }
  },
  'the test passes, and again': async (place) => {
    await assertPasses(place, 'with the client as it is')
    await assertPasses(place, 'when it is run again')
  },
  'the test passes on the last day of January': async (place) => {
    const shift = new URL('last-of-january.js', import.meta.url).href
    await assertPasses(place, 'on 31 January', { NODE_OPTIONS: `--import ${shift}` })
  },
  ...Object.fromEntries(
    MUTANTS.map((mutant) => [
      `the test fails with a client that ${mutant.what}`,
      failsWith(mutant),
    ]),
  ),
}
