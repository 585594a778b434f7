import { transport } from '../../api/transport.ts'
import { Select } from '../../parts/form-fields.tsx'
import { Unread } from '../../parts/placeholders.tsx'
import { hrefWith, navigate, query } from '../../state/location.ts'
import { openapi, toEndpoints } from '../../state/openapi.ts'
import type {
  EndpointDefinition,
  OpenapiDocument,
  ResponseDefinition,
} from '../../state/openapi.ts'
import { useResource, useGet } from '../../state/resource.ts'
import './reference.css'
import type { GapStatus } from '../../api/types.ts'
import { Disclosure, Section } from '../../parts/section.tsx'
import { CopyText } from '../../parts/copy-button.tsx'
import { BreakingPath, StateWord, withCode } from '../../parts/marked-text.tsx'
import { Readable } from '../../parts/readable.tsx'
import { RunForm } from './run-form.tsx'
import type { EndpointProps } from './run-form.tsx'
import { Description, nameOf, SchemaView } from './schema-view.tsx'

export function ReferencePanel() {
  const document = useResource(openapi, [])
  const { value } = document
  const endpoints = toEndpoints(value)
  const current =
    endpoints.find(({ operationId }) => operationId === query.value['endpoint']) ?? endpoints[0]
  return (
    <>
      <h1>Reference</h1>
      <p class="sub">
        Drawn from the <a href={`${transport().base}/openapi.json`}>OpenAPI document</a>, which
        other tools can import.
      </p>
      <Unread of={document} lines={14} />
      {value && current && (
        <div class="reference">
          <div class="endpoint-select">
            <Select
              label="Endpoint"
              value={current.operationId}
              options={endpoints.map(({ operationId, summary }) => [operationId, summary])}
              onSelect={(id) => navigate({ endpoint: id })}
            />
          </div>
          <nav class="endpoints" aria-label="Endpoints">
            {value.tags.map(({ name }) => (
              <div key={name} class="group">
                <small class="soft">{name}</small>
                {endpoints
                  .filter(({ tags }) => tags.includes(name))
                  .map(({ operationId, path }) => (
                    <a
                      key={operationId}
                      class="entry"
                      href={hrefWith({ endpoint: operationId })}
                      aria-current={operationId === current.operationId ? 'true' : undefined}
                    >
                      <code>
                        <BreakingPath path={path} />
                      </code>
                    </a>
                  ))}
              </div>
            ))}
          </nav>
          <EndpointView key={current.operationId} endpoint={current} document={value} />
        </div>
      )}
    </>
  )
}

function EndpointView({ endpoint, document }: EndpointProps) {
  const { path, summary, description, responses } = endpoint
  const success = responses['200']?.content?.['application/json']
  return (
    <div class="stack endpoint">
      <div>
        <h2 class="lead">{summary}</h2>
        <p>
          <span class="soft">GET</span> <CopyText text={`/api/v1${path}`} name="the path" />
        </p>
        <Description text={description} />
      </div>
      <RunForm endpoint={endpoint} document={document} />
      {success?.schema && (
        <Section title="What it returns">
          <SchemaView schema={success.schema} document={document} />
          <Disclosure summary="Show an example">
            <Readable body={JSON.stringify(success.example)} name="the example" />
          </Disclosure>
        </Section>
      )}
      <Section title="Errors">
        <ul class="pairs cases lines">
          {Object.entries(responses)
            .filter(([status]) => status !== '200')
            .map(([status, response]) => (
              <ErrorResponse key={status} status={status} response={response} {...{ document }} />
            ))}
        </ul>
      </Section>
      <OpenGaps endpoint={endpoint} />
    </div>
  )
}

function ErrorResponse({
  status,
  response,
  document,
}: {
  status: string
  response: ResponseDefinition
  document: OpenapiDocument
}) {
  const name = nameOf(response)
  const { description, content } =
    (name === undefined ? undefined : document.components.responses[name]) ?? response
  const examples = Object.values(content?.['application/json']?.examples ?? {})
  return (
    <li>
      <StateWord state="failed">{status === 'default' ? 'Others' : status}</StateWord>
      <div>
        <p>{description}</p>
        {examples.map(({ value }, index) => (
          <code key={index} class="soft">
            {JSON.stringify(value)}
          </code>
        ))}
      </div>
    </li>
  )
}

/** Section of the specification about an endpoint's resource, by pattern of the operation id. */
const RESOURCE_SECTIONS: readonly [operation: RegExp, section: string][] = [
  [/Me$|TokenIdentity/, '2.9'],
  [/Countr|Language/, '2.3'],
  [/User/, '2.2'],
  [/listProjects/, '2.4'],
  [/getProject$/, '2.5'],
  [/Report(?!Content)/, '2.6'],
  [/Content/, '2.7'],
  [/Keyword/, '2.8'],
]

function concerns({ section }: GapStatus, { operationId, description }: EndpointDefinition) {
  const endpointSections = [
    ...(/\b4\.\d+/.exec(description) ?? []),
    ...RESOURCE_SECTIONS.flatMap(([pattern, name]) => (pattern.test(operationId) ? [name] : [])),
  ]
  const sections = section.split(', ').map((name) => name.replace(/\(.*/, ''))
  return sections.some((name) => endpointSections.includes(name))
}

function OpenGaps({ endpoint }: { endpoint: EndpointDefinition }) {
  const { value } = useGet('/policies')
  const gaps = value?.filter((gap) => concerns(gap, endpoint)) ?? []
  return (
    <Section title="What the specification leaves open">
      <ul class="pairs cases lines">
        {gaps.map(({ id, question, behaviour }) => (
          <li key={id}>
            <a class="mono" href={hrefWith({ panel: 'policies', search: id })}>
              {id}
            </a>
            <div>
              <p>{question}</p>
              <p class="soft">{withCode(behaviour ?? '')}</p>
            </div>
          </li>
        ))}
      </ul>
      <p class="soft">
        {gaps.length === 0 && value ? 'Nothing about this endpoint alone. ' : ''}
        Questions about tokens, errors and limits are in{' '}
        <a href={hrefWith({ panel: 'policies' })}>Policies</a>.
      </p>
    </Section>
  )
}
