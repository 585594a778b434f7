import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { FieldName } from './marked-text.tsx'
import { toWords } from './value-words.ts'
import { countGrouped } from '../../wording/count.ts'
import { fitOnLine } from '../../wording/fit-on-line.ts'

export interface Answer {
  /** Title of the response's column: `Now: report 4`. */
  title: string
  /** Fields of `data` in the response; null for a response without `data`, such as a 404. */
  fields: object | null
}

export const REPORT_FIELDS = ['report_number', 'status', 'date_to_create_texts']

interface BeforeAfterProps {
  label: string
  before?: Answer | undefined
  after: Answer
  alwaysShown: readonly string[]
}

/** Table of the fields of two API responses, with differences marked. Without `before`, shows `after` alone. */
export function BeforeAfter({ label, before, after, alwaysShown }: BeforeAfterProps) {
  const [isWhole, setWhole] = useState(false)
  const [isWire, setWire] = useState(false)
  const [was, is] = [toFields(before), toFields(after)]
  const rows = [...new Set([...Object.keys(is), ...Object.keys(was)])].map((name) => ({
    name,
    differs: before !== undefined && JSON.stringify(was[name]) !== JSON.stringify(is[name]),
  }))
  // Every field differs from a 404, so only `alwaysShown` is useful then.
  const isOneMissing = before?.fields === null || after.fields === null
  const isShown = ({ name, differs }: (typeof rows)[number]): boolean =>
    isWhole || alwaysShown.includes(name) || (differs && !isOneMissing)
  const write = (value: unknown): string =>
    fitOnLine(isWire ? (JSON.stringify(value) ?? '–') : toWords(value), 120)
  return (
    <div class="before-after">
      <table aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{before ? differenceOf(rows) : 'Field'}</th>
            {before && <th scope="col">{before.title}</th>}
            <th scope="col">{after.title}</th>
          </tr>
        </thead>
        <tbody>
          {rows.filter(isShown).map(({ name, differs }) => (
            <tr key={name} class={differs ? 'differs' : undefined}>
              <th scope="row">
                {differs && <span class="hidden">differs: </span>}
                <FieldName name={name} />
              </th>
              {before && (
                <td>
                  <bdi>{write(was[name])}</bdi>
                </td>
              )}
              <td>
                <bdi>{write(is[name])}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.some(({ name }) => !alwaysShown.includes(name)) && (
        <div class="row">
          <Button variant="quiet" pressed={isWhole} onPress={() => setWhole(!isWhole)}>
            All {countGrouped(rows.length, 'field')}
          </Button>
          <Button variant="quiet" pressed={isWire} onPress={() => setWire(!isWire)}>
            As in the JSON
          </Button>
        </div>
      )}
    </div>
  )
}

function differenceOf(rows: readonly { differs: boolean }[]): string {
  const { length } = rows.filter(({ differs }) => differs)
  if (length === 0) return 'No field differs'
  return `${countGrouped(length, 'field')} differ${length === 1 ? 's' : ''}`
}

function toFields(answer: Answer | undefined): Readonly<Record<string, unknown>> {
  return { ...answer?.fields }
}
