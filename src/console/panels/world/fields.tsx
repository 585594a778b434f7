import type { JSX } from 'preact'
import { toLine } from './texts.ts'

/** The fields of a record by their own names, in the order that it has them. */
export function Fields({ record }: { record: object }): JSX.Element {
  return (
    <dl class="fields">
      {Object.entries(record).map(([name, value]) => (
        <div key={name}>
          <dt class="mono">{name}</dt>
          <dd>
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ value }: { value: unknown }): JSX.Element {
  if (value === null || value === undefined) return <span class="soft">null</span>
  return <bdi>{toLine(typeof value === 'string' ? value : JSON.stringify(value))}</bdi>
}
