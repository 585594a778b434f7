import { z } from 'zod'
import { DateTime, DateTimeInput } from '../../src/contract/conventions.ts'
import { describePolicies } from './policy-schema.ts'
import { convertSchemas, createDocument, refTo, toParameters } from './openapi-document.ts'
import type { ConvertedSchemas } from './openapi-document.ts'
import { NESTED_TOO_DEEP } from '../../src/contract/nesting.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { toEndpoint } from '../../src/contract/routes.ts'
import type { OperationId } from '../../src/contract/routes.ts'
import { PolicySettings } from '../../src/contract/policy-settings.ts'
import { AnyRecord, COLLECTIONS, RecordPage } from '../../src/contract/records.ts'
import {
  RateGauge,
  RateLimitStatus,
  TokenGauges,
  GapStatus,
} from '../../src/contract/control-status.ts'
import { AppliedCommand, ClockState } from '../../src/journal/applied-command.ts'
import { PoliciesInForce } from '../../src/world/commands/policy-set.ts'
import { PutResult } from '../../src/world/commands/record-changes.ts'
import { Explanation } from '../../src/contract/explanation.ts'
import {
  HarFile,
  RequestDetail,
  RequestFilterSchema,
  ExpectationSchema,
} from '../../src/journal/journal-schemas.ts'
import { JournalRequest, Verification } from '../../src/journal/journal-request.ts'
import { FaultForms } from '../../src/world/faults/fault-forms.ts'
import { FaultStatus } from '../../src/world/faults/fault-status.ts'
import { Invitation, Partner, WorldInfo } from '../../src/world/hosted-worlds.ts'
import { Overview } from '../../src/world/overview.ts'
import { Snapshot } from '../../src/world/snapshot.ts'
import { Command } from '../../src/world/commands/index.ts'
import {
  ArmedSchedule,
  Schedule,
  Endpoint,
  ArmedFault,
  Fault,
} from '../../src/world/faults/fault.ts'
import { ControlError } from '../../src/control-api/control-error.ts'
import { CONTROL_GROUPS } from '../../src/control-api/control-routes.ts'
import { API_DOCUMENT_PATH, CONTROL_PREFIX } from '../../src/control-api/prefix.ts'
import { ProjectPositions } from '../../src/control-api/routes/position-routes.ts'
import { BODY_BYTES, bodyLimitOf, showBytes } from '../../src/control-api/request-body.ts'
import { changesWorld } from '../../src/control-api/routes/route.ts'
import type { ControlRole, ControlRoute } from '../../src/control-api/routes/route.ts'
import { Session } from '../../src/session/session.ts'
import { SnapshotInput } from '../../src/world/restore-state.ts'
import { DEFAULT_WORLD } from '../../src/world/worlds.ts'

export interface ControlOpenApiOptions {
  /** Version of the described package. */
  version: string
  /** URL at which the sandbox listens by default. */
  baseUrl: string
}

/** The schemas of responses, by their names in the document. */
const RESPONSE_SCHEMAS = {
  Agency: COLLECTIONS.agencies,
  Country: COLLECTIONS.countries,
  Language: COLLECTIONS.languages,
  User: COLLECTIONS.users,
  Token: COLLECTIONS.tokens,
  Project: COLLECTIONS.projects,
  Keyword: COLLECTIONS.keywords,
  Report: COLLECTIONS.reports,
  ClockState,
  AppliedCommand,
  AnyRecord,
  RecordPage,
  PutResult,
  PoliciesInForce,
  RateLimitStatus,
  TokenGauges,
  RateGauge,
  JournalRequest,
  RequestDetail,
  Verification,
  HarFile,
  FaultStatus,
  FaultForms,
  GapStatus,
  WorldInfo,
  Partner,
  Invitation,
  Explanation,
  Overview,
  ProjectPositions,
  Snapshot,
  Session,
  ControlError,
  ArmedFault,
  ArmedSchedule,
  DateTime,
  DateTimeInput,
}

