import { SearchField, Select } from '../../parts/form-fields.tsx'
import { countUpTo, toClock } from './traffic-lines.ts'
import type { Filter } from './traffic-lines.ts'
import {
  allLines,
  choices,
  clearFilter,
  filter,
  isFiltered,
  setFilter,
  titleOfFault,
} from './traffic-state.ts'

/** What the list is narrowed to. */
export function Filters() {
  const { statuses, tokens, operations, faults } = choices.value
  const { q = '', path, from, to } = filter.value
  return (
    <div class="toolbar filters">
      <SearchField label="Search requests" value={q} onInput={(value) => setFilter({ q: value })} />
      <Choice
        name="status"
        all="Any status"
        options={[
          ['2', 'All 2xx'],
          ['4', 'All 4xx'],
          ['5', 'All 5xx'],
          ...statuses.map((status): Option => [status, status === '0' ? 'No response' : status]),
          ['command', 'Commands'],
        ]}
      />
      <Choice name="token" all="Any token" options={tokens.map(toOption)} />
      <Choice name="operation" all="Any endpoint" options={operations.map(toOption)} />
      <Choice
        name="fault"
        all="Any fault or none"
        options={[
          ['any', 'Any fault'],
          ...faults.map((fault): Option => [fault, titleOfFault(Number(fault))]),
        ]}
      />
      {path !== undefined && path !== '' && (
        <button type="button" class="button path-filter" onClick={() => setFilter({ path: '' })}>
          Only <bdi class="mono">{path.slice(0, 80)}</bdi> ×
        </button>
      )}
      {(from ?? to ?? '') !== '' && (
        <button
          type="button"
          class="button"
          onClick={() => setFilter({ from: undefined, to: undefined })}
        >
          Only {timeAt(from)} to {timeAt(to)} ×
        </button>
      )}
      {isFiltered.value && (
        <button type="button" class="button quiet" onClick={clearFilter}>
          Show all
        </button>
      )}
    </div>
  )
}

/** When an entry arrived. */
function timeAt(sequence: string | undefined): string {
  const lines = allLines.value
  const line = lines[countUpTo(lines, Number(sequence ?? Infinity)) - 1]
  return toClock(line?.at ?? NaN).slice(0, 8)
}

type Option = readonly [value: string, title: string]

function toOption(value: string): Option {
  return [value, value === 'none' ? 'None' : value]
}

const LABELS = { status: 'Status', token: 'Token', operation: 'Endpoint', fault: 'Fault' }

interface ChoiceProps {
  name: keyof typeof LABELS & keyof Filter
  /** What the option that does not narrow is called. */
  all: string
  options: readonly Option[]
}

function Choice({ name, all, options }: ChoiceProps) {
  const value = filter.value[name] ?? ''
  const isThere = value === '' || options.some(([option]) => option === value)
  return (
    <Select
      label={LABELS[name]}
      value={value}
      options={[['', all], ...(isThere ? [] : [[value, value] as const]), ...options]}
      onSelect={(chosen) => setFilter({ [name]: chosen })}
      narrows={value !== ''}
    />
  )
}
