import type { z } from 'zod'
import { HOUR_MS, toDateTime } from '../contract/time.ts'
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
import type { FixtureInput } from '../fixtures/fixture.ts'
import { formatFixture } from '../fixtures/format-fixture.ts'
import { fieldOf, limitIn } from './question.ts'
import type { Answers } from './question.ts'
import { isId } from '../records/integrity.ts'
import { idsIn, listAt } from './reading.ts'
import { ReadRecords } from './read-records.ts'
import type { Fields, ProjectRecords } from './read-records.ts'

/** Bearer value of the token in a fixture read from the service. */
export const READ_TOKEN = 'compared'

const UNREAD_TEXT: Fields[] = [{ h3: 'Text', text: 'This text was not read.' }]

/** A field that a fixture states although no answer shows it. */
type AssumedField = 'created_at' | 'action_type' | 'level' | 'active' | 'agency.id' | 'content'

export interface ReadFixture {
  fixture: FixtureInput
  assumed: { field: AssumedField; count: number }[]
  /**
   * Locations of fields that the specification lacks or defines differently, and of records that a fixture cannot contain. If
   * there are any, no fixture is written.
   */
  unknown: { path: string; place: string }[]
}

interface FormatOptions {
  /** True if names and texts are the service's; false if they were replaced. */
  isRaw: boolean
  service: string
  policies: Readonly<Record<string, string>>
}

/**
 * Creates a fixture from the answers.
 *
 * @param irregular ids of reports that the service's `latest` skips; they receive a placeholder `action_type`
 */
export function toReadFixture(answers: Answers, irregular: ReadonlySet<number>): ReadFixture {
  return new FixtureBuilder(answers, irregular).build()
}

class FixtureBuilder {
  readonly #answers: Answers
  readonly #irregular: ReadonlySet<number>
  readonly #records: ReadRecords
  /** True if the service's lists omit reports, and therefore contain only reports of the project level. */
  readonly #omitsLevels: boolean
  readonly #assumed = new Map<AssumedField, number>()

