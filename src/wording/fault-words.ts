import type { FaultInput } from '../world/faults/fault.ts'
import type { FaultStatus } from '../world/faults/fault-status.ts'
import { countGrouped } from './count.ts'
import { toMinute } from './times.ts'

type Fault = FaultStatus | FaultInput

const KINDS: Record<string, string> = {
  status: 'An error',
  html: 'A proxy’s error page',
  reset: 'A reset connection',
  'no-answer': 'No answer',
  latency: 'A delay',
  'slow-body': 'A slow body',
  'truncated-body': 'A body that breaks off',
  'malformed-json': 'Invalid JSON',
}

export function isFaultKind(kind: unknown): boolean {
  return typeof kind === 'string' && Object.hasOwn(KINDS, kind)
}

/** Describes a kind of fault: `A delay (latency)`. Returns an unknown kind unchanged. */
export function kindTitle(kind: string): string {
  const words = KINDS[kind]
  return words === undefined ? kind : `${words} (${kind})`
}

/** True for a fault that delays every response, as `--latency` does. The console does not count it as armed. */
export function delaysAll({ kind, endpoint, token, project, schedule }: Fault): boolean {
  return (
    kind === 'latency' && [endpoint, token, project, schedule].every((one) => one === undefined)
  )
}

/** Formats the delay of a fault: `2 s`, `250 ms`, `100 to 400 ms`. */
export function delayIn(fault: Extract<Fault, { kind: 'latency' }>): string {
  const { ms, min_ms = 0, max_ms = 0 } = fault
  if (ms !== undefined) return toTime(ms)
  return `${max_ms < 1000 ? min_ms : toTime(min_ms)} to ${toTime(max_ms)}`
}

function toTime(ms: number): string {
  return ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`
}

/** Describes the response to an affected request: `a 503`. */
export function faultResponse(fault: Fault): string {
  switch (fault.kind) {
    case 'status': {
      return `a ${fault.status}${waitIn(fault.retry_after)}`
    }
    case 'html':
      return `a proxy’s error page with a ${fault.status}`
    case 'reset':
      return 'a reset connection'
    case 'no-answer':
      return 'no answer'
    case 'latency':
      return `an answer that is ${delayIn(fault)} late`
    case 'slow-body':
      return `a body that takes ${toTime(fault.ms)}`
    case 'truncated-body':
      return 'a body that breaks off'
    case 'malformed-json':
      return 'invalid JSON'
  }
}

function waitIn(wait: Extract<Fault, { kind: 'status' }>['retry_after']): string {
  if (wait === undefined) return ''
  if (typeof wait === 'number') return ` that says to retry after ${wait} s`
  if (typeof wait === 'string') return ` whose Retry-After is “${wait}”`
  const { date_in: seconds } = wait
  const when = seconds < 0 ? `${-seconds} s ago` : `${seconds} s later`
  return ` whose Retry-After is a date, ${when}`
}

/** Describes a fault as a sentence, without a full stop: `The next two requests for GET /projects get a 503`. */
export function sentenceOfFault(
  fault: Fault,
  tokens: readonly { id: number; name: string }[],
): string {
  const { endpoint, token, project } = fault
  const { which, verb, when = '' } = subjectOf(fault)
  const name = tokens.find(({ id }) => id === token)?.name.slice(0, 80) ?? `token ${token ?? ''}`
  const target = [
    endpoint === undefined ? '' : ` for ${endpoint}`,
    token === undefined ? '' : ` by ${name}`,
    project === undefined ? '' : ` about project ${project}`,
  ].join('')
  return `${which}${target}${when} ${verb} ${faultResponse(fault)}`
}

interface Subject {
  which: string
  verb: string
  when?: string
}

/**
 * Returns the subject of a sentence about the affected requests, and its verb. Counts only future requests, unless the
 * fault is exhausted.
 */
function subjectOf(fault: Fault): Subject {
  const { first, every, nth, share, from, until } = fault.schedule ?? {}
  const { matched, fired, exhausted: isOver } = 'matched' in fault ? fault : NOTHING_YET
  if (first !== undefined) {
    if (!isOver) return next(first - matched)
    const missed = first === 1 ? 'was to get' : 'were to get'
    return { which: few('first', first), verb: fired < first ? missed : 'got' }
  }
  if (nth !== undefined) {
    if (isOver) {
      return { which: `The ${ordinal(nth)} request`, verb: fired === 0 ? 'was to get' : 'got' }
    }
    const left = nth - matched
    return left === 1
      ? next(left)
      : { which: `The ${ordinal(left)} request from now`, verb: 'gets' }
  }
  if (share !== undefined)
    return { which: `About ${Number((share * 100).toPrecision(6))}% of requests`, verb: 'get' }
  const which = (every ?? 1) === 1 ? 'Every request' : `Every ${ordinal(every ?? 1)} request`
  const when =
    (from === undefined ? '' : ` from ${toMoment(from)}`) +
    (until === undefined ? '' : ` until ${toMoment(until)}`)
  return { which, verb: isOver ? 'got' : 'gets', when }
}

const NOTHING_YET = { matched: 0, fired: 0, exhausted: false }

/** Describes the requests that a fault has affected, and those that another fault answered in its place. */
export function countsOfFault({ matched, fired, exhausted, schedule = {} }: FaultStatus): string {
  if (matched === 0) return 'no matching request so far'
  const { first = Infinity, every = 1, nth, ...others } = schedule
  const due =
    nth === undefined ? Math.floor(Math.min(matched, first) / every) : Number(matched >= nth)
  const missed = Object.keys(others).length === 0 ? due - fired : 0
  const share = exhausted ? '' : `${fired.toLocaleString('en')} of `
  const affected = `affected ${share}${countGrouped(exhausted ? fired : matched, 'matching request')}`
  return missed > 0 ? `${affected}, another fault answered ${missed}` : affected
}

function next(left: number): Subject {
  return { which: few('next', left), verb: left === 1 ? 'gets' : 'get' }
}

function few(which: string, number: number): string {
  return number === 1 ? `The ${which} request` : `The ${which} ${cardinal(number)} requests`
}

const CARDINALS = 'no one two three four five six seven eight nine ten'.split(' ')
const ORDINALS = 'zeroth first second third fourth fifth sixth seventh eighth ninth tenth'.split(
  ' ',
)

const ORDINAL_RULES = new Intl.PluralRules('en', { type: 'ordinal' })
const SUFFIXES: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }

function cardinal(number: number): string {
  return CARDINALS[number] ?? number.toLocaleString('en')
}

function ordinal(number: number): string {
  const suffix = SUFFIXES[ORDINAL_RULES.select(number)] ?? 'th'
  return ORDINALS[number] ?? `${number.toLocaleString('en')}${suffix}`
}

/** Formats a time in a fault's schedule. Before the fault is armed, the time may be relative, like `now+1d`. */
function toMoment(time: unknown): string {
  const text = String(time)
  return Number.isNaN(Date.parse(text)) ? text : toMinute(text)
}
