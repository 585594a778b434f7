import { printJson, colorsFor } from '../print.ts'
import { withoutControls } from '../../contract/text.ts'
import type { AppliedCommand } from '../../journal/applied-command.ts'
import type { JournalRequest } from '../../journal/journal-request.ts'
import { readFilter } from '../../journal/request-filter.ts'
import type { RequestFilterInput } from '../../journal/request-filter.ts'
import { commandWords } from '../../wording/fit-on-line.ts'
import { decidingFault, isDecidedByResource, reasonOf } from '../../wording/decision.ts'
import { toSecond } from '../../wording/times.ts'
import {
  listOption,
  option,
  parseFlag,
  parseOption,
  toInteger,
} from '../../world/options/parse-option.ts'
import type { FaultStatus } from '../../world/faults/fault-status.ts'
import type { Flags } from '../cli-command.ts'
import { formatRequest } from '../request-log.ts'
import { observe } from './observed-world.ts'
import type { TextFilter } from './observed-world.ts'

const DEFAULT_LIMIT = 50
const MAXIMUM_LIMIT = 100_000

const Filters = listOption((text) => /^[a-z_]+=/.test(text), {
  noun: 'a criterion for requests',
  remedy: 'use one like status=4xx or project=101',
})

const Limit = option((input) => toInteger(input, MAXIMUM_LIMIT) || undefined, {
  noun: 'a number of lines',
  remedy: `use 1 to ${MAXIMUM_LIMIT}`,
})

type Entry = ({ kind: 'request' } & JournalRequest) | ({ kind: 'command' } & AppliedCommand)

/**
 * `seo-sandbox traffic`: prints the latest requests and commands of a world, one per line, with the reason for each response.
 *
 * @throws OptionError
 */
export async function traffic(file: string | undefined, flags: Flags): Promise<void> {
  const filter = readCriteria(flags)
  const limit = parseFlag(Limit, flags, 'limit') ?? DEFAULT_LIMIT
  const world = await observe(file, flags)
  // One more than `limit`, to notice further requests.
  const requests = await world.requests(filter, limit + 1)
  const isFiltered = Object.keys(filter).length > 0
  // Criteria apply only to requests.
  const commands = isFiltered ? [] : await world.commands()
  const entries: Entry[] = [
    ...requests.map((request) => ({ kind: 'request' as const, ...request })),
    ...commands.map((command) => ({ kind: 'command' as const, ...command })),
  ].toSorted((one, other) => one.sequence - other.sequence)
  const shown = entries.slice(-limit)
  if (flags['json'] === true) {
    printJson(shown, 2)
    return
  }
  const faults = await world.faults()
  const lines = shown.map((entry) => formatEntry(entry, faults))
  if (shown.length === 0) lines.push(isFiltered ? NONE_FOUND : NONE_YET)
  if (shown.length < entries.length) {
    lines.push(`These are the latest ${shown.length}. --limit ${limit * 10} shows more.`)
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}

const NONE_FOUND = 'No request matches.'
const NONE_YET = 'There have been no requests yet.'

function readCriteria(flags: Flags): TextFilter {
  const texts = parseFlag(Filters, flags, 'filter') ?? []
  const filter = Object.fromEntries(texts.map((text) => text.split(/=(.*)/s, 2)))
  parseOption(readFilter, filter as RequestFilterInput, '--filter')
  return filter as TextFilter
}

function formatEntry(entry: Entry, faults: readonly FaultStatus[]): string {
  const colors = colorsFor(process.stdout)
  const place = `#${entry.sequence}  ${toSecond(entry.clock.now)}  `
  if (entry.kind === 'command') {
    return colors.dim(place) + colors.cyan(withoutControls(commandWords(entry.command)))
  }
  const { query, path, rule } = entry
  const target = query === '' ? path : `${path}?${query}`
  const fault = faults.find(({ id }) => id === decidingFault(entry))
  const section = rule === null ? '' : ` (${rule})`
  const reason = isDecidedByResource(entry)
    ? ''
    : `  ${withoutControls(reasonOf(entry, fault) + section)}`
  return colors.dim(place) + formatRequest({ ...entry, target }, colors) + reason
}