/** The schemas of request bodies, by their names in the document. */
const REQUEST_SCHEMAS = {
  AgencyInput: COLLECTIONS.agencies,
  CountryInput: COLLECTIONS.countries,
  LanguageInput: COLLECTIONS.languages,
  UserInput: COLLECTIONS.users,
  TokenInput: COLLECTIONS.tokens,
  ProjectInput: COLLECTIONS.projects,
  KeywordInput: COLLECTIONS.keywords,
  ReportInput: COLLECTIONS.reports,
  Command,
  Fault,
  Expectation: ExpectationSchema,
  RequestFilter: RequestFilterSchema,
  PolicySettings,
  Schedule,
  DateTimeInput,
}

/** JSON Schemas for schemas of responses that are code. */
const RESPONSE_OVERRIDES = new Map<z.core.$ZodType, object>([
  [PolicySettings, { type: 'object', additionalProperties: { type: 'string' } }],
  [Endpoint, { type: 'string', enum: (Object.keys(OPERATIONS) as OperationId[]).map(toEndpoint) }],
])

/** JSON Schemas for schemas of bodies that are code. */
const REQUEST_OVERRIDES = new Map<z.core.$ZodType, object>([
  [
    PolicySettings,
    describePolicies(refTo('schemas', 'PolicySettings').$ref, { forRequests: true }),
  ],
  [SnapshotInput, refTo('schemas', 'Snapshot')],
])

const WorldId = z
  .string()
  .default(DEFAULT_WORLD)
  .describe('The id of a world, as POST /worlds returns it')

/** The keys that open a route, for roles that not every key opens. */
const OWN_SECURITY: { [Role in ControlRole]?: object[] } = {
  public: [],
  invited: [],
  admin: [{}, { admin_key: [] }],
}

/** Meanings of refusals, by status; the body of each is a ControlError. */
const REFUSALS: Record<string, string> = {
  400: `The body is not JSON, cannot be unpacked, or is ${NESTED_TOO_DEEP}.`,
  401: 'The key is missing or wrong, or its world has expired.',
  403: 'The key is of another world, or of a world where the admin key is needed; or the control API is closed to pages of other sites, and where no admin key is set to requests that name another host or come through a proxy.',
  404: 'Nothing has this id or name, or the control API is off.',
  413: 'The body is too large.',
  429: 'Too many wrong keys came from this address (Retry-After says how many seconds to wait; the right key is always answered), too many streams of events are open, or the world of the key has used up its requests, its expensive ones, or its large bodies.',
  422: 'The input is refused, and nothing has changed; the problems say what is wrong, and where.',
  '4XX': 'Anything else that is wrong with the request.',
  503: 'The server is receiving as many large bodies as it can. Send it again after the seconds of Retry-After.',
  507: 'The world would have more than its host allows, the store has no room, or there are too many worlds and each was used within the last minute. Nothing has changed.',
  500: 'The change would be lost in a restart, because the state file could not be written; or a bug.',
}

/** The control API as an OpenAPI document, which generators of clients read. */
export function createControlOpenApi({ version, baseUrl }: ControlOpenApiOptions) {
  const routes = CONTROL_GROUPS.flatMap((group) =>
    group.routes.map((route) => ({ tag: group.tag, route })),
  )
  const responses = convertSchemas({
    named: RESPONSE_SCHEMAS,
    used: [ControlError, ...routes.flatMap(({ route }) => responsesOf(route))],
    overrides: RESPONSE_OVERRIDES,
  })
  const requests = convertSchemas({
    named: REQUEST_SCHEMAS,
    used: routes.flatMap(({ route }) => inputsOf(route)),
    io: 'input',
    overrides: REQUEST_OVERRIDES,
  })
  return createDocument({
    title: 'Control API of seo-sandbox',
    version,
    description:
      'How tests control the world that seo-sandbox serves, and read the journal of its requests. The query parameter `world` names the world; without it, it is the default one.',
    externalDocs: {
      description: 'The API itself, as an OpenAPI document',
      url: `${baseUrl}${API_DOCUMENT_PATH}`,
    },
    server: {
      baseUrl,
      description: 'base_url is the scheme, host and port of the sandbox',
      prefix: CONTROL_PREFIX,
    },
    security: [{}, { admin_key: [] }, { world_key: [] }],
    tags: Object.fromEntries(CONTROL_GROUPS.map(({ tag, description }) => [tag, description])),
    operations: routes.map(({ tag, route }) => ({
      path: route.path.replaceAll(/:(\w+)/g, '{$1}'),
      method: route.method,
      operation: {
        operationId: route.id,
        tags: [tag],
        summary: route.summary,
        description: route.description,
        ...(route.role in OWN_SECURITY && { security: OWN_SECURITY[route.role] }),
        parameters: [
          ...toParameters('path', pathSchemasOf(route), requests),
          ...toParameters('query', querySchemasOf(route), requests),
        ],
        ...toRequestBody(route, requests),
        responses: { ...toResponses(route, responses), ...toRefusals(route) },
      },
    })),
    components: {
      securitySchemes: {
        admin_key: {
          type: 'http',
          scheme: 'bearer',
          description: 'The --admin-key that the server was started with, if any',
        },
        world_key: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The key of a world of a partner, which opens that world alone. Without the parameter `world` it is the world of the key.',
        },
      },
      responses: Object.fromEntries(
        Object.entries(REFUSALS).map(([status, description]) => [
          toResponseName(status),
          { description, content: toContent(responses.toSchema(ControlError)) },
        ]),
      ),
      schemas: { ...responses.schemas, ...requests.schemas },
    },
  })
}

