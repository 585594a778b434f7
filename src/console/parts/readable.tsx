import type { Command, GapStatus } from '../api/types.ts'
import { hrefWith } from '../state/location.ts'
import { useGet } from '../state/resource.ts'
import { journal } from '../state/shown-journal.ts'
import { CopyButton } from './copy-button.tsx'

/** Number of characters shown. Nobody reads more, and their layout would slow down the page. */
const SHOWN_LENGTH = 20_000

/** In characters. Indenting longer JSON would slow down the page. */
const INDENTED_LENGTH = 200_000

/** A body or a command, cut to `SHOWN_LENGTH`. JSON of up to `INDENTED_LENGTH` is indented. */
export function Readable({ body, name }: { body: string; name: string }) {
  const text = body.length <= INDENTED_LENGTH ? indent(body) : body
  const omitted = text.length - SHOWN_LENGTH
  return (
    <div class="readable">
      <CopyButton text={body} name={name} />
      <pre tabIndex={0} aria-label={name}>
        <bdi>{text.slice(0, SHOWN_LENGTH)}</bdi>
        {omitted > 0 && (
          <span class="soft">
            {`\n… and ${omitted.toLocaleString('en')} more characters, which Copy has too`}
          </span>
        )}
      </pre>
    </div>
  )
}

function indent(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

interface HeadersProps {
  headers: readonly { name: string; value: string }[]
  omitted?: number
}

export function Headers({ headers, omitted = 0 }: HeadersProps) {
  return (
    <>
      {headers.length === 0 && <p class="soft">None.</p>}
      <dl class="pairs headers mono">
        {headers.slice(0, 100).map(({ name, value }, index) => (
          <div key={`${index} ${name}`}>
            <dt>{name.slice(0, 200)}</dt>
            <dd>
              <bdi>{value.slice(0, 2000)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {omitted > 0 && <p class="soft">{omitted} more did not fit into 4 kB.</p>}
    </>
  )
}

/**
 * Gaps that a response depends on, each with the answer in force at the request. Pass no `sequence` for a request from a file: the
 * answers are then unknown and not shown.
 */
export function GapList(props: { ids: readonly string[]; sequence: number | undefined }) {
  const { ids, sequence } = props
  const { value = [] } = useGet('/policies')
  return (
    <ul>
      {ids.map((id) => {
        const gap = value.find((each) => each.id === id)
        return (
          <li key={id}>
            {gap && `${gap.question}${sequence === undefined ? '' : answerAt(gap, sequence)} `}
            <a class="mono" href={hrefWith({ ...NO_PROJECT, panel: 'policies', search: id })}>
              {id}
            </a>
          </li>
        )
      })}
    </ul>
  )
}

const NO_PROJECT = { project: undefined, report: undefined }

function answerAt({ id, policy, value, behaviour, options }: GapStatus, sequence: number): string {
  const commands = journal.value.entries.flatMap((entry) => {
    const command = entry.kind === 'command' && (entry.command as Command)
    if (!command || command.type !== 'policy.set') return []
    const settings = command.policies as Record<string, string | number | { value: string }>
    const set = settings[policy ?? id] ?? settings[id]
    const to = String(typeof set === 'object' ? set.value : set)
    return set === undefined ? [] : [{ to, isLater: entry.sequence > sequence }]
  })
  const before = commands.findLast(({ isLater }) => !isLater)?.to
  if (!commands.at(-1)?.isLater || before === value) return `: ${behaviour}`
  return before === undefined
    ? `: set since, now ${value}`
    : `: ${options[before] ?? before} then; ${value} now`
}
