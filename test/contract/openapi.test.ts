import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createOpenApi } from '../../scripts/openapi/create-openapi.ts'
import type { OpenApiExamples } from '../../scripts/openapi/create-openapi.ts'
import { COMMON_PROBLEMS } from '../../src/contract/routes.ts'
import type { OperationId } from '../../src/contract/routes.ts'
import { OPERATIONS, bodyOf } from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operations.ts'
import { PLAIN_PROBLEMS, PROBLEMS } from '../../src/contract/problems.ts'
import type { ProblemCode } from '../../src/contract/problems.ts'
import { SERVE_OPTIONS } from '../../src/cli/serve-options.ts'
import { VERSION } from '../../src/contract/version.ts'
import { createSandbox } from '../../src/index.ts'
import { createMisfitFinder } from '../support/misfits.ts'
import { openFetch } from '../support/transports.ts'
import type { Client } from '../support/transports.ts'
import { EXAMPLE_YAML } from '../support/worlds.ts'

/**
 * The OpenAPI document written by the build, against the contract and the sandbox's own responses.
 */

const IDS = Object.keys(OPERATIONS) as OperationId[]
const operationOf = (id: OperationId): Operation => OPERATIONS[id]
const problemsOf = (id: OperationId): ProblemCode[] => [
  ...operationOf(id).problems,
  ...COMMON_PROBLEMS,
]
const PROBLEM_CODES = [...new Set(IDS.flatMap(problemsOf))]

/** The document with these examples, as written to a file. */
function write(examples: OpenApiExamples): string {
  const { host, port } = SERVE_OPTIONS
  const baseUrl = `http://${host.default}:${port.default}`
  return JSON.stringify(createOpenApi({ version: VERSION, baseUrl, examples }))
}

/** The document without its examples. */
const DOCUMENT: any = JSON.parse(
  write({ responses: {}, problems: {}, htmlPage: '' } as unknown as OpenApiExamples),
)

/** The document with its examples, as written by the build. */
const FILE = fileURLToPath(new URL('../../dist/openapi.json', import.meta.url))
const readBuilt = () => readFileSync(FILE, 'utf8')

/** True if the build has written that document from this contract: a stale document fails one test, which says so. */
function isBuilt(): boolean {
  const paths = Object.keys(JSON.parse(readBuilt()).paths)
  if (paths.join() !== Object.keys(DOCUMENT.paths).join()) return false
  return readBuilt() === write(builtExamples())
}

/** An operation of a document. */
const described = (id: OperationId, document = DOCUMENT) => document.paths[OPERATIONS[id].path].get

/** The target of a reference, or the node itself if it is not a reference. */
function resolve(node: any, document = DOCUMENT): any {
  if (node.$ref === undefined) return node
  const steps: string[] = node.$ref.slice('#/'.length).split('/')
  return steps.reduce((part, step) => part[step], document)
}

/** The responses of an operation by status. */
function responsesOf(id: OperationId, document = DOCUMENT): [status: number, response: any][] {
  return Object.entries(described(id, document).responses).flatMap(([status, response]) =>
    status === 'default' ? [] : [[Number(status), resolve(response, document)]],
  )
}

/** The response of an operation for every other status. */
const otherErrorOf = (id: OperationId, document = DOCUMENT) =>
  resolve(described(id, document).responses.default, document)

const json = (response: any) => response.content['application/json']

/** The examples of a document: one for each response, every problem, and the page of a proxy. */
function readExamples(document: any) {
  const otherError = otherErrorOf('getMe', document)
  const responses = [...IDS.flatMap((id) => responsesOf(id, document)), [503, otherError] as const]
  return {
    responses: Object.fromEntries(
      IDS.map((id) => [id, json(described(id, document).responses[200]).example]),
    ),
    problems: Object.fromEntries(
      responses.flatMap(([status, response]) =>
        Object.entries<any>(json(response).examples ?? {}).map(([code, { value }]) => [
          code,
          { status, value },
        ]),
      ),
    ),
    htmlPage: otherError.content['text/html'].example,
  }
}

/** The examples of the document that the build has written, in the form of its input. */
function builtExamples(): OpenApiExamples {
  const { problems, ...others } = readExamples(JSON.parse(readBuilt()))
  const values = Object.entries(problems).map(([code, { value }]) => [code, value])
  return { ...others, problems: Object.fromEntries(values) } as OpenApiExamples
}