  constructor(answers: Answers, irregular: ReadonlySet<number>) {
    this.#answers = answers
    this.#irregular = irregular
    this.#records = new ReadRecords(answers)
    this.#omitsLevels = [...this.#records.projects].some(
      ([id, project]) => this.#unlistedOf(id, project).length > 0,
    )
  }

  build(): ReadFixture {
    const { agencies, users, languages, unknown } = this.#records
    // `agencies` and `users` are read only after this, because projects and the token add to them.
    const projects = [...this.#records.projects].map(([id, one]) => this.#project(id, one))
    const token = this.#token()
    const now = this.#answers.all.at(-1)?.at
    const fixture = {
      version: 1 as const,
      ...(now !== undefined && { now }),
      agencies: valid(AgencyRecord, [...agencies.values()]),
      countries: valid(CountryRecord, this.#listedCountries()),
      languages: valid(LanguageRecord, [...languages.values()]),
      users: valid(UserRecord, [...users.values()]),
      tokens: valid(TokenRecord, [token]),
      projects: valid(ProjectFixture, projects),
    }
    const assumed = [...this.#assumed].map(([field, count]) => ({ field, count }))
    return { fixture: fixture as FixtureInput, assumed, unknown }
  }

  /**
   * Adds a project's agency to the records, and returns its id. The id is assumed if no answer shows it, as may happen with the
   * token of a super-admin.
   */
  #agencyOf({ agency: name, cc_email }: Fields): number {
    const own = fieldOf(this.#records.me, 'agency_id')
    const named = [...this.#records.agencies.values()].find((agency) => agency['name'] === name)
    const known = isId(own) ? own : named?.['id']
    if (!isId(known)) this.#assume('agency.id')
    const id = isId(known) ? known : ASSUMED_AGENCY + this.#records.agencies.size
    return this.#records.addAgency(id, {
      ...(name !== undefined && { name: name ?? 'Agency' }),
      ...(cc_email !== undefined && { report_cc_email: cc_email }),
    })
  }

  #listedCountries(): Fields[] {
    const listed = new Set(idsIn(listAt('/countries', this.#answers)))
    return [...this.#records.countries.values()].map((country) =>
      listed.has(Number(country['id'])) ? country : { ...country, applicable: false },
    )
  }

  #token(): Fields {
    const me = this.#records.me
    const answer = this.#answers.all.find(
      ({ question: { path, role } }) => role === 'read' && path.endsWith('/me'),
    )
    const limit = answer && limitIn(answer)
    const agency = fieldOf(me, 'agency_id')
    if (isId(agency) && !this.#records.agencies.has(agency))
      this.#records.addAgency(agency, { name: 'Agency' })
    return {
      id: fieldOf(me, 'id') ?? 1,
      name: fieldOf(me, 'name') ?? READ_TOKEN,
      token: READ_TOKEN,
      agency: agency ?? null,
      status: fieldOf(me, 'status') ?? 'active',
      abilities: fieldOf(me, 'abilities') ?? ['*'],
      rate_limit: limit === undefined ? 'unlimited' : { per_minute: limit },
    }
  }

  #project(id: number, project: ProjectRecords): Fields {
    const { fields, keywords, contents } = project
    const active = [...contents.values()].map(keywordIdsOf).at(-1)
    if (!active) this.#assume('active', keywords.size)
    if (fields['created_at'] === undefined) this.#assume('created_at')
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
      created_at: fields['created_at'] ?? this.#answers.all[0]?.at,
      company_name,
      // The `domain` of a project may be only a host, but its report contents have the full URL.
      domain:
        websites.find((website) => typeof website === 'string' && website !== '') ??
        fields['domain'],
      country: labelId('country'),
      text_language: labelId('text_language'),
      report_language: labelId('report_language'),
      managing_user: this.#records.addUser(fields['managing_user']),
      created_by: this.#records.addUser(fields['created_by']),
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

  #reportsOf(id: number, project: ProjectRecords): Fields[] {
    const { reports } = project
    const path = `/projects/${id}/reports`
    const listed = idsIn(listAt(path, this.#answers))
    const unlisted = this.#unlistedOf(id, project)
    const creations = this.#creationsOf(project, [...new Set([...listed, ...reports.keys()])])
    const below = new Set([...this.#belowProject(project, listed), ...unlisted])
    this.#assume('level', reports.size)
    this.#assume('action_type', reports.size)
    return [...reports.values()].map((report) => ({
      ...report,
      created_at: creations.get(report.id),
      ...(below.has(report.id) && { level: BELOW_PROJECT }),
      ...(this.#irregular.has(report.id) && { action_type: OTHER_TYPE }),
      ...this.#contentOf(report.report_number, project),
    }))
  }

  /** Returns the ids of reports that the project's list omits; empty if the list was not read. */
  #unlistedOf(id: number, { reports }: ProjectRecords): number[] {
    const path = `/projects/${id}/reports`
    if (this.#answers.bodyOf(path) === undefined) return []
    const listed = idsIn(listAt(path, this.#answers))
    return [...reports.keys()].filter((report) => !listed.includes(report))
  }

  /**
   * Returns the ids of listed reports that must be below project level, because they are completed and `last-generated` skips
   * them. Leaves out reports that `latest` has selected. Empty if lists omit reports of other levels.
   */
  #belowProject(
    { reports, lastGenerated }: ProjectRecords,
    listed: readonly number[],
  ): Set<number> {
    if (this.#omitsLevels) return new Set()
    const end = lastGenerated === undefined ? listed.length : listed.indexOf(lastGenerated)
    const above = listed.slice(0, Math.max(0, end))
    return new Set(
      above.filter(
        (id) => reports.get(id)?.['status'] === 'completed' && !this.#records.selected.has(id),
      ),
    )
  }

  /**
   * Returns creation times of a project's reports, by id. At most one is known, that of the latest report. The others are
   * assumed: an hour apart, in the order of the list.
   */
  #creationsOf(
    { reports, latest, lastGenerated, fields }: ProjectRecords,
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
    // If `last-generated` skips completed reports that are listed above its own, the list is not in the order of creation.
    const above = listed.slice(0, listed.indexOf(lastGenerated ?? 0))
    const hasSkipped = above.some(
      (id) =>
        (this.#records.selected.has(id) || this.#omitsLevels) &&
        reports.get(id)?.['status'] === 'completed',
    )
    if (lastGenerated === undefined || !hasSkipped) return creations
    if (lastGenerated !== known?.id) creations.set(lastGenerated, toDateTime(msOf(-1)))
    else
      for (const [index, id] of above.entries())
        creations.set(id, toDateTime(originMs - (index + 1) * HOUR_MS))
    return creations
  }

  /** Returns the content of a report, with its scheme unless that follows from the content. */
  #contentOf(number: number, { contents, keywords }: ProjectRecords): Fields {
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
      content[keyword] = isPlain ? UNREAD_TEXT : { content: UNREAD_TEXT, html: UNREAD_TEXT }
      this.#assume('content')
    }
    const isEmpty = Object.keys(content).length === 0
    const isStated = scheme !== undefined && (isEmpty || scheme !== H3_TEXT_BLOCKS)
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

/** Lowest id for agencies whose id no answer shows. */
const ASSUMED_AGENCY = 900_001

/** Placeholder `level` of reports below project level; the service's name for it is unknown. */
const BELOW_PROJECT = 'keyword'
/** Placeholder `action_type` of irregular reports; the service's name for it is unknown. */
const OTHER_TYPE = 'other'

function entriesOf(content: Fields): Fields[] {
  const { keywords } = content
  return Array.isArray(keywords) ? (keywords as Fields[]) : []
}

function keywordIdsOf(content: Fields): Set<number> {
  return new Set(entriesOf(content).map((entry) => Number(entry['keyword_id'])))
}

function toContent({ content, html }: Fields, scheme: unknown): unknown {
  const isPlain = scheme === H3_TEXT_BLOCKS && H3TextBlock.array().safeParse(content).success
  return isPlain ? content : { content, html }
}

/** Returns the records that match `schema`, without their undefined fields, sorted by id. */
function valid(schema: z.ZodType, records: readonly Fields[]): Fields[] {
  const defined = records.map((record) =>
    Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)),
  )
  return defined
    .filter((record) => schema.safeParse(record).success)
    .toSorted((one, other) => Number(one['id']) - Number(other['id']))
}

/**
 * Formats a fixture that was read from a service. Returns YAML whose first lines name the service and count the assumed fields.
 */
export function formatReadFixture(
  { fixture, assumed }: Pick<ReadFixture, 'fixture' | 'assumed'>,
  { isRaw, service, policies }: FormatOptions,
): string {
  const { projects = [], version, now, ...sections } = fixture
  const comment = [
    `Read from ${service} by seo-sandbox compare, ${isRaw ? 'with names and texts as they are' : 'with other names and texts'}.`,
    `Assumed, because no answer shows it: ${assumed.map(({ field, count }) => `${field} of ${count}`).join(', ') || 'nothing'}.`,
  ]
  const head = {
    version,
    ...(now !== undefined && { now }),
    ...(Object.keys(policies).length > 0 && { policies }),
    ...sections,
  }
  return [...formatFixture({ head, projects }, comment)].join('')
}
