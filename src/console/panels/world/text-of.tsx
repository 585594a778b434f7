import type { RecordOf } from '../../api/types.ts'
import { shorten } from '../../../wording/shorten.ts'

type Report = RecordOf<'reports'>

/** How much of a text is shown; more than anybody reads here. */
const SHOWN = 20_000

/** What a report has for a keyword, as text: blocks with headings, or JSON in a scheme of another shape. */
export function TextOf({
  content,
  status,
}: {
  content: NonNullable<Report['content']>[string] | undefined
  status: Report['status']
}) {
  if (content === undefined) {
    return (
      <p class="soft">
        {status === 'completed'
          ? 'This report has no content for this keyword.'
          : `This report is ${status}: it has no content yet.`}
      </p>
    )
  }
  if (!Array.isArray(content)) {
    return <pre>{shorten(JSON.stringify(content.content, null, 2), SHOWN)}</pre>
  }
  return (
    <>
      {content.map(({ h3, text }, index) => (
        <article key={index} dir="auto">
          <h3>{shorten(h3)}</h3>
          <p>{shorten(text, SHOWN)}</p>
        </article>
      ))}
    </>
  )
}
