import type { z } from 'zod'
import { API_PREFIX } from '../../src/contract/url.ts'
import { CalendarDate, DateTime } from '../../src/contract/conventions.ts'
import { Country, Language, User } from '../../src/contract/reference-data.ts'
import {
  JsonTree,
  H3TextBlock,
  H3TextHtmlBlock,
  Report,
  ReportNumber,
  ReportStatus,
} from '../../src/contract/report.ts'
import { Keyword } from '../../src/contract/keyword.ts'
import { convertSchemas, createDocument, refTo, toParameters } from './openapi-document.ts'
import type { ConvertedSchemas } from './openapi-document.ts'
import { COMMON_PROBLEMS } from '../../src/contract/routes.ts'
import type { DocumentedProblem, OperationId, PathParameter } from '../../src/contract/routes.ts'
import {
  OPERATIONS,
  PageLinks,
  PageMeta,
  PATH_PARAMETERS,
  ProjectPage,
  TAGS,
  bodyOf,
  HtmlPage,
  ProblemBody,
  RateLimitBody,
  UnknownParameterBody,
} from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operations.ts'
import { PROBLEMS } from '../../src/contract/problems.ts'
import type { ProblemCode } from '../../src/contract/problems.ts'
import { Project, ProjectLinks, ProjectListItem } from '../../src/contract/project.ts'
import { KeywordEntry, ReportContent } from '../../src/contract/report-content.ts'
import { TokenIdentity } from '../../src/contract/token.ts'

export interface OpenApiOptions {
  /** Version of the described package. */
  version: string
  /** The default base URL of the API, without `/api/v1`. */
  baseUrl: string
  /** Bodies of actual responses. */
  examples: OpenApiExamples
}

export interface OpenApiExamples {
  /** Bodies of 200 responses, by operation. */
  responses: Record<OperationId, unknown>
  problems: Record<DocumentedProblem | typeof OTHER_PROBLEM, unknown>
  /** Page of a proxy. */
  htmlPage: string
}

/** The problem that stands for statuses that an operation does not document. */
const OTHER_PROBLEM = 'service_unavailable' as const satisfies ProblemCode

/** The name of the response for all these problems. */
const OTHER_ERROR = 'other_error'

/** Schemas with a name in the document, which the generated types of clients then have too. */
const NAMED_SCHEMAS = {
  TokenIdentity,
  Country,
  Language,
  User,
  ProjectPage,
  ProjectListItem,
  ProjectLinks,
  PageMeta,
  PageLinks,
  Project,
  Report,
  ReportStatus,
  ReportNumber,
  ReportContent,
  KeywordEntry,
  H3TextBlock,
  H3TextHtmlBlock,
  JsonTree,
  Keyword,
  DateTime,
  CalendarDate,
  ProblemBody,
  UnknownParameterBody,
  RateLimitBody,
  HtmlPage,
}

/** Specification 8: on every response. */
const RATE_HEADERS = {
  'X-RateLimit-Limit':
    'Requests allowed per minute for the token; left out where the minute is unlimited (G-024)',
  'X-RateLimit-Remaining':
    'Requests remaining in the current minute window; left out where the minute is unlimited (G-024)',
}

/** Specification 8: only on a 429. */
const RESET_HEADERS = {
  'Retry-After': 'Seconds until the exhausted window (minute or hour) resets',
  'X-RateLimit-Reset': 'Unix timestamp at which the exhausted window resets',
}

const ENTRIES = Object.entries(OPERATIONS) as [OperationId, Operation][]

/** The API of the contract as an OpenAPI document. */
export function createOpenApi({ version, baseUrl, examples }: OpenApiOptions) {
  const converted = convertSchemas({ named: NAMED_SCHEMAS, used: ENTRIES.flatMap(schemasOf) })
  return createDocument({
    title: 'Search Content and Reporting Service',
    version: API_PREFIX.slice(API_PREFIX.lastIndexOf('/') + 1),
    description: describeApi(version),
    server: {
      baseUrl,
      description: 'base_url is the scheme, host and port of the service',
      prefix: API_PREFIX,
    },
    security: [{ token: [] }],
    tags: TAGS,
    operations: ENTRIES.map(([operationId, operation]) => ({
      path: operation.path,
      method: 'get',
      operation: {
        operationId,
        tags: [operation.tag],
        summary: operation.summary,
        description: describeOperation(operation),
        parameters: [
          ...toParameters('path', pathParametersOf(operation), converted),
          ...toParameters('query', operation.query, converted),
        ],
        responses: {
          200: {
            description: operation.summary,
            headers: refsTo('headers', RATE_HEADERS),
            content: {
              'application/json': {
                schema: converted.toSchema(operation.response),
                example: examples.responses[operationId],
              },
            },
          },
          ...toProblemResponses(operation, examples.problems, converted),
          default: refTo('responses', OTHER_ERROR),
        },
      },
    })),
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token that the operator issued for the integration (specification 5)',
        },
      },
      headers: mapValues({ ...RATE_HEADERS, ...RESET_HEADERS }, (description) => ({
        description,
        schema: { type: 'integer' },
      })),
      responses: {
        ...toSharedResponses(examples.problems, converted),
        [OTHER_ERROR]: toOtherError(examples, converted),
      },
      schemas: converted.schemas,
    },
  })
}

