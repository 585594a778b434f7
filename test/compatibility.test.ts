import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandbox, replay } from '../src/index.ts'
import type { Sandbox, Snapshot } from '../src/index.ts'
import { startServer } from '../src/server.ts'

/**
 * What an earlier release wrote, commit 2acb419, is read by this one, and has the same answers. Only the links of
 * generated reports lead elsewhere since.
 */

const FOLDER = new URL('data/2acb419/', import.meta.url)

interface Answer {
  path: string
  token: string
  status: number
  body: string
}

async function read<Data>(name: string): Promise<Data> {
  return JSON.parse(await readFile(new URL(name, FOLDER), 'utf8')) as Data
}

async function ask(sandbox: Sandbox, { path, token }: Answer): Promise<Answer> {
  const response = await sandbox.fetch(`https://seo.example.com/api/v1${path}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
  })
  return { path, token, status: response.status, body: await response.text() }
}

async function askAll(sandbox: Sandbox, answers: readonly Answer[]): Promise<Answer[]> {
  const found: Answer[] = []
  for (const answer of answers) found.push(await ask(sandbox, answer))
  return found
}

function withoutReportLinks(answer: Answer): Answer {
  const body = answer.body.replace(/"https:[^"]*\/\d+(\.pdf)?"/g, '"a link of a report"')
  return { ...answer, body }
}

test.each(['written', 'generated'])('a snapshot of a %s world', async (name) => {
  const { snapshot, answers } = await read<{ snapshot: Snapshot; answers: Answer[] }>(
    `${name}.snapshot.json`,
  )
  const sandbox = await createSandbox({ fixtures: { version: 1 } })
  await sandbox.restore(snapshot)
  const found = await askAll(sandbox, answers)
  expect(found.map(withoutReportLinks)).toEqual(answers.map(withoutReportLinks))
})

test('a state file', async () => {
  const answers = await read<Answer[]>('state.answers.json')
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-state-'))
  try {
    const state = join(folder, 'state.json')
    await copyFile(new URL('state.json', FOLDER), state)
    const server = await startServer({ port: 0, state })
    expect(await askAll(server.sandbox, answers)).toEqual(answers)
    await server.close()
  } finally {
    await rm(folder, { recursive: true })
  }
})

describe('a session', async () => {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.session.json'))

  test.each(names)('%s', async (name) => {
    const session = await read<{ steps: unknown[] }>(name)
    const isGenerated = name.startsWith('generated')
    expect(await replay(session)).toMatchObject(
      isGenerated
        ? { difference: { what: 'body' } }
        : { steps: session.steps.length, difference: null },
    )
  })
})
