import { OPERATIONS } from '../contract/operations.ts'
import type { OperationId } from '../contract/routes.ts'
import { fieldOf, itemsOf, askedRoute, toJsonValue } from './question.ts'
import type { Answers, ServiceAnswer } from './question.ts'
import { isId } from '../records/integrity.ts'

/** Fields of a record, unchecked. */
export type Fields = Record<string, unknown>

/** The body of a successful response, without fields that the specification lacks or defines differently. */
interface Body {
  operation: OperationId
  /** Numbers in the path, in order, such as the id of a project. */
  params: number[]
  data: unknown
}

type ReportFields = Fields & { id: number; report_number: number }

export interface ProjectRecords {
  fields: Fields
  keywords: Map<number, Fields>
  reports: Map<number, ReportFields>
  /** Contents by report number. */
  contents: Map<number, Fields>
  /** Id and creation time of the latest report, as the project states them; omitted if there is none. */
  latest?: { id: number; created_at: string }
  /** Id of the report in `last-generated`; omitted if there is none. */
  lastGenerated?: number
}

/** Records collected from the answers. Later answers replace the fields of earlier ones. */
export class ReadRecords {
  readonly agencies = new Map<number, Fields>()
  readonly users = new Map<number, Fields>()
  readonly countries = new Map<number, Fields>()
  readonly languages = new Map<number, Fields>()
  readonly projects = new Map<number, ProjectRecords>()
  /** Ids of the reports that `latest` has selected, which are therefore regular and of the project level. */
  readonly selected = new Set<number>()
  /** Body of GET /me; undefined if it was not read. */
  me: unknown
  /** Locations of fields that the specification lacks or defines differently. */
  readonly unknown: { path: string; place: string }[] = []

  constructor(answers: Answers) {
    for (const answer of answers.all) {
      const body = this.#readable(answer)
      if (body) this.#note(body)
    }
  }

  /**
   * Returns the body of a 200 to a request with the usual headers; undefined for any other answer. Drops fields that the
   * specification lacks or defines differently, and adds their locations to `unknown`.
   */
  #readable(answer: ServiceAnswer): Body | undefined {
    const { question, status } = answer
    const found = askedRoute(question)
    const isUsual = question.authorization === undefined && question.acceptsJson === undefined
    if (status !== 200 || !found || !isUsual) return undefined
    const { operation } = found
    const body = toJsonValue(answer.body)
    const { error } = OPERATIONS[operation].response.safeParse(body)
    for (const issue of error?.issues ?? []) {
      const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined]
      for (const key of keys) {
        const place = [...issue.path, ...(key === undefined ? [] : [key])]
        // Pages add `meta` and `links` to a list.
        if (place.length === 1 && (key === 'meta' || key === 'links')) continue
        this.unknown.push({ path: question.path, place: `/${place.join('/')}` })
        drop(body, place)
      }
    }
    const data = operation === 'getMe' ? body : fieldOf(body, 'data')
    return { operation, params: found.params.map(Number), data }
  }

  #note({ operation, params: [id = 0, number = 0], data }: Body): void {
    const items = itemsOf({ data }) as Fields[]
    switch (operation) {
      case 'listCountries':
      case 'getCountry':
        return [data, ...items].forEach((label) => noteLabel(this.countries, label))
      case 'listLanguages':
      case 'getLanguage':
        return [data, ...items].forEach((label) => noteLabel(this.languages, label))
      case 'listUsers':
      case 'getUser':
        return [data, ...items].forEach((user) => void this.addUser(user))
      case 'listProjects':
        return items.forEach((item) => this.#noteProject(item))
      case 'getProject':
        return this.#noteProject(data as Fields)
      case 'listReports':
        return items.forEach((item) => this.#noteReport(id, item))
      case 'getLatestReport':
        this.selected.add(Number(fieldOf(data, 'id')))
        return this.#noteReport(id, data as Fields)
      case 'getLastGeneratedReport':
        this.#of(id).lastGenerated = Number(fieldOf(data, 'id'))
        return this.#noteReport(id, data as Fields)
      case 'listKeywords':
        return items.forEach((item) => this.#noteKeyword(id, item))
      case 'getReportContent':
        return this.#noteContent(id, number, data as Fields)
      case 'getMe':
        this.me = data
        return undefined
    }
  }

  #of(id: number): ProjectRecords {
    const project = this.projects.get(id) ?? {
      fields: {},
      keywords: new Map<number, Fields>(),
      reports: new Map<number, ReportFields>(),
      contents: new Map<number, Fields>(),
    }
    this.projects.set(id, project)
    return project
  }

  #noteProject(read: Fields): void {
    if (!isId(read['id'])) return
    const project = this.#of(read['id'])
    const { latest_report_id: latest, latest_report_generated_at: created_at } = read
    if (isId(latest) && typeof created_at === 'string') project.latest = { id: latest, created_at }
    else delete project.latest
    Object.assign(project.fields, read)
    noteLabel(this.countries, read['country'])
    noteLabel(this.languages, read['text_language'])
    noteLabel(this.languages, read['report_language'])
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
      approved_by: this.addUser(approved_by),
      managed_by: this.addUser(managed_by),
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
      approved_by: this.addUser(read['approved_by']),
      managed_by: this.addUser(read['managed_by']),
      id,
      report_number: number,
    })
  }

  /** Adds a user. Returns its id; null if the value is not a user. */
  addUser(read: unknown): number | null {
    const id = fieldOf(read, 'id')
    if (!isId(id)) return null
    const agency = fieldOf(read, 'agency')
    const agencyId = fieldOf(agency, 'id')
    if (isId(agencyId)) this.addAgency(agencyId, { name: fieldOf(agency, 'name') })
    const [name, role] = [fieldOf(read, 'name'), fieldOf(read, 'role') ?? null]
    this.users.set(id, { id, name, role, agency: isId(agencyId) ? agencyId : null })
    return id
  }

  addAgency(id: number, fields: Fields): number {
    this.agencies.set(id, { ...this.agencies.get(id), id, ...fields })
    return id
  }
}

function noteLabel(labels: Map<number, Fields>, read: unknown): void {
  const id = fieldOf(read, 'id')
  if (isId(id)) labels.set(id, { id, label: fieldOf(read, 'label') })
}

/** Returns the fields of a report that its content repeats. */
function fieldsOfContent({ generation_status: status, ...content }: Fields): Fields {
  const { report_name, approved_status, managed_status } = content
  const { date_to_create_texts, date_to_send_to_client } = content
  const dates = { date_to_create_texts, date_to_send_to_client }
  return { report_name, status, approved_status, managed_status, ...dates }
}

function linksOf(content: Fields): Fields {
  const { links } = content
  return {
    web_link: fieldOf(links, 'report_web') || null,
    pdf_link: fieldOf(links, 'report_pdf') || null,
  }
}

function drop(body: unknown, place: readonly PropertyKey[]): void {
  const parents = [...place]
  const key = parents.pop()
  let parent = body as Fields | undefined
  for (const one of parents) parent = parent?.[String(one)] as Fields | undefined
  if (parent && key !== undefined) delete parent[String(key)]
}