describe('the document', () => {
  test('dist/openapi.json is up to date with the contract; if not, run the build', () => {
    expect(isBuilt(), 'dist/openapi.json is stale: run npm run build').toBe(true)
  })

  test('has every operation of the route table, under its id, and no other', () => {
    const paths = Object.entries<any>(DOCUMENT.paths).map(([path, item]) => [
      path,
      Object.keys(item),
      item.get.operationId,
    ])
    expect(paths).toEqual(IDS.map((id) => [OPERATIONS[id].path, ['get'], id]))
  })

  test.each(IDS)('names the section, and a tag that is described, for %s', (id) => {
    const { summary, description, tags } = described(id)
    expect(summary).toBe(OPERATIONS[id].summary)
    expect(description).toContain(`Section ${OPERATIONS[id].section} of the specification.`)
    expect(DOCUMENT.tags.map(({ name }: any) => name)).toContain(tags[0])
    expect(tags).toHaveLength(1)
  })

  test('describes the API below /api/v1 at the address that the sandbox listens on', () => {
    const [{ url, variables }] = DOCUMENT.servers
    expect(url).toBe('{base_url}/api/v1')
    // No more fields: old tools refuse a document in which a variable has a description.
    expect(variables).toEqual({ base_url: { default: 'http://127.0.0.1:4010' } })
    expect(DOCUMENT.info.version).toBe('v1')
  })

  test('5(1) requires a bearer token on every operation', () => {
    const [requirement] = DOCUMENT.security
    const [[name, scopes]] = Object.entries<any>(requirement) as [[string, any]]
    expect(scopes).toEqual([])
    expect(DOCUMENT.components.securitySchemes[name]).toMatchObject({
      type: 'http',
      scheme: 'bearer',
    })
    for (const id of IDS) expect(described(id)).not.toHaveProperty('security')
  })
})

/** Parameters as `place name type`, then the bounds and the default. */
function parametersOf(id: OperationId): string[] {
  return described(id).parameters.map((parameter: any) => {
    const {
      type,
      minimum,
      exclusiveMinimum,
      maximum,
      default: standard,
    } = resolve(parameter.schema)
    expect(parameter.description).toBeTypeOf('string')
    expect(parameter.required).toBe(parameter.in === 'path')
    const least = minimum ?? (exclusiveMinimum === undefined ? '' : exclusiveMinimum + 1)
    const range = type === 'string' ? '' : ` ${least}..${maximum ?? ''}`
    return `${parameter.in} ${parameter.name} ${type}${range}${standard === undefined ? '' : ` = ${standard}`}`
  })
}

/** Values for the path parameters, valid in the example world. */
const EXAMPLE_IDS: Record<string, string> = {
  country: '45',
  language: '1',
  user: '7',
  project: '101',
  report_number: '1',
}

describe('parameters', () => {
  test.each<[OperationId, string[]]>([
    ['getMe', []],
    ['listCountries', []],
    ['getCountry', ['path country integer 1..']],
    ['listLanguages', []],
    ['getLanguage', ['path language integer 1..']],
    ['listUsers', []],
    ['getUser', ['path user integer 1..']],
    [
      'listProjects',
      [
        'query status string',
        'query search string',
        'query agency_id integer 1..',
        'query page integer 1.. = 1',
        'query per_page integer 1..100 = 100',
      ],
    ],
    ['getProject', ['path project integer 1..']],
    ['listReports', ['path project integer 1..']],
    ['getLatestReport', ['path project integer 1..']],
    ['getLastGeneratedReport', ['path project integer 1..']],
    ['getReportContent', ['path project integer 1..', 'path report_number integer 1..26']],
    ['listKeywords', ['path project integer 1..']],
  ])('4.2, 4.3 those of %s are as in the tables of the specification', (id, expected) => {
    expect(parametersOf(id)).toEqual(expected)
  })

  test.each(IDS)(
    '4.3(1) %s takes its query parameters and, if it is a list, page and per_page (G-045)',
    async (id) => {
      await using client = await openFetch({
        fixtures: EXAMPLE_YAML,
        policies: { 'unknown-parameters-elsewhere': '400' },
      })
      const path = OPERATIONS[id].path.replaceAll(/\{(\w+)\}/g, (_, name) => EXAMPLE_IDS[name]!)
      const { status, body } = await client.send({ path, query: 'x=1', token: 'operator-super' })
      const queried = described(id).parameters.filter((parameter: any) => parameter.in === 'query')
      const isWholeList = described(id).description.includes('G-045')
      expect(status).toBe(400)
      expect(body.allowed_parameters).toEqual(
        isWholeList ? ['page', 'per_page'] : queried.map(({ name }: any) => name),
      )
      expect(isWholeList).toBe(id.startsWith('list') && id !== 'listProjects')
    },
  )
})

