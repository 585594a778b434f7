/**
 * A client with a dozen mistakes, each marked with the check that finds it: `node wrong-client.js [FOLDER]`. Everything else is as it should be, so
 * that the review names these and nothing else.
 */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

const { SEO_SANDBOX_URL: url = '', SEO_SANDBOX_TOKEN: token = '' } = process.env
const api = `${url}/api/v1`
const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' }
const folder = process.argv[2] ?? 'reports'

/** Reads a path of the API. @param {string} path @returns {Promise<any>} */
async function get(path) {
  let status = 0
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const response = await fetch(api + path, { headers }).catch(() => undefined)
    const text = await response?.text().catch(() => '')
    status = response?.status ?? 0
    // missing-after-error: a lost connection and a broken body count as an empty answer.
    if (status === 0) return {}
    if (status === 200) return parse(text)
    if (status === 404 || status === 400) return null
    if (status === 429) {
      // retry-after: its seconds are taken for milliseconds.
      await sleep(Number(response?.headers.get('Retry-After')))
    } else if (attempt < 3) {
      // backoff: the pause never grows.
      // retry-unauthorised: a 401 and a 403 come here too.
      await sleep(5000)
    }
  }
  throw new Error(`${path}: ${status}`)
}

/** @param {string} [text] */
function parse(text = '') {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

async function listProjects() {
  const { data, meta } = await get('/projects?status=active')
  for (let page = 2; page <= meta.last_page; page += 1) {
    // hand-made-pages: the filter of the first page is lost.
    data.push(...(await get(`/projects?page=${page}`)).data)
  }
  return data
}

/** How many projects have a report that is not completed. */
async function countUnfinished() {
  // next-link: there is a second page.
  const { data } = await get('/projects?status=active&per_page=50')
  return data.filter(isUnfinished).length
}

/** @param {any} project */
function isUnfinished({ latest_report_status: status }) {
  return status !== null && status !== 'completed'
}

/** @param {any} project */
async function syncProject({ id, links }) {
  const { name } = (await get(`/projects/${id}`)).data
  // repeated-read: it was read just now.
  const { domain } = (await get(`/projects/${id}`)).data
  // unknown-parameter: the list of reports has no filter.
  await get(`/projects/${id}/reports?status=completed`)
  // doubled-prefix: the link begins with /api/v1, and so does the address that it is added to.
  await get(links.last_generated_report)

  /** @type {any} */
  let latest
  for (let attempt = 1; attempt <= 3 && latest?.status !== 'completed'; attempt += 1) {
    // poll-latest: `latest` does not tell when this report is completed.
    latest = (await get(`/projects/${id}/reports/latest`)).data
  }
  // report-number-range: numbers begin at 1.
  for (let number = 0; number <= latest.report_number; number += 1) {
    const file = join(folder, `${id}-${number}.json`)
    if (existsSync(file)) continue
    // unfinished-content: nothing has shown that this report is completed.
    const content = await get(`/projects/${id}/reports/${number}/content`)
    await writeFile(file, JSON.stringify({ name, domain, content }))
  }
}

try {
  await mkdir(folder, { recursive: true })
  const projects = await listProjects()
  console.log(`${await countUnfinished()} projects have a report to come.`)
  for (const project of projects.filter(isUnfinished).slice(0, 5)) await syncProject(project)
} catch (error) {
  console.error(String(error))
  process.exitCode = 1
}