function schemasOf([, operation]: [OperationId, Operation]): z.ZodType[] {
  const { response, query, problems } = operation
  return [
    response,
    ...Object.values(pathParametersOf(operation)),
    ...Object.values(query),
    ...[...problems, ...COMMON_PROBLEMS, OTHER_PROBLEM].map(bodyOf),
  ]
}

/** The parameters of the path, in its order (specification 4.2, 4.3). */
function pathParametersOf({ path }: Operation): Record<string, z.ZodType> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as PathParameter)
  return Object.fromEntries(names.map((name) => [name, PATH_PARAMETERS[name]]))
}

function describeApi(version: string): string {
  return [
    `A read-only view of an agency's SEO projects, their keywords and their numbered reports with the generated content, as seo-sandbox ${version} emulates it.`,
    "Sections are those of the API's specification. An id like G-024 is a gap that the specification leaves open: docs/policies.md lists them all, and this document describes their defaults.",
    'A proxy in front of the API may respond with an HTML page in place of any error, without rate-limit headers, and with statuses that the API itself does not use. Faults of the sandbox simulate both.',
    'The examples are responses of fixtures/examples/agency.yaml.',
  ].join('\n\n')
}

function describeOperation({ section, ignoredQuery }: Operation): string {
  const ignored = Object.keys(ignoredQuery)
  const sentences = [`Section ${section} of the specification.`]
  if (ignored.length > 0)
    sentences.push(`The whole list: ${ignored.join(' and ')} are ignored (G-045).`)
  return sentences.join(' ')
}

type ProblemExamples = Partial<Record<ProblemCode, unknown>>

/** The problems that an operation may respond with, by status. */
function groupProblems({ problems }: Operation): [status: number, codes: ProblemCode[]][] {
  const groups = new Map<number, ProblemCode[]>()
  for (const code of [...problems, ...COMMON_PROBLEMS]) {
    const { status } = PROBLEMS[code]
    groups.set(status, [...(groups.get(status) ?? []), code])
  }
  return [...groups]
}

/** A status with only one problem refers to a shared response. */
function toProblemResponses(
  operation: Operation,
  examples: ProblemExamples,
  converted: ConvertedSchemas,
) {
  return Object.fromEntries(
    groupProblems(operation).map(([status, codes]) => [
      status,
      isShared(codes)
        ? refTo('responses', codes[0])
        : toProblemResponse(codes, examples, converted),
    ]),
  )
}

function toSharedResponses(examples: ProblemExamples, converted: ConvertedSchemas) {
  const shared = ENTRIES.flatMap(([, operation]) => groupProblems(operation))
    .map(([, codes]) => codes)
    .filter(isShared)
  return Object.fromEntries(
    shared.map((codes) => [codes[0], toProblemResponse(codes, examples, converted)]),
  )
}

function isShared(codes: ProblemCode[]): codes is [ProblemCode] {
  return codes.length === 1
}

/** The response for the problems of one status, with an example of each. */
function toProblemResponse(
  codes: ProblemCode[],
  examples: ProblemExamples,
  converted: ConvertedSchemas,
) {
  const isLimited = codes.includes('rate_limit_exceeded')
  return {
    description: codes.map((code) => PROBLEMS[code].message).join(' '),
    headers: refsTo('headers', isLimited ? { ...RATE_HEADERS, ...RESET_HEADERS } : RATE_HEADERS),
    content: toErrorContent(codes, examples, converted),
  }
}

/** The response for every other error, which only proxies and faults send (G-057). */
function toOtherError({ problems, htmlPage }: OpenApiExamples, converted: ConvertedSchemas) {
  const { 'text/html': page, ...json } = toErrorContent([OTHER_PROBLEM], problems, converted)
  return {
    description:
      'Any other error, such as 500, 502, 503 or 504: of a proxy in front of the API, or of a fault that simulates one.',
    headers: {
      ...refsTo('headers', RATE_HEADERS),
      'Retry-After': {
        description: 'Seconds until the API may be available again; on a 503, if at all',
        schema: { type: 'integer' },
      },
    },
    content: { ...json, 'text/html': { ...page, example: htmlPage } },
  }
}

/** Problems as JSON, with an example of each, or the page of a proxy. */
function toErrorContent(
  codes: ProblemCode[],
  examples: ProblemExamples,
  { toSchema }: ConvertedSchemas,
) {
  const bodies = [...new Set(codes.map(bodyOf))].map(toSchema)
  return {
    'application/json': {
      schema: bodies.length === 1 ? bodies[0] : { anyOf: bodies },
      examples: Object.fromEntries(codes.map((code) => [code, { value: examples[code] }])),
    },
    'text/html': { schema: refTo('schemas', 'HtmlPage') },
  }
}

function refsTo(section: string, named: object) {
  return Object.fromEntries(Object.keys(named).map((name) => [name, refTo(section, name)]))
}

function mapValues<Value, Result>(
  object: Record<string, Value>,
  transform: (value: Value, key: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, transform(value, key)]),
  )
}