/** True if a schema allows null. */
function isNullable(schema: any): boolean {
  const { type, anyOf = [] } = resolve(schema)
  return [type].flat().includes('null') || anyOf.some(isNullable)
}

describe('schemas', () => {
  test.each([
    ['2.2', 'User', 'id name role? agency?'],
    ['2.3', 'Country', 'id label'],
    ['2.3', 'Language', 'id label'],
    [
      '2.4',
      'ProjectListItem',
      'id name status keyword_count latest_report_generated_at? latest_report_id? latest_report_number? latest_report_status? links',
    ],
    ['2.4', 'ProjectLinks', 'latest_report last_generated_report'],
    [
      '2.5',
      'Project',
      'id name company_name? domain? created_at country? text_language? report_language? managing_user? created_by? contact_email? client_emails cc_email? receives_monthly_reports agency? plan? keyword_count gsc_status? latest_report_generated_at? latest_report_id? latest_report_number? latest_report_status? links',
    ],
    [
      '2.6',
      'Report',
      'id project_id report_number report_name? status date_to_create_texts? date_to_send_to_client? sent approved_status? approved_by? managed_status? managed_by? pdf_link? web_link?',
    ],
    [
      '2.7',
      'ReportContent',
      'report_number report_id report_name? content_scheme? content_scheme_fields? links project_id project_domain? project_status is_generated generation_status approved_status? approved_by? managed_status? managed_by? date_to_create_texts? date_to_send_to_client? summary keywords',
    ],
    ['2.7', 'KeywordEntry', 'keyword_id keyword keyword_url? has_content content? html?'],
    [
      '2.8',
      'Keyword',
      'id keyword url? create_date latest_position? status_200? content_count content_action_ids',
    ],
    ['2.9', 'TokenIdentity', 'id name agency_id? status abilities'],
    ['4.3(3)', 'PageMeta', 'current_page per_page total last_page'],
    ['4.3(4)', 'PageLinks', 'first last prev? next?'],
  ])('%s %s has the fields of its table, all of them required, some nullable', (_, name, row) => {
    const { properties, required, additionalProperties } = DOCUMENT.components.schemas[name]
    const fields = Object.entries(properties).map(
      ([field, schema]) => `${field}${isNullable(schema) ? '?' : ''}`,
    )
    expect(fields.join(' ')).toBe(row)
    expect(required).toEqual(Object.keys(properties))
    expect(additionalProperties).toBe(false)
  })

  test.each([
    ['ReportStatus', undefined, ['pending', 'running', 'completed', 'failed']],
    ['TokenIdentity', 'status', ['active', 'disabled']],
    ['Project', 'plan', undefined],
    ['Project', 'gsc_status', undefined],
    ['ProjectListItem', 'status', undefined],
    ['Report', 'approved_status', undefined],
    ['Report', 'managed_status', undefined],
    ['ReportContent', 'content_scheme', undefined],
    ['ReportContent', 'project_status', undefined],
  ])('2.10 %s %s is one of the listed values, or any text: %s', (name, field, values) => {
    const schema = DOCUMENT.components.schemas[name]
    const { enum: listed, type } = field === undefined ? schema : schema.properties[field]
    expect(listed).toEqual(values)
    expect([type].flat()).toContain('string')
  })

  test.each([
    ['Report', 'status'],
    ['ReportContent', 'generation_status'],
    ['ProjectListItem', 'latest_report_status'],
  ])('3 %s %s is a report status', (name, field) => {
    const { anyOf, $ref } = DOCUMENT.components.schemas[name].properties[field]
    expect($ref ?? anyOf[0].$ref).toBe('#/components/schemas/ReportStatus')
  })

  test.each([
    ['getMe', 'TokenIdentity'],
    ['listCountries', '{ data: Country[] }'],
    ['getCountry', '{ data: Country }'],
    ['listLanguages', '{ data: Language[] }'],
    ['getLanguage', '{ data: Language }'],
    ['listUsers', '{ data: User[] }'],
    ['getUser', '{ data: User }'],
    ['listProjects', 'ProjectPage'],
    ['getProject', '{ data: Project, cache_refreshed_at: DateTime }'],
    ['listReports', '{ data: Report[], cache_refreshed_at: DateTime }'],
    ['getLatestReport', '{ data: Report, cache_refreshed_at: DateTime }'],
    ['getLastGeneratedReport', '{ data: Report, cache_refreshed_at: DateTime }'],
    ['getReportContent', '{ data: ReportContent, cache_refreshed_at: DateTime }'],
    ['listKeywords', '{ data: Keyword[], cache_refreshed_at: DateTime }'],
  ] as const)('2.1, 4.1, 4.6, 4.9 the response of %s is %s', (id, shape) => {
    expect(toType(json(described(id).responses[200]).schema)).toBe(shape)
  })

  test('2.7 content is blocks or, with another scheme, any list or map, and so is its HTML', () => {
    const { content, html } = DOCUMENT.components.schemas.KeywordEntry.properties
    expect(toType(content)).toBe('H3TextBlock[] | JsonTree | null')
    expect(toType(html)).toBe('H3TextHtmlBlock[] | JsonTree | null')
    expect(toType(resolve({ $ref: '#/components/schemas/JsonTree' }))).toBe('unknown[] | {}')
  })
})

