/**
 * Publishes each finished report of our customers: `node publish.js OUT`. Reads API_URL, which ends in /api/v1, and API_TOKEN. Exits with 1 if
 * something could not be read, which the next run publishes.
 */
'use strict'

const { existsSync } = require('node:fs')
const { appendFile, mkdir, readFile, rename, writeFile } = require('node:fs/promises')
const { join } = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')

const api = (process.env.API_URL ?? '').replace(/\/$/, '')
const headers = { Authorization: `Bearer ${process.env.API_TOKEN}`, Accept: 'application/json' }
const out = process.argv[2] ?? 'out'
const stateFile = join(out, 'state.json')

const ATTEMPTS = 6
const FIRST_PAUSE_MS = 500

class ApiError extends Error {
  constructor(url, status, retryAfter) {
    super(`${url}: ${status || 'no response that can be read'}`)
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** Reads a URL. Tries again what may only be a bad moment, and waits for as long as it is told to. */
async function get(url) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request(url)
    } catch (error) {
      const mayHelp = error.status === 0 || error.status === 429 || error.status >= 500
      if (!mayHelp || attempt === ATTEMPTS) throw error
      const pauseMs = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 + Math.random() / 2)
      await sleep(error.retryAfter ? Number(error.retryAfter) * 1000 : pauseMs)
    }
  }
}

async function request(url) {
  let response
  try {
    response = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) })
    const text = await response.text()
    if (response.ok) return JSON.parse(text)
  } catch {
    throw new ApiError(url, 0, null)
  }
  throw new ApiError(url, response.status, response.headers.get('Retry-After'))
}

async function listProjects() {
  const projects = []
  let url = `${api}/projects`
  while (url) {
    const { data, links } = await get(url)
    projects.push(...data)
    url = links.next && new URL(links.next, url).href
  }
  return projects
}

/** What is finished and not published yet. A project that we have seen before needs one small request. */
async function findNew(project, published) {
  const reports = `${api}/projects/${project.id}/reports`
  if (published === undefined) {
    const { data } = await get(reports)
    return data.filter(({ status }) => status === 'completed')
  }
  const { data: last } = await get(`${reports}/last-generated`).catch((error) => {
    if (error.status === 404) return { data: { report_number: 0 } }
    throw error
  })
  return last.report_number > published ? [last] : []
}

async function publish(project, { id, report_number: number }) {
  const file = join(out, `${project.id}-${number}.json`)
  // A run that has ended early has published some of them.
  if (existsSync(file)) return
  const { data } = await get(`${api}/projects/${project.id}/reports/${number}/content`)
  await save(file, data)
  const line = { project: project.id, report_number: number, report: id }
  await appendFile(join(out, 'feed.jsonl'), `${JSON.stringify(line)}\n`)
}

async function save(file, value) {
  await writeFile(`${file}.part`, JSON.stringify(value))
  await rename(`${file}.part`, file)
}

async function main() {
  await mkdir(out, { recursive: true })
  const state = existsSync(stateFile) ? JSON.parse(await readFile(stateFile, 'utf8')) : {}
  for (const project of await listProjects()) {
    try {
      const reports = await findNew(project, state[project.id])
      for (const report of reports) await publish(project, report)
      state[project.id] = Math.max(state[project.id] ?? 0, ...reports.map((r) => r.report_number))
      await save(stateFile, state)
    } catch (error) {
      if (error.status === 401 || error.status === 403) throw error
      console.error(`${project.name}: ${error.message}`)
      process.exitCode = 1
    }
  }
}

main().catch((error) => {
  console.error(`Publishing has ended early: ${error.message}`)
  process.exitCode = 1
})
