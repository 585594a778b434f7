import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rehearse } from '../../src/rehearse.ts'
import type { RehearsalReport, RehearsedClient } from '../../src/rehearse.ts'
import { REHEARSAL_CHECKS } from '../../src/review/requirements.ts'
import { fromRoot } from '../support/cli.ts'

/** The example clients of docs/judging.md have the mistakes that they are marked with, and no others. */

const YEAR = { start: '2026-01-01', for: 'P6M' } as const

function failedIn({ checks }: RehearsalReport): string[] {
  return checks.filter(({ result }) => result === 'failed').map(({ id }) => id)
}

async function clientOf(name: string): Promise<RehearsedClient> {
  const example = (await import(fromRoot(`docs/examples/rehearse/${name}`))) as {
    createSync: () => { run: RehearsedClient }
  }
  return example.createSync().run
}

/** The checks that are marked in a file. */
function marksOf(name: string): string[] {
  const text = readFileSync(fromRoot(`docs/examples/rehearse/${name}`), 'utf8')
  return REHEARSAL_CHECKS.map(({ id }) => id).filter((id) => text.includes(`// ${id}: `))
}

test('the right one passes', async () => {
  const report = await rehearse(await clientOf('right-sync.js'), YEAR)
  expect([report.verdict, failedIn(report)]).toEqual(['passed', []])
})

test('the wrong one has the four mistakes that it is marked with', async () => {
  const report = await rehearse(await clientOf('wrong-sync.js'), YEAR)
  expect(failedIn(report)).toEqual(marksOf('wrong-sync.js'))
  expect(failedIn(report)).toHaveLength(4)
})

test('the one that follows section 4.6 misses what is completed after a newer report', async () => {
  const report = await rehearse(await clientOf('last-generated-sync.js'), YEAR)
  expect(failedIn(report)).toEqual(['undelivered'])
  const messages = report.checks.flatMap(({ findings }) => findings.map(({ message }) => message))
  expect(messages.join('\n')).toContain('another report of its project has a later created_at')
})
