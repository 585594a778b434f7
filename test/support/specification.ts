import {
  lastGeneratedBySpecification,
  latestBySpecification,
  listBySpecification,
} from './rules.ts'

/**
 * The answer to any request by the specification and the defaults of the gaps, stated from both texts rather than taken
 * from the engine. It is slow and simple: it reads plain lists, and knows no index, cache or schema.
 */

/** Records with every field, by ascending id. */
export interface Tables {
  agencies: any[]
  countries: any[]
  languages: any[]
  users: any[]
  tokens: any[]
  projects: any[]
  keywords: any[]
  reports: any[]
}

export interface Asked {
  method: string
  /** Path from the root. */
  path: string
  query: string
  authorization: string | undefined
  clientIp: string
}

export interface Expected {
  status: number
  /** The body as text; undefined for an error, whose body is a sentence. */
  text?: string
  /** Names in a 400 (4.3(1)). */
  allowed?: string[]
}

const PREFIX = '/api/v1'
const PARAMETERS = ['status', 'search', 'agency_id', 'page', 'per_page']

/** The paths of 4.1 below the prefix, with the name of each. */
const PATHS: [RegExp, string][] = [
  [/^\/me$/, 'me'],
  [/^\/(countries|languages|users|projects)$/, 'list'],
  [/^\/(countries|languages|users|projects)\/([^/]+)$/, 'one'],
  [/^\/projects\/([^/]+)\/reports$/, 'reports'],
  [/^\/projects\/([^/]+)\/reports\/(latest|last-generated)$/, 'selected'],
  [/^\/projects\/([^/]+)\/reports\/([^/]+)\/content$/, 'content'],
  [/^\/projects\/([^/]+)\/keywords$/, 'keywords'],
]

const error = (status: number): Expected => ({ status })

/**
 * The answer at a time, from the records as they are; `shown` are the records in endpoints with `cache_refreshed_at`, which
 * differ while data is stale (G-058).
 */
export function answerBySpecification(
  asked: Asked,
  { now, tables, shown }: { now: number; tables: Tables; shown: Tables },
): Expected {
  // G-011: the path, the method, the token, its status, the address, then the resource and the parameters.
  const path = asked.path.endsWith('/') ? asked.path.slice(0, -1) : asked.path
  const below = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : ''
  const found = PATHS.map(([pattern, name]) => ({ name, match: pattern.exec(below) })).find(
    ({ match }) => match,
  )
  if (!found?.match) return error(404)
  const { name, match } = found
  if (asked.method !== 'GET' && asked.method !== 'HEAD') return error(405)
  const bearer = /^bearer +([^ ]+)$/i.exec(asked.authorization ?? '')?.[1]
  const token = tables.tokens.find((one) => one.token === bearer)
  if (!token) return error(401)
  if (token.status === 'disabled' && name !== 'me') return error(401)
  if (token.allowed_ips && !token.allowed_ips.includes(asked.clientIp)) return error(403)

  const refreshed = `${new Date(Math.floor(now / 60_000) * 60_000).toISOString().slice(0, 19)}.000000Z`
  const json = (value: object): Expected => ({ status: 200, text: JSON.stringify(value) })
  const cached = (data: unknown) => json({ data, cache_refreshed_at: refreshed })
  const [, first = '', second = ''] = match
  if (name === 'me') {
    const { id, agency, status, abilities } = token
    return json({ id, name: token.name, agency_id: agency, status, abilities })
  }
  if (name === 'list' && first !== 'projects') return json({ data: listOf(first, token, tables) })
  if (name === 'one' && first !== 'projects') {
    const one = listOf(first, token, tables).find(({ id }) => String(id) === second)
    return one ? json({ data: one }) : error(404)
  }
  if (name === 'list') return listProjects(asked, { now, token, shown, refreshed })

  const wanted = name === 'one' ? second : first
  const project = visibleProjects(token, shown).find(({ id }) => String(id) === wanted)
  if (!project) return error(404)
  const reports = shown.reports.filter((report) => report.project === project.id)
  const byId = (id: number | undefined) => reports.find((report) => report.id === id)
  if (name === 'one') return cached(presentProject(project, now, shown))
  if (name === 'keywords') return cached(presentKeywords(project, reports, shown))
  if (name === 'reports')
    return cached(listBySpecification(reports).map((id) => presentReport(byId(id), shown)))
  if (name === 'selected') {
    const id =
      second === 'latest'
        ? latestBySpecification(reports, now).id
        : lastGeneratedBySpecification(reports)
    return id === undefined ? error(404) : cached(presentReport(byId(id), shown))
  }
  if (!/^[1-9]\d*$/.test(second) || Number(second) > 26) return error(400)
  const report = reports.find(({ report_number }) => report_number === Number(second))
  return report ? cached(presentContent(report, project, shown)) : error(404)
}

