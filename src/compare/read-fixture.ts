import type { z } from 'zod'
import { HOUR_MS, toDateTime } from '../contract/time.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { ProjectFixture, NESTED } from '../contract/project.ts'
import {
  AgencyRecord,
  CountryRecord,
  LanguageRecord,
  UserRecord,
} from '../contract/reference-data.ts'
import { H3_TEXT_BLOCKS } from '../contract/report-facts.ts'
import { H3TextBlock } from '../contract/report.ts'
import { TokenRecord } from '../contract/token.ts'
import type { OperationId } from '../contract/routes.ts'
import { route } from '../engine/router.ts'
import type { FixtureInput } from '../fixtures/fixture.ts'
import { fieldOf, itemsOf } from './question.ts'
import type { ServiceAnswer, Answers } from './question.ts'
import { idsIn, isId, listAt } from './reading.ts'

/** The bearer value of the token in a fixture that was read. */
export const READ_TOKEN = 'compared'

/** Text in place of one that was not read. */
const LEFT_OUT: Fields[] = [{ h3: 'Text', text: 'This text was not read.' }]

type Fields = Record<string, unknown>

/** What a fixture states that no answer shows. */
type AssumedField = 'created_at' | 'action_type' | 'level' | 'active' | 'agency.id' | 'content'

export interface ReadFixture {
  fixture: FixtureInput
  assumed: { field: AssumedField; count: number }[]
  /** Fields that the specification does not have, or not like that: why no fixture can be written. */
  unknown: { path: string; place: string }[]
}

/** Reads a fixture from the answers. `irregular` are the ids of reports that `latest` passes over, whose action type is another. */
export function toReadFixture(answers: Answers, irregular: ReadonlySet<number>): ReadFixture {
  return new Reading(answers, irregular).read()
}

/** What a body of the usual form says, without what the specification does not have. */
interface Body {
  operation: OperationId
  /** The ids in its path. */
  params: number[]
  data: unknown
}

type ReportFields = Fields & { id: number; report_number: number }

/** A project as it is read. */
interface ReadProject {
  fields: Fields
  keywords: Map<number, Fields>
  reports: Map<number, ReportFields>
  /** Contents by report number. */
  contents: Map<number, Fields>
  /** The row of `latest`, and when it was created. */
  latest?: { id: number; created_at: string }
  /** The row of `last-generated`; undefined where there is none. */
  lastGenerated?: number
}

class Reading {
  readonly #answers: Answers
  readonly #irregular: ReadonlySet<number>
  readonly #agencies = new Map<number, Fields>()
  readonly #users = new Map<number, Fields>()
  readonly #countries = new Map<number, Fields>()
  readonly #languages = new Map<number, Fields>()
  readonly #projects = new Map<number, ReadProject>()
  /** Reports that `latest` has selected, which are regular and of the project. */
  readonly #selected = new Set<number>()
  /** The identity of the token. */
  #me: unknown
  /** True if lists leave reports out, and so show only those of the project. */
  #leavesOut = false
  readonly #assumed = new Map<AssumedField, number>()
  readonly #unknown: ReadFixture['unknown'] = []

  constructor(answers: Answers, irregular: ReadonlySet<number>) {
    this.#answers = answers
    this.#irregular = irregular
  }