/** A schema written like a TypeScript type, with named schemas by name. */
function toType(schema: any): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)
  if (schema.anyOf !== undefined) return schema.anyOf.map(toType).join(' | ')
  if (schema.type === 'array') return `${toType(schema.items)}[]`
  if (schema.type !== 'object') return schema.type ?? 'unknown'
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, of]) => `${name}: ${toType(of)}`,
  )
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}'
}

describe('responses', () => {
  test.each(IDS)(
    '7 %s may return 200, its own problems, and those common to every endpoint',
    (id) => {
      const stated = responsesOf(id).flatMap(([status, response]) =>
        status === 200
          ? []
          : Object.keys(json(response).examples).map((code) => `${status} ${code}`),
      )
      expect(stated.toSorted()).toEqual(
        problemsOf(id)
          .map((code) => `${PROBLEMS[code].status} ${code}`)
          .toSorted(),
      )
      expect(responsesOf(id).map(([status]) => status)).toEqual(
        expect.arrayContaining([200, 401, 403, 429]),
      )
    },
  )

  test.each(IDS)(
    '8 %s has four rate-limit headers on its 429, two on every other response',
    (id) => {
      const rate = ['X-RateLimit-Limit', 'X-RateLimit-Remaining']
      for (const [status, { headers }] of responsesOf(id)) {
        const names = status === 429 ? [...rate, 'Retry-After', 'X-RateLimit-Reset'] : rate
        expect(Object.keys(headers), String(status)).toEqual(names)
        for (const name of names) {
          expect(resolve(headers[name])).toMatchObject({
            description: expect.any(String),
            schema: { type: 'integer' },
          })
        }
      }
    },
  )

  test.each([
    [401, '{ message: string }'],
    [403, '{ message: string }'],
    [404, '{ message: string }'],
    [429, '{ error: { code: string, message: string } }'],
  ])('7 the body of a %i is %s', (status, shape) => {
    const bodies = IDS.flatMap((id) => responsesOf(id))
      .filter(([of]) => of === status)
      .map(([, response]) => toType(resolve(json(response).schema)))
    expect(new Set(bodies)).toEqual(new Set([shape]))
  })

  test.each(IDS)('G-057 %s may be any other error, whose headers and body are known', (id) => {
    const { headers, content } = otherErrorOf(id)
    expect(Object.keys(headers)).toEqual([
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'Retry-After',
    ])
    expect(toType(json({ content }).schema)).toBe('ProblemBody')
  })

  test.each(IDS)('G-057 every error of %s may be an HTML page, but not its 200', (id) => {
    const responses = [...responsesOf(id), ['default', otherErrorOf(id)] as const]
    for (const [status, { content }] of responses) {
      const types = status === 200 ? ['application/json'] : ['application/json', 'text/html']
      expect([status, Object.keys(content)]).toEqual([status, types])
    }
  })

  test('7 the body of a 400 has the allowed names if a name was unknown', () => {
    const bodyIn = (id: OperationId) => toType(json(resolve(described(id).responses[400])).schema)
    expect(bodyIn('listProjects')).toBe('UnknownParameterBody | ProblemBody')
    expect(bodyIn('getReportContent')).toBe('ProblemBody')
    expect(toType(DOCUMENT.components.schemas.UnknownParameterBody)).toBe(
      '{ message: string, allowed_parameters: string[] }',
    )
  })
})

