import { SlidersHorizontal, X } from 'lucide'
import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { SearchField, Segments, Select } from '../../parts/form-fields.tsx'
import { BreakingPath } from '../../parts/marked-text.tsx'
import { countUpTo, FILTER_NAMES, toClock } from './traffic-lines.ts'
import type { Filter } from './traffic-lines.ts'
import {
  allLines,
  choices,
  clearFilter,
  filter,
  isFiltered,
  lineCounts,
  setFilter,
  titleOfFault,
} from './traffic-state.ts'

/** The filters of the list. On a phone, all but the search are in a sheet. */
export function Filters() {
  const [isSheet, setSheet] = useState(false)
  const { length: count } = FILTER_NAMES.filter(
    (name) => name !== 'q' && (filter.value[name] ?? '') !== '',
  )
  return (
    <>
      <div class="row filters">
        <SearchField
          label="Search requests"
          value={filter.value.q ?? ''}
          onInput={(q) => setFilter({ q })}
        />
        <Choices />
        <Button class="for-phone" icon={SlidersHorizontal} onPress={() => setSheet(true)}>
          {count > 0 ? `Filters · ${count}` : 'Filters'}
        </Button>
      </div>
      {isSheet && (
        <Dialog title="Filters" onClose={() => setSheet(false)} isSheet close="Show the requests">
          <div class="stack form">
            <Choices />
          </div>
        </Dialog>
      )}
    </>
  )
}

/** Values of the status filter that have a segment instead of an option. */
const SEGMENTS = ['', 'error', 'finding']

function Choices() {
  const { tokens, operations, statuses, faults } = choices.value
  const counts = [allLines.value.length, lineCounts.value.error, lineCounts.value.finding]
  const [all, failed, findings] = counts.map((count) => count.toLocaleString('en'))
  return (
    <>
      <Segments
        label="Requests to list"
        value={filter.value.status ?? ''}
        options={[
          ['', `All ${all}`],
          ['error', `Failed ${failed}`],
          ['finding', `With findings ${findings}`],
        ]}
        onSelect={(status) => setFilter({ status })}
      />
      <Choice
        name="token"
        all="Any token"
        options={tokens.map((token) => [token, token === 'none' ? 'None' : token])}
      />
      <Choice
        name="operation"
        all="Any endpoint"
        options={operations.map((operation) => [
          operation,
          // All endpoints use GET.
          operation === 'none' ? 'An unknown path' : operation.replace(/^GET /, ''),
        ])}
      />
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
      <Choice
        name="fault"
        all="Any fault or none"
        options={[
          ['any', 'Any fault'],
          ...faults.map((fault): Option => [fault, titleOfFault(Number(fault))]),
        ]}
      />
    </>
  )
}

/** Buttons that remove the filter by path, the range of time, or all filters. Each is shown only while it has an effect. */
export function ActiveFilters() {
  const { path, from, to } = filter.value
  return (
    <>
      {path !== undefined && path !== '' && (
        <Button class="path-filter" icon={X} onPress={() => setFilter({ path: '' })}>
          Only{' '}
          <bdi class="mono">
            <BreakingPath path={path.slice(0, 80)} />
          </bdi>
        </Button>
      )}
      {(from ?? to ?? '') !== '' && (
        <Button icon={X} onPress={() => setFilter({ from: undefined, to: undefined })}>
          Only {timeAt(from)} to {timeAt(to)}
        </Button>
      )}
      {isFiltered.value && (
        <Button variant="quiet" onPress={clearFilter}>
          Show all
        </Button>
      )}
    </>
  )
}

function timeAt(sequence: string | undefined): string {
  const lines = allLines.value
  const line = lines[countUpTo(lines, Number(sequence ?? Infinity)) - 1]
  return toClock(line?.at ?? NaN)
}

type Option = readonly [value: string, title: string]

const LABELS = { status: 'Status', token: 'Token', operation: 'Endpoint', fault: 'Fault' }

interface ChoiceProps {
  name: keyof typeof LABELS & keyof Filter
  /** Title of the option that removes the filter. */
  all: string
  options: readonly Option[]
}

function Choice({ name, all, options }: ChoiceProps) {
  const chosen = filter.value[name] ?? ''
  const value = name === 'status' && SEGMENTS.includes(chosen) ? '' : chosen
  const isThere = value === '' || options.some(([option]) => option === value)
  return (
    <Select
      label={LABELS[name]}
      value={value}
      options={[['', all], ...(isThere ? [] : [[value, value] as const]), ...options]}
      onSelect={(picked) => setFilter({ [name]: picked })}
      narrows={value !== ''}
    />
  )
}