  read(): ReadFixture {
    const { all } = this.#answers
    const bodies = all.flatMap((answer) => this.#readable(answer))
    // Later answers replace what earlier ones said.
    for (const body of bodies) this.#note(body)
    this.#leavesOut = [...this.#projects].some(
      ([id, project]) => this.#unlistedOf(id, project).length > 0,
    )
    const projects = [...this.#projects].map(([id, project]) => this.#project(id, project))
    const now = all.at(-1)?.at
    const fixture = {
      version: 1 as const,
      ...(now !== undefined && { now }),
      agencies: valid(AgencyRecord, [...this.#agencies.values()]),
      countries: valid(CountryRecord, this.#listedCountries()),
      languages: valid(LanguageRecord, [...this.#languages.values()]),
      users: valid(UserRecord, [...this.#users.values()]),
      tokens: valid(TokenRecord, [this.#token()]),
      projects: valid(ProjectFixture, projects),
    }
    const assumed = [...this.#assumed].map(([field, count]) => ({ field, count }))
    return { fixture: fixture as FixtureInput, assumed, unknown: this.#unknown }
  }

  #readable(answer: ServiceAnswer): Body[] {
    const { question, status } = answer
    const found = route(question.path.split('?')[0] ?? '')
    const isUsual = question.authorization === undefined && question.acceptsJson === undefined
    if (status !== 200 || !found || !isUsual) return []
    const { operation } = found
    const body = structuredClone(this.#answers.parse(answer))
    const { error } = OPERATIONS[operation].response.safeParse(body)
    for (const issue of error?.issues ?? []) {
      const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined]
      for (const key of keys) {
        const place = [...issue.path, ...(key === undefined ? [] : [key])]
        // Those of a list that is paginated.
        if (place.length === 1 && (key === 'meta' || key === 'links')) continue
        this.#unknown.push({ path: question.path, place: `/${place.join('/')}` })
        drop(body, place)
      }
    }
    const data = operation === 'getMe' ? body : fieldOf(body, 'data')
    return [{ operation, params: found.params.map(Number), data }]
  }

  #note({ operation, params: [id = 0, number = 0], data }: Body): void {
    const items = itemsOf({ data }) as Fields[]
    switch (operation) {
      case 'listCountries':
      case 'getCountry':
        return [data, ...items].forEach((label) => noteLabel(this.#countries, label))
      case 'listLanguages':
      case 'getLanguage':
        return [data, ...items].forEach((label) => noteLabel(this.#languages, label))
      case 'listUsers':
      case 'getUser':
        return [data, ...items].forEach((user) => void this.#user(user))
      case 'listProjects':
        return items.forEach((item) => this.#noteProject(item))
      case 'getProject':
        return this.#noteProject(data as Fields)
      case 'listReports':
        return items.forEach((item) => this.#noteReport(id, item))
      case 'getLatestReport':
        this.#selected.add(Number(fieldOf(data, 'id')))
        return this.#noteReport(id, data as Fields)
      case 'getLastGeneratedReport':
        this.#of(id).lastGenerated = Number(fieldOf(data, 'id'))
        return this.#noteReport(id, data as Fields)
      case 'listKeywords':
        return items.forEach((item) => this.#noteKeyword(id, item))
      case 'getReportContent':
        return this.#noteContent(id, number, data as Fields)
      case 'getMe':
        this.#me = data
        return undefined
    }
  }

  #of(id: number): ReadProject {
    const project = this.#projects.get(id) ?? {
      fields: {},
      keywords: new Map<number, Fields>(),
      reports: new Map<number, ReportFields>(),
      contents: new Map<number, Fields>(),
    }
    this.#projects.set(id, project)
    return project
  }

  #noteProject(read: Fields): void {
    if (!isId(read['id'])) return
    const project = this.#of(read['id'])
    const { latest_report_id: latest, latest_report_generated_at: created_at } = read
    if (isId(latest) && typeof created_at === 'string') project.latest = { id: latest, created_at }
    else delete project.latest
    Object.assign(project.fields, read)
    noteLabel(this.#countries, read['country'])
    noteLabel(this.#languages, read['text_language'])
    noteLabel(this.#languages, read['report_language'])
  }

  #noteKeyword(project: number, read: Fields): void {
    if (isId(read['id'])) this.#of(project).keywords.set(read['id'], read)
  }

  #noteReport(project: number, read: Fields): void {
    const { id, report_number, approved_by, managed_by } = read
    if (!isId(id) || !isId(report_number)) return
    const { project_id: _, ...fields } = read
    this.#of(project).reports.set(id, {
      ...this.#of(project).reports.get(id),
      ...fields,
      id,
      report_number,
      approved_by: this.#user(approved_by),
      managed_by: this.#user(managed_by),
    })
  }

  #noteContent(project: number, number: number, read: Fields): void {
    const { contents, reports } = this.#of(project)
    contents.set(number, read)
    const { report_id: id } = read
    if (!isId(id)) return
    reports.set(id, {
      ...(reports.get(id) ?? linksOf(read)),
      ...fieldsOfContent(read),
      approved_by: this.#user(read['approved_by']),
      managed_by: this.#user(read['managed_by']),
      id,
      report_number: number,
    })
  }

  /** Adds a user. Returns its id, or null. */
  #user(read: unknown): number | null {
    const id = fieldOf(read, 'id')
    if (!isId(id)) return null
    const agency = fieldOf(read, 'agency')
    const agencyId = fieldOf(agency, 'id')
    if (isId(agencyId)) this.#agency(agencyId, { name: fieldOf(agency, 'name') })
    const [name, role] = [fieldOf(read, 'name'), fieldOf(read, 'role') ?? null]
    this.#users.set(id, { id, name, role, agency: isId(agencyId) ? agencyId : null })
    return id
  }

  #agency(id: number, fields: Fields): number {
    this.#agencies.set(id, { ...this.#agencies.get(id), id, ...fields })
    return id
  }

  /** The id of the agency that a project names; a super-admin's projects may be of agencies whose ids no answer shows. */
  #agencyOf({ agency: name, cc_email }: Fields): number {
    const own = fieldOf(this.#me, 'agency_id')
    const named = [...this.#agencies.values()].find((agency) => agency['name'] === name)
    const known = isId(own) ? own : named?.['id']
    if (!isId(known)) this.#assume('agency.id')
    const id = isId(known) ? known : ASSUMED_AGENCY + this.#agencies.size
    return this.#agency(id, {
      ...(name !== undefined && { name: name ?? 'Agency' }),
      ...(cc_email !== undefined && { report_cc_email: cc_email }),
    })
  }

  #listedCountries(): Fields[] {
    const listed = new Set(idsIn(listAt('/countries', this.#answers)))
    return [...this.#countries.values()].map((country) =>
      listed.has(Number(country['id'])) ? country : { ...country, applicable: false },
    )
  }

  #token(): Fields {
    const me = this.#me
    const answer = this.#answers.all.find(({ question }) => question.path.endsWith('/me'))
    const limit = answer?.headers['x-ratelimit-limit']
    const agency = fieldOf(me, 'agency_id')
    if (isId(agency) && !this.#agencies.has(agency)) this.#agency(agency, { name: 'Agency' })
    return {
      id: fieldOf(me, 'id') ?? 1,
      name: fieldOf(me, 'name') ?? READ_TOKEN,
      token: READ_TOKEN,
      agency: agency ?? null,
      status: fieldOf(me, 'status') ?? 'active',
      abilities: fieldOf(me, 'abilities') ?? ['*'],
      rate_limit: isLimit(limit) ? { per_minute: Number(limit) } : 'unlimited',
    }
  }

  #project(id: number, project: ReadProject): Fields {
    const { fields, keywords, contents } = project
    const active = [...contents.values()].map(keywordIdsOf).at(-1)
    if (!active) this.#assume('active', keywords.size)
    const websites = [...contents.values()].map((content) =>
      fieldOf(fieldOf(content, 'links'), 'project_website'),
    )
    const labelId = (name: string) => fieldOf(fields[name], 'id') ?? null
    const { name, status, company_name, contact_email, client_emails, plan, gsc_status } = fields
    return {
      id,
      agency: this.#agencyOf(fields),
      name,
      status,
      created_at: fields['created_at'] ?? this.#assumeCreation(),
      company_name,
      // Where the project shows the host alone, its contents show the whole address.
      domain:
        websites.find((website) => typeof website === 'string' && website !== '') ??
        fields['domain'],
      country: labelId('country'),
      text_language: labelId('text_language'),
      report_language: labelId('report_language'),
      managing_user: this.#user(fields['managing_user']),
      created_by: this.#user(fields['created_by']),
      contact_email,
      client_emails,
      receives_monthly_reports: fields['receives_monthly_reports'],
      plan,
      gsc_status,
      keywords: valid(
        NESTED.keywords,
        [...keywords].map(([keyword, read]) => ({
          id: keyword,
          keyword: read['keyword'],
          create_date: read['create_date'],
          url: read['url'],
          latest_position: read['latest_position'],
          status_200: read['status_200'],
          ...(active?.has(keyword) === false && { active: false }),
        })),
      ),
      reports: valid(NESTED.reports, this.#reportsOf(id, project)),
    }
  }

  #assumeCreation(): string {
    this.#assume('created_at')
    return this.#answers.all[0]?.at ?? '2026-01-01'
  }

  #reportsOf(id: number, project: ReadProject): Fields[] {
    const { reports } = project
    const path = `/projects/${id}/reports`
    const listed = idsIn(listAt(path, this.#answers))
    // A list that leaves reports out shows those of the project alone.
    const unlisted = this.#unlistedOf(id, project)
    const creations = this.#creationsOf(project, [...listed, ...unlisted])
    const below = new Set([...this.#belowProject(project, listed), ...unlisted])
    this.#assume('level', reports.size)
    this.#assume('action_type', reports.size)
    const schemes = new SchemesWithoutContent(this.#projects.values())
    return [...reports.values()].map((report) => ({
      ...report,
      created_at: creations.get(report.id) ?? this.#assumeCreation(),
      ...(below.has(report.id) && { level: BELOW_PROJECT }),
      ...(this.#irregular.has(report.id) && { action_type: OTHER_TYPE }),
      ...this.#contentOf(report.report_number, project, schemes),
    }))
  }

  /** Reports that the list leaves out. */
  #unlistedOf(id: number, { reports }: ReadProject): number[] {
    const path = `/projects/${id}/reports`
    if (this.#answers.bodyOf(path) === undefined) return []
    const listed = idsIn(listAt(path, this.#answers))
    return [...reports.keys()].filter((report) => !listed.includes(report))
  }

  /**
   * Completed reports above the one of `last-generated`, which are not of the project unless `latest` says so, or lists leave such
   * reports out.
   */
  #belowProject({ reports, lastGenerated }: ReadProject, listed: readonly number[]): Set<number> {
    if (this.#leavesOut) return new Set()
    const end = lastGenerated === undefined ? listed.length : listed.indexOf(lastGenerated)
    const above = listed.slice(0, Math.max(0, end))
    return new Set(
      above.filter((id) => reports.get(id)?.['status'] === 'completed' && !this.#selected.has(id)),
    )
  }

  /** When the reports of a project were created: in the order of the list, around the one time that is known. */
  #creationsOf(
    { reports, latest, lastGenerated, fields }: ReadProject,
    listed: readonly number[],
  ): Map<number, string> {
    const known = latest && listed.includes(latest.id) ? latest : undefined
    const place = known ? listed.indexOf(known.id) : listed.length
    const startMs = Date.parse(
      known?.created_at ?? (fields['created_at'] as string | undefined) ?? '',
    )
    const originMs = Number.isNaN(startMs) ? 0 : startMs
    const msOf = (index: number) => originMs + (place - index) * HOUR_MS
    const creations = new Map(listed.map((id, index) => [id, toDateTime(msOf(index))]))
    if (known) creations.set(known.id, known.created_at)
    this.#assume('created_at', reports.size - (known ? 1 : 0))
    // The last completed one was created after those of the project above it, so the list is in another order.
    const above = listed.slice(0, listed.indexOf(lastGenerated ?? 0))
    const isPassedOver = above.some(
      (id) =>
        (this.#selected.has(id) || this.#leavesOut) && reports.get(id)?.['status'] === 'completed',
    )
    if (lastGenerated === undefined || !isPassedOver) return creations
    if (lastGenerated !== known?.id) creations.set(lastGenerated, toDateTime(msOf(-1)))
    else
      for (const [index, id] of above.entries())
        creations.set(id, toDateTime(originMs - (index + 1) * HOUR_MS))
    return creations
  }

  /** The content of a report, and its scheme. */
  #contentOf(
    number: number,
    { contents, keywords }: ReadProject,
    schemes: SchemesWithoutContent,
  ): Fields {
    const read = contents.get(number)
    const scheme = read?.['content_scheme']
    const entries = read ? entriesOf(read) : []
    const shown = entries.filter((entry) => entry['has_content'] === true)
    const content = Object.fromEntries(
      shown.map((entry) => [Number(entry['keyword_id']), toContent(entry, scheme)]),
    )
    for (const [keyword, fields] of keywords) {
      const numbers = fields['content_action_ids']
      if (scheme === null || !Array.isArray(numbers) || !numbers.includes(number)) continue
      if (entries.some((entry) => entry['keyword_id'] === keyword)) continue
      const isPlain = scheme === undefined || scheme === H3_TEXT_BLOCKS
      content[keyword] = isPlain ? LEFT_OUT : { content: LEFT_OUT, html: LEFT_OUT }
      this.#assume('content')
    }
    const isEmpty = Object.keys(content).length === 0
    const isStated = isEmpty
      ? read !== undefined && schemes.areStated
      : scheme !== undefined && scheme !== H3_TEXT_BLOCKS
    return {
      ...(!isEmpty && { content }),
      ...(isStated && {
        content_scheme: scheme,
        content_scheme_fields: read?.['content_scheme_fields'],
      }),
    }
  }

  #assume(field: AssumedField, count = 1): void {
    if (count > 0) this.#assumed.set(field, (this.#assumed.get(field) ?? 0) + count)
  }
}

/** Ids of agencies that no answer shows begin here. */
const ASSUMED_AGENCY = 900_001

/** The level of a report that is not of the project, and the type of one that is not regular; their names are not known. */
const BELOW_PROJECT = 'keyword'
const OTHER_TYPE = 'other'

/** The schemes of reports without content: stated by each report where they differ, and otherwise left to policy. */
class SchemesWithoutContent {
  readonly areStated: boolean
  constructor(projects: Iterable<ReadProject>) {
    const schemes = [...projects].flatMap(({ contents }) =>
      [...contents.values()]
        .filter((content) => entriesOf(content).every((entry) => entry['has_content'] !== true))
        .map((content) => content['content_scheme']),
    )
    const isOther = schemes.some((scheme) => scheme !== null && scheme !== H3_TEXT_BLOCKS)
    this.areStated = isOther || new Set(schemes).size > 1
  }
}

function noteLabel(labels: Map<number, Fields>, read: unknown): void {
  const id = fieldOf(read, 'id')
  if (isId(id)) labels.set(id, { id, label: fieldOf(read, 'label') })
}

function entriesOf(content: Fields): Fields[] {
  const { keywords } = content
  return Array.isArray(keywords) ? (keywords as Fields[]) : []
}

function keywordIdsOf(content: Fields): Set<number> {
  return new Set(entriesOf(content).map((entry) => Number(entry['keyword_id'])))
}

/** The fields that a content shares with its report. */
function fieldsOfContent(content: Fields): Fields {
  const { report_name, generation_status: status, approved_status, managed_status } = content
  const { date_to_create_texts, date_to_send_to_client } = content
  return {
    report_name,
    status,
    approved_status,
    managed_status,
    date_to_create_texts,
    date_to_send_to_client,
  }
}

function linksOf(content: Fields): Fields {
  const { links } = content
  return {
    web_link: fieldOf(links, 'report_web') || null,
    pdf_link: fieldOf(links, 'report_pdf') || null,
  }
}

function toContent({ content, html }: Fields, scheme: unknown): unknown {
  const isPlain = scheme === H3_TEXT_BLOCKS && H3TextBlock.array().safeParse(content).success
  return isPlain ? content : { content, html }
}

function isLimit(text: string | undefined): boolean {
  return /^[1-9]\d{0,8}$/.test(text ?? '')
}

/** Those records that the format of fixtures accepts, by ascending id. */
function valid(schema: z.ZodType, records: readonly Fields[]): Fields[] {
  const defined = records.map((record) =>
    Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)),
  )
  return defined
    .filter((record) => schema.safeParse(record).success)
    .toSorted((one, other) => Number(one['id']) - Number(other['id']))
}

/** Removes what is at a place. */
function drop(body: unknown, place: readonly PropertyKey[]): void {
  const parent = place.slice(0, -1).reduce((tree: unknown, key) => {
    return typeof tree === 'object' && tree !== null
      ? (tree as Record<PropertyKey, unknown>)[key]
      : undefined
  }, body)
  const key = place.at(-1)
  if (typeof parent === 'object' && parent !== null && key !== undefined) {
    delete (parent as Record<PropertyKey, unknown>)[key]
  }
}
