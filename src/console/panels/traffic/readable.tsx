import type { JSX } from 'preact'
import { CopyButton } from '../../parts/copy-button.tsx'
import { toReadable } from './body-text.ts'

/** A body or a command, indented where it is JSON. */
export function Readable({ body, what }: { body: string; what: string }): JSX.Element {
  const { text, omitted } = toReadable(body)
  return (
    <div class="readable">
      <CopyButton text={body} what={what} />
      <pre tabIndex={0} aria-label={what}>
        <bdi>{text}</bdi>
        {omitted > 0 && (
          <span class="soft">
            {`\n… and ${omitted.toLocaleString('en')} more characters, which Copy has too`}
          </span>
        )}
      </pre>
    </div>
  )
}

/** Headers by name and value. */
export function Headers({
  headers,
  omitted = 0,
}: {
  headers: readonly { name: string; value: string }[]
  omitted?: number
}): JSX.Element {
  return (
    <>
      {headers.length === 0 && <p class="soft">None.</p>}
      <dl class="headers mono">
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
