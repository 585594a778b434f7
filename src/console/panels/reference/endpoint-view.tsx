import type { GapStatus } from '../../api/types.ts'
import { Card } from '../../parts/card.tsx'
import { CopyText } from '../../parts/copy-button.tsx'
import { StateWord } from '../../parts/state-word.tsx'
import { hrefWith } from '../../state/location.ts'
import type {
  EndpointDefinition,
  OpenapiDocument,
  ResponseDefinition,
} from '../../state/openapi.ts'
import { useGet } from '../../state/resource.ts'
import { RunForm } from './run-form.tsx'
import type { EndpointProps } from './run-form.tsx'
import { Description, nameOf, SchemaView } from './schema-view.tsx'

/** An endpoint: what it takes, what it returns, what may go wrong, and what the specification leaves open about it. */
export function EndpointView({ endpoint, document }: EndpointProps) {
  const { path, summary, description, responses } = endpoint
  const success = responses['200']?.content?.['application/json']
  return (
    <div class="endpoint">
      <div>
        <h2>{summary}</h2>
        <p>
          <span class="soft">GET</span> <CopyText text={`/api/v1${path}`} what="the path" />
        </p>
        <Description text={description} />
      </div>
      <RunForm endpoint={endpoint} document={document} />
      {success?.schema && (
        <Card title="What it returns">
          <SchemaView schema={success.schema} document={document} />
          <details>
            <summary>Example</summary>
            <pre tabIndex={0}>{JSON.stringify(success.example, null, 2)}</pre>
          </details>
        </Card>
      )}
      <Card title="Errors">
        <ul class="errors">
          {Object.entries(responses)
            .filter(([status]) => status !== '200')
            .map(([status, response]) => (
              <ErrorResponse key={status} status={status} response={response} {...{ document }} />
            ))}
        </ul>
      </Card>
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
          <code key={index}>{JSON.stringify(value)}</code>
        ))}
      </div>
    </li>
  )
}

/** The sections of the specification on the resource that an endpoint returns, by the beginning of its operation id. */
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
  const own = [
    ...(/\b4\.\d+/.exec(description) ?? []),
    ...RESOURCE_SECTIONS.flatMap(([pattern, name]) => (pattern.test(operationId) ? [name] : [])),
  ]
  const sections = section.split(', ').map((name) => name.replace(/\(.*/, ''))
  return sections.some((name) => own.includes(name))
}

/** The gaps in the sections on this endpoint and on what it returns. */
function OpenGaps({ endpoint }: { endpoint: EndpointDefinition }) {
  const { value } = useGet('/policies')
  const gaps = value?.filter((gap) => concerns(gap, endpoint)) ?? []
  return (
    <Card title="What the specification leaves open">
      <ul class="errors">
        {gaps.map(({ id, question, behaviour }) => (
          <li key={id}>
            <a class="mono" href={hrefWith({ panel: 'policies', search: id, filter: undefined })}>
              {id}
            </a>
            <div>
              <p>{question}</p>
              <p class="soft">{behaviour}</p>
            </div>
          </li>
        ))}
      </ul>
      <p class="note soft">
        {gaps.length === 0 && value ? 'Nothing about this endpoint alone. ' : ''}
        <a href={hrefWith({ panel: 'policies', search: undefined, filter: undefined })}>
          All gaps
        </a>{' '}
        has those on tokens, errors and limits too.
      </p>
    </Card>
  )
}
