import { useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { pressOnEnter, useSending } from '../../parts/request-form.tsx'
import { TextField } from '../../parts/form-fields.tsx'
import { Section } from '../../parts/section.tsx'
import type { EndpointDefinition, OpenapiDocument } from '../../state/openapi.ts'
import { toSearch } from '../../state/location.ts'
import { useResource } from '../../state/resource.ts'
import { isUnrestricted, listTokens } from '../../state/client-requests.ts'
import { schemaTypeOf } from './schema-view.tsx'

export interface EndpointProps {
  endpoint: EndpointDefinition
  document: OpenapiDocument
}

export function RunForm({ endpoint, document }: EndpointProps) {
  const { path, parameters, summary } = endpoint
  const { value } = useResource(usualValues, [])
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>({})
  const valueOf = (name: string, place: string): string =>
    draft[name] ?? (place === 'path' ? String(value?.usual[name] ?? 1) : '')
  const { tokens = [], token } = value ?? {}
  const full = toPath(path, parameters, valueOf)
  const sentence = `Requested: ${summary.toLowerCase()}`
  const { controls, response } = useSending(tokens, token, { path: full }, sentence)
  return (
    <Section title="Send a request">
      <form class="columns form" onKeyDown={pressOnEnter}>
        {parameters.length === 0 && <p class="soft">It takes no parameters.</p>}
        {parameters.map(({ name, in: place, description, schema }) => (
          <label key={name}>
            <span>
              <code>{name}</code> · {schemaTypeOf(schema, document)},{' '}
              {place === 'path' ? 'in the path' : 'optional'}
            </span>
            <TextField
              name={name}
              aria-label={name}
              aria-describedby={`about-${name}`}
              value={valueOf(name, place)}
              onInput={(text) => setDraft({ ...draft, [name]: text })}
            />
            <small id={`about-${name}`}>{description.replaceAll('`', '')}.</small>
          </label>
        ))}
        <code>GET {full}</code>
        {controls}
      </form>
      {response}
    </Section>
  )
}

/** Reads the tokens, and picks a token and path parameters for which this world has data, if it has any. */
async function usualValues(signal: AbortSignal) {
  const first = { limit: 1 }
  const [tokens, projects, ...others] = await Promise.all([
    listTokens(signal),
    api.list('projects', first, signal),
    api.list('countries', first, signal),
    api.list('languages', first, signal),
    api.list('users', first, signal),
  ])
  const [project] = projects.records
  const [country, language, user] = others.map(({ records: [record] }) => record?.id)
  const explained = project && (await api.get(`/explain/projects/${project.id}`, {}, signal))
  const usual: Readonly<Record<string, number | undefined>> = {
    project: project?.id,
    country,
    language,
    user,
    report_number: explained?.last_generated.selected?.report_number,
  }
  const usable = tokens.filter(isUnrestricted)
  const token = usable.find(({ agency }) => agency === project?.agency) ?? usable[0]
  return { tokens, token, usual }
}

function toPath(
  path: string,
  parameters: EndpointDefinition['parameters'],
  valueOf: (name: string, place: string) => string,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(valueOf(name, 'path')),
  )
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => [name, valueOf(name, 'query')] as const)
  return `/api/v1${filled}${toSearch(Object.fromEntries(query))}`
}
