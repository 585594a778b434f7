import { transport } from '../../api/transport.ts'
import { Fragment } from 'preact'
import { Select } from '../../parts/select.tsx'
import { Unread } from '../../parts/unread.tsx'
import { hrefWith, navigate, query } from '../../state/location.ts'
import { openapi, toEndpoints } from '../../state/openapi.ts'
import { useResource } from '../../state/resource.ts'
import { EndpointView } from './endpoint-view.tsx'
import './reference.css'

/** The endpoints of the API, drawn from its OpenAPI document, each with a form that runs it. */
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
        other tools read too.
      </p>
      <Unread of={document} lines={14} />
      {value && current && (
        <div class="reference">
          <label class="endpoint-select">
            Endpoint
            <Select
              label="Endpoint"
              value={current.operationId}
              options={endpoints.map(({ operationId, path }) => [operationId, path])}
              onSelect={(id) => navigate({ endpoint: id })}
            />
          </label>
          <nav class="endpoints" aria-label="Endpoints">
            {value.tags.map(({ name }) => (
              <div key={name}>
                <h2>{name}</h2>
                {endpoints
                  .filter(({ tags }) => tags.includes(name))
                  .map(({ operationId, path }) => (
                    <a
                      key={operationId}
                      class="mono"
                      href={hrefWith({ endpoint: operationId })}
                      aria-current={operationId === current.operationId ? 'true' : undefined}
                    >
                      <BreakingPath path={path} />
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

/** A path that is broken after a slash where it is too long for a line. */
function BreakingPath({ path }: { path: string }) {
  return (
    <>
      {path.split(/(?<=.\/)/).map((part, index) => (
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </>
  )
}
