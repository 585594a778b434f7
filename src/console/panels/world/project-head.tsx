import { api } from '../../api/client.ts'
import { CopyText } from '../../parts/copy-button.tsx'
import { toMinute } from '../../parts/times.ts'
import { useResource } from '../../state/resource.ts'
import { Fields } from './fields.tsx'
import { count, shorten } from '../../parts/texts.ts'

/** The name of a project, and its facts. */
export function ProjectHead({ project }: { project: number }) {
  const { value } = useResource((signal) => readHead(project, signal), [])
  const path = <CopyText text={`/api/v1/projects/${project}`} what="the path" />
  if (!value) {
    return (
      <>
        <h1>Project {project}</h1>
        <p class="sub">{path}</p>
      </>
    )
  }
  const { record, agency, language, keywords } = value
  const facts = [`Project ${project}`, agency, language, count(keywords, 'keyword')]
  return (
    <>
      <h1>
        <bdi>{shorten(record.name, 120)}</bdi>
      </h1>
      <div class="sub">
        {facts.map(
          (fact) =>
            fact !== null && (
              <span key={fact}>
                <bdi>{shorten(fact, 80)}</bdi> ·{' '}
              </span>
            ),
        )}
        {path}
        <details>
          <summary>All fields of the project</summary>
          <Fields record={{ ...record, created_at: toMinute(record.created_at) }} />
        </details>
      </div>
    </>
  )
}

async function readHead(project: number, signal: AbortSignal) {
  const record = await api.get(`/records/projects/${project}`, {}, signal)
  const { agency, text_language } = record
  const [{ name }, language, { total }] = await Promise.all([
    api.get(`/records/agencies/${agency}`, {}, signal),
    text_language === null ? null : api.get(`/records/languages/${text_language}`, {}, signal),
    api.list('keywords', { project, limit: 1 }, signal),
  ])
  return { record, agency: name, language: language?.label ?? null, keywords: total }
}