describe.runIf(isBuilt())('examples', () => {
  test('the HTML page is that of a fault', () => {
    expect(readExamples(JSON.parse(readBuilt())).htmlPage).toContain('<h1>502 Bad Gateway</h1>')
  })

  test.each(IDS)('the example of %s matches its response', (id) => {
    const example = readExamples(JSON.parse(readBuilt())).responses[id]
    expect(OPERATIONS[id].response.safeParse(example).error).toBeUndefined()
  })

  test.each([...PROBLEM_CODES, 'service_unavailable'] as const)(
    'the example of %s is its body, with its status',
    (code) => {
      const { status, value } = readExamples(JSON.parse(readBuilt())).problems[code]!
      expect(status).toBe(PROBLEMS[code].status)
      expect(bodyOf(code).safeParse(value).error).toBeUndefined()
      expect((value.error ?? value).message).toContain(PROBLEMS[code].message)
    },
  )
})

/** Paths of every operation: for existing records, and for some ids that do not exist. */
async function pathsOf(client: Client, token: string): Promise<[OperationId, string][]> {
  const idsOf = async (path: string): Promise<number[]> =>
    (await client.send({ path, token })).body.data.map(({ id }: any) => id)
  const projects = await idsOf('/projects')
  const values: Record<string, number[]> = {
    country: [...(await idsOf('/countries')), 999_999],
    language: [...(await idsOf('/languages')), 999_999],
    user: [...(await idsOf('/users')), 999_999],
    project: [...projects, 999_999],
    report_number: [0, 1, 2, 3, 4, 26, 27],
  }
  return IDS.flatMap((id) => {
    const names = [...OPERATIONS[id].path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
    const paths = names.reduce<string[]>(
      (some, name) =>
        some.flatMap((path) => values[name]!.map((value) => path.replace(`{${name}}`, `${value}`))),
      [OPERATIONS[id].path],
    )
    return paths.map((path): [OperationId, string] => [id, path])
  })
}

/** The difference of a response from the document; undefined if there is none. */
function differenceOf(id: OperationId, status: number, body: unknown): unknown {
  if (status === 200) return OPERATIONS[id].response.safeParse(body).error
  const possible = problemsOf(id).filter((code) => PROBLEMS[code].status === status)
  const isPossible = possible.some((code) => bodyOf(code).safeParse(body).success)
  return isPossible ? undefined : { status, body }
}

const findMisfit = createMisfitFinder(DOCUMENT)

/** The differences of a response from the document; undefined if it conforms. */
async function findUnstated(id: OperationId, response: Response): Promise<string | undefined> {
  const { status, headers } = response
  const text = await response.text()
  const at = ['paths', OPERATIONS[id].path, 'get', 'responses']
  const stated = described(id).responses[status] === undefined ? 'default' : String(status)
  const found = described(id).responses[stated]
  const place: string[] = found.$ref?.split('/').slice(1) ?? [...at, stated]
  const type = headers.get('content-type')?.split(';')[0] ?? ''
  if (resolve(found).content[type] === undefined) return `${status} ${type}`
  const body: unknown = type === 'text/html' ? text : JSON.parse(text)
  return findMisfit([...place, 'content', type, 'schema'], body)
}

test.each(IDS)('every error that a fault of %s sends is documented', async (id) => {
  const sandbox = await createSandbox({ fixtures: EXAMPLE_YAML })
  const statuses = PLAIN_PROBLEMS.map((code) => PROBLEMS[code].status)
  const faults = statuses.flatMap((status) => [
    { kind: 'status' as const, status },
    { kind: 'html' as const, status },
  ])
  expect(faults).toHaveLength(24)
  for (const fault of faults) {
    await sandbox.faults.set([fault])
    const response = await sandbox.fetch(`/api/v1${OPERATIONS[id].example}`, {
      headers: { authorization: 'Bearer northlight-live' },
    })
    const { status } = response
    expect([fault, status, await findUnstated(id, response)]).toEqual([
      fault,
      fault.status,
      undefined,
    ])
  }
})

describe.each([
  ['the default world', undefined, ['sandbox-unlimited', 'sandbox-super']],
  ['the example world', EXAMPLE_YAML, ['operator-super']],
] as const)('the sandbox over %s', (_, fixtures, tokens) => {
  test.each(IDS)('4.1 responds to %s as documented', async (wanted) => {
    await using client = await openFetch({
      ...(fixtures === undefined ? {} : { fixtures }),
      rateLimit: 'unlimited',
    })
    const seen = new Set<number>()
    for (const token of tokens) {
      for (const [id, path] of await pathsOf(client, token)) {
        if (id !== wanted) continue
        const { status, body } = await client.send({ path, token })
        expect(differenceOf(id, status, body), path).toBeUndefined()
        seen.add(status)
      }
    }
    const hasParameter = OPERATIONS[wanted].path.includes('{')
    expect(seen).toContain(200)
    expect(seen.has(404)).toBe(hasParameter)
  })
})
