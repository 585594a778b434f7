import { CopyText } from '../../parts/copy-button.tsx'
import { shorten } from '../../../wording/shorten.ts'
import { count } from '../../parts/texts.ts'
import { Fields } from './fields.tsx'
import type { ReadProject } from './read-project.ts'

/** The name of a project, and its facts; `read` is undefined until it was read. */
export function ProjectHead({ project, read }: { project: number; read: ReadProject | undefined }) {
  const path = <CopyText text={`/api/v1/projects/${project}`} what="the path" />
  if (!read) {
    return (
      <>
        <h1>Project {project}</h1>
        <p class="sub">{path}</p>
      </>
    )
  }
  const { record, names, keywords } = read
  const { agency, text_language: language } = names
  const facts = [`Project ${project}`, agency, language, count(keywords, 'keyword')]
  return (
    <>
      <h1>
        <bdi>{shorten(record.name, 120)}</bdi>
      </h1>
      <div class="sub">
        {facts.map(
          (fact) =>
            fact !== undefined && (
              <span key={fact}>
                <bdi>{shorten(fact, 80)}</bdi> ·{' '}
              </span>
            ),
        )}
        {path}
        <details>
          <summary>All fields of the project</summary>
          <Fields record={record} names={names} />
        </details>
      </div>
    </>
  )
}