/** 4.9, 5(7), G-018: countries that apply, languages, and the users of the token's agency. */
function listOf(kind: string, token: any, tables: Tables): any[] {
  const label = ({ id, label: text }: any) => ({ id, label: text })
  if (kind === 'countries') return tables.countries.filter((one) => one.applicable).map(label)
  if (kind === 'languages') return tables.languages.map(label)
  return tables.users
    .filter(({ agency }) => token.agency === null || agency === token.agency)
    .map(({ id }) => userOf(id, tables))
}

/** 2.2. */
function userOf(id: number | null, { users, agencies }: Tables): object | null {
  const user = users.find((one) => one.id === id)
  if (!user) return null
  const agency = agencies.find((one) => one.id === user.agency)
  return {
    id: user.id,
    name: user.name,
    role: user.role,
    agency: agency ? { id: agency.id, name: agency.name } : null,
  }
}

function visibleProjects(token: any, { projects }: Tables): any[] {
  return projects.filter(({ agency }) => token.agency === null || agency === token.agency)
}

/** 2.4: four fields of the row that latest selects, or four nulls. */
function latestFields(project: any, now: number, { reports }: Tables): object {
  const rows = reports.filter((report) => report.project === project.id)
  const { id } = latestBySpecification(rows, now)
  const row = rows.find((report) => report.id === id)
  return {
    latest_report_generated_at: row?.created_at ?? null,
    latest_report_id: row?.id ?? null,
    latest_report_number: row?.report_number ?? null,
    latest_report_status: row?.status ?? null,
  }
}

const linksOf = ({ id }: any) => ({
  latest_report: `/api/v1/projects/${id}/reports/latest`,
  last_generated_report: `/api/v1/projects/${id}/reports/last-generated`,
})

const keywordsOf = ({ id }: any, { keywords }: Tables) =>
  keywords.filter(({ project }) => project === id)

/** 4.3, with G-014, G-015 and G-032 to G-043. */
function listProjects(
  { path, query }: Asked,
  { now, token, shown, refreshed }: { now: number; token: any; shown: Tables; refreshed: string },
): Expected {
  const sent = [...new URLSearchParams(query)]
  if (sent.some(([name]) => !PARAMETERS.includes(name))) return { status: 400, allowed: PARAMETERS }
  // The last of repeated parameters counts, and an empty one does not.
  const values = Object.fromEntries(sent)
  const { status, search, agency_id: agency } = values
  let projects = visibleProjects(token, shown)
  if (agency) {
    if (token.agency !== null) return error(403)
    if (!/^[+-]?\d+$/.test(agency)) return error(400)
    projects = projects.filter((project) => String(project.agency) === agency)
  }
  if (status) projects = projects.filter((project) => project.status === status)
  if (search) {
    const wanted = search.toLowerCase()
    projects = projects.filter(({ name, domain }) =>
      [name, domain ?? ''].some((text: string) => text.toLowerCase().includes(wanted)),
    )
  }
  const count = (text: string | undefined, otherwise: number) =>
    text && /^[1-9]\d*$/.test(text) ? Number(text) : otherwise
  const page = count(values['page'], 1)
  const size = Math.min(count(values['per_page'], 100), 100)
  const last = Math.max(1, Math.ceil(projects.length / size))
  const link = (target: number) => {
    const kept = sent.filter(([name]) => name !== 'page')
    const bare = path.endsWith('/') ? path.slice(0, -1) : path
    return `${bare}?${new URLSearchParams([...kept, ['page', String(target)]]).toString()}`
  }
  const body = {
    data: projects.slice((page - 1) * size, page * size).map((project) => ({
      id: project.id,
      name: project.name,
      status: project.status,
      keyword_count: keywordsOf(project, shown).length,
      ...latestFields(project, now, shown),
      links: linksOf(project),
    })),
    meta: { current_page: page, per_page: size, total: projects.length, last_page: last },
    links: {
      first: link(1),
      last: link(last),
      prev: page > 1 && page - 1 <= last ? link(page - 1) : null,
      next: page < last ? link(page + 1) : null,
    },
    cache_refreshed_at: refreshed,
  }
  return { status: 200, text: JSON.stringify(body) }
}

