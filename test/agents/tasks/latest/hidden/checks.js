import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  READER,
  anAgency,
  aProject,
  completedOf,
  reportsOf,
  shuffled,
} from '../../../support/agency.js'
import { assertExit, BAD_DAY, countContents, STORM } from '../../../support/sync-checks.js'

export const command = (out) => ['node', 'publish.js', out]

export const review = STORM

async function readFeed(out) {
  const file = join(out, 'feed.jsonl')
  if (!existsSync(file)) return []
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  return lines.filter(Boolean).map((line) => JSON.parse(line))
}

const nameOf = ({ project, report_number: number }) => `${project}-${number}`

/** Each of these is in the feed once, with its file, and nothing else is. */
async function assertPublished(out, expected, when) {
  const feed = await readFeed(out)
  assert.deepEqual(
    feed.map(nameOf).toSorted(),
    expected.map(nameOf).toSorted(),
    `the feed does not have each finished report once ${when}`,
  )
  for (const report of expected) {
    const line = feed.find((candidate) => nameOf(candidate) === nameOf(report))
    assert.equal(line.report, report.id, `the line of ${nameOf(report)} has another id`)
    const content = JSON.parse(await readFile(join(out, `${nameOf(report)}.json`), 'utf8'))
    assert.equal(content.report_id, report.id, `the file of ${nameOf(report)} is of another report`)
    assert.equal(
      content.is_generated,
      true,
      `${nameOf(report)} was published before it was finished`,
    )
  }
}

/** Reports are finished in any order, up to three between two runs, and each is published by the next run. */
function inAnyOrder(seed) {
  return async ({ serve, client, aFolder }) => {
    const fixtures = anAgency({ seed, projects: 6, reports: 5 })
    const server = await serve({ fixtures })
    const out = await aFolder()
    const expected = completedOf(fixtures)
    assertExit(await client(server, out), 0, 'in the first run')
    await assertPublished(out, expected, 'after the first run')

    const open = reportsOf(fixtures).filter(({ status }) => ['running', 'pending'].includes(status))
    const order = shuffled(open, seed)
    for (let run = 1; order.length > 0; run += 1) {
      for (const { project, report_number: number, ...report } of order.splice(0, 1 + (run % 3))) {
        await server.sandbox.reports.complete({ project, report_number: number })
        expected.push({ project, report_number: number, ...report })
      }
      await server.sandbox.clock.advance('P3D')
      assertExit(await client(server, out), 0, `in run ${run + 1}`)
      await assertPublished(out, expected, `after run ${run + 1}`)
    }
  }
}

/** What today's version leaves of a project whose reports with these numbers were published. */
async function writeOld(out, { sandbox }, project, numbers) {
  for (const number of numbers) {
    const path = `/api/v1/projects/${project.id}/reports/${number}/content`
    const { data } = await (await sandbox.fetch(path, { headers: READER })).json()
    await writeFile(join(out, `${project.id}-${number}.json`), JSON.stringify(data))
    const line = { project: project.id, report_number: number, report: data.report_id }
    await writeFile(join(out, 'feed.jsonl'), `${JSON.stringify(line)}\n`, { flag: 'a' })
  }
}

export const checks = {
  'a report that is finished after a later one is published': async (place) => {
    const { serve, client, aFolder } = place
    const project = aProject(301, ['completed', 'running', 'running', 'pending'])
    const fixtures = { ...anAgency({ seed: 1, projects: 0 }), projects: [project] }
    const server = await serve({ fixtures })
    const out = await aFolder()
    const reports = reportsOf(fixtures)
    assertExit(await client(server, out), 0, 'in the first run')
    await server.sandbox.reports.complete({ project: 301, report_number: 3 })
    assertExit(await client(server, out), 0, 'when number 3 is finished')
    await server.sandbox.reports.complete({ project: 301, report_number: 2 })
    assertExit(await client(server, out), 0, 'when number 2 is finished')
    await assertPublished(out, reports.slice(0, 3), 'when number 2 is finished after number 3')
  },

  'reports finished in any order are each published once': inAnyOrder(21),
  'so are those of other agencies': inAnyOrder(22),

  'what was missed is published, and nothing a second time': async (place) => {
    const { serve, client, aFolder } = place
    const late = aProject(401, ['completed', 'completed', 'completed', 'pending'])
    const many = aProject(402, ['completed', 'completed', 'completed', 'completed', 'running'])
    const none = aProject(403, ['running'])
    const fixtures = { ...anAgency({ seed: 1, projects: 0 }), projects: [late, many, none] }
    const server = await serve({ fixtures })
    const out = await aFolder()
    await writeOld(out, server, late, [1, 3])
    await writeOld(out, server, many, [1, 4])
    await writeFile(join(out, 'state.json'), JSON.stringify({ 401: 3, 402: 4, 403: 0 }))
    await server.sandbox.requests.clear()

    assertExit(await client(server, out), 0, 'in a folder of today’s version')
    await assertPublished(out, completedOf(fixtures), 'in a folder of today’s version')
    assert.equal(countContents(server), 3, 'contents that were published are requested again')

    await server.sandbox.reports.complete({ project: 403, report_number: 1 })
    assertExit(await client(server, out), 0, 'a day later')
    const expected = [...completedOf(fixtures), reportsOf(fixtures).at(-1)]
    await assertPublished(out, expected, 'a day later')
  },

  'a bad day neither loses nor repeats a report': async ({ serve, client, aFolder }) => {
    const fixtures = anAgency({ seed: 23, projects: 9 })
    const server = await serve({ fixtures })
    const out = await aFolder()
    await server.sandbox.faults.set(BAD_DAY)
    for (let run = 1; run <= 3; run += 1) await client(server, out)
    await assertPublished(out, completedOf(fixtures), 'after a bad day')
  },

  'a report is published when its project can be read again': async ({
    serve,
    client,
    aFolder,
  }) => {
    const fixtures = anAgency({ seed: 24, projects: 5 })
    const server = await serve({ fixtures })
    const out = await aFolder()
    const [{ project }] = completedOf(fixtures)
    await server.sandbox.faults.add({ kind: 'status', status: 400, project })
    assertExit(await client(server, out), 1, 'where a project cannot be read')
    const others = completedOf(fixtures).filter((report) => report.project !== project)
    await assertPublished(out, others, 'where a project cannot be read')
    await server.sandbox.faults.clear()
    assertExit(await client(server, out), 0, 'where it can be read again')
    await assertPublished(out, completedOf(fixtures), 'where it can be read again')
  },
}