function responsesOf({ responses }: ControlRoute): z.ZodType[] {
  return Object.values(responses).filter((schema) => schema !== null)
}

function inputsOf(route: ControlRoute): z.ZodType[] {
  const inputs = [...Object.values(pathSchemasOf(route)), ...Object.values(querySchemasOf(route))]
  return route.body ? [...inputs, route.body] : inputs
}

function pathSchemasOf({ params }: ControlRoute): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(params).map(([name, { schema }]) => [name, schema]))
}

function querySchemasOf({ query, role }: ControlRoute): Record<string, z.ZodType> {
  return { ...query?.shape, ...(role === 'world' && { world: WorldId }) }
}

function toRequestBody({ body }: ControlRoute, { toSchema }: ConvertedSchemas) {
  if (!body) return {}
  const required = !body.safeParse(undefined).success
  // `required` states it. If fields have a default too, clients that are generated for Zod do not compile.
  const { default: _, ...schema } = toSchema(body)
  return { requestBody: { required, content: toContent(schema) } }
}

function toResponses(
  { responses, summary, mediaType }: ControlRoute,
  { toSchema }: ConvertedSchemas,
) {
  return Object.fromEntries(
    Object.entries(responses).map(([status, schema]) => [
      status,
      { description: summary, ...(schema && { content: toContent(toSchema(schema), mediaType) }) },
    ]),
  )
}

function toContent(schema: object, mediaType = 'application/json') {
  return { [mediaType]: { schema } }
}

/** The refusals that a route may send. */
function toRefusals(route: ControlRoute) {
  const { role, needsRoom = false, query, body, refusal } = route
  const statuses = [
    ...(body ? ['400', '413', '503'] : []),
    ...(role === 'public' ? [] : ['403', '404']),
    ...(role === 'public' || role === 'invited' ? [] : ['401', '429']),
    ...(query || body ? ['422'] : []),
    '4XX',
    ...(changesWorld(route) ? ['500'] : []),
    ...(needsRoom ? ['507'] : []),
  ]
  const shared = statuses.map((status) => [status, refToRefusal(status)])
  const own = refusal && { 422: { ...refToRefusal('422'), description: refusal } }
  const tooLarge = `The body is larger than ${toLimit(route)}.`
  const large = body && { 413: { ...refToRefusal('413'), description: tooLarge } }
  return { ...Object.fromEntries(shared), ...large, ...own }
}

/** The limit for a body: the same for all routes that need a key. */
function toLimit(route: ControlRoute): string {
  const { bytes } = bodyLimitOf(route)
  if (bytes < BODY_BYTES) return showBytes(bytes)
  const ofKey = route.isSnapshot === true ? 'four times the limit `body`' : 'the limit `body`'
  return `${showBytes(bytes)}, or with the key of a world than ${ofKey}`
}

function refToRefusal(status: string) {
  return refTo('responses', toResponseName(status))
}

function toResponseName(status: string): string {
  return `Refused${status}`
}