/** 2.5. */
function presentProject(project: any, now: number, shown: Tables): object {
  const agency = shown.agencies.find(({ id }) => id === project.agency)
  const labelled = (list: any[], wanted: number | null) => {
    const one = list.find(({ id }) => id === wanted)
    return one ? { id: one.id, label: one.label } : null
  }
  return {
    id: project.id,
    name: project.name,
    company_name: project.company_name,
    domain: project.domain,
    created_at: project.created_at,
    country: labelled(shown.countries, project.country),
    text_language: labelled(shown.languages, project.text_language),
    report_language: labelled(shown.languages, project.report_language),
    managing_user: userOf(project.managing_user, shown),
    created_by: userOf(project.created_by, shown),
    contact_email: project.contact_email,
    client_emails: project.client_emails,
    cc_email: agency.report_cc_email,
    receives_monthly_reports: project.receives_monthly_reports,
    agency: agency.name,
    plan: project.plan,
    keyword_count: keywordsOf(project, shown).length,
    gsc_status: project.gsc_status,
    ...latestFields(project, now, shown),
    links: linksOf(project),
  }
}

/** 2.6. */
function presentReport(report: any, shown: Tables): object {
  const { id, report_number, report_name, status, sent, pdf_link, web_link } = report
  const { date_to_create_texts, date_to_send_to_client } = report
  return {
    id,
    project_id: report.project,
    report_number,
    report_name,
    status,
    date_to_create_texts,
    date_to_send_to_client,
    sent,
    ...peopleOf(report, shown),
    pdf_link,
    web_link,
  }
}

const peopleOf = (report: any, shown: Tables) => ({
  approved_status: report.approved_status,
  approved_by: userOf(report.approved_by, shown),
  managed_status: report.managed_status,
  managed_by: userOf(report.managed_by, shown),
})

/** 2.8, G-061, T16. */
function presentKeywords(project: any, reports: any[], shown: Tables): object[] {
  return keywordsOf(project, shown).map(
    ({ id, keyword, url, create_date, latest_position, status_200 }) => {
      const numbers: number[] = []
      for (let number = 1; number <= 26; number += 1) {
        const report = reports.find(({ report_number }) => report_number === number)
        if (report?.content?.[id] !== undefined) numbers.push(number)
      }
      const counts = { content_count: numbers.length, content_action_ids: numbers }
      return { id, keyword, url, create_date, latest_position, status_200, ...counts }
    },
  )
}

/** 2.7, with G-062, G-067, G-081, G-083, G-084 and G-085. */
function presentContent(report: any, project: any, shown: Tables): object {
  const keywords = keywordsOf(project, shown).filter(({ active }) => active)
  const content = report.content ?? {}
  const isOmitted = report.content_scheme === undefined
  const usual = Object.keys(content).length > 0 ? 'h3_text_blocks' : null
  const scheme = isOmitted ? usual : report.content_scheme
  const entries = keywords.map(({ id, keyword, url }) => {
    const own = content[id]
    return {
      keyword_id: id,
      keyword,
      keyword_url: url,
      has_content: own !== undefined,
      content: own === undefined ? null : scheme === 'h3_text_blocks' ? own : own.content,
      html: own === undefined ? null : scheme === 'h3_text_blocks' ? own.map(toHtml) : own.html,
    }
  })
  return {
    report_number: report.report_number,
    report_id: report.id,
    report_name: report.report_name,
    content_scheme: scheme,
    content_scheme_fields:
      scheme === 'h3_text_blocks' ? ['h3', 'text'] : (report.content_scheme_fields ?? null),
    links: {
      project_website: project.domain,
      report_web: report.web_link,
      report_pdf: report.pdf_link,
    },
    project_id: project.id,
    project_domain: project.domain,
    project_status: project.status,
    is_generated: report.status === 'completed',
    generation_status: report.status,
    ...peopleOf(report, shown),
    date_to_create_texts: report.date_to_create_texts,
    date_to_send_to_client: report.date_to_send_to_client,
    summary: {
      keyword_count: keywords.length,
      keywords_with_content: entries.filter((entry) => entry.has_content).length,
    },
    keywords: entries,
  }
}

/** 2.7(3): an h3, a newline, a p. */
function toHtml({ h3, text }: { h3: string; text: string }): { h3_and_text: string } {
  return { h3_and_text: `<h3>${escapeText(h3)}</h3>\n<p>${escapeText(text)}</p>` }
}

function escapeText(text: string): string {
  const ampersands = text.split('&').join('&amp;')
  const brackets = ampersands.split('<').join('&lt;').split('>').join('&gt;')
  return brackets.split('"').join('&quot;')
}
