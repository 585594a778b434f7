import type { CommandType } from '../world/commands/index.ts'
import { countGrouped } from './count.ts'
import { isFaultKind, sentenceOfFault } from './fault-words.ts'
import { commandWords, fitOnLine } from './fit-on-line.ts'
import { toMinute } from './times.ts'

type Fields = Readonly<Record<string, unknown>>

/** Commands in the past tense, by type; undefined for fields of another form, which only a file from elsewhere has. */
const SENTENCES: { [Type in CommandType]?: (fields: Fields) => string | undefined } = {
  reset: () => 'Reset the world',
  'clock.set': ({ now }) => `Set the world clock to ${toMoment(now)}`,
  'clock.advance': ({ by }) => `Advanced both clocks by ${toDistance(by)}`,
  'clock.freeze': ({ frozen }) =>
    frozen === false ? 'Let the world clock run' : 'Froze the world clock',
  'record.put': ({ collection, record }) =>
    `Wrote ${recordName(collection, fieldsOf(record)?.['id'])}`,
  'record.patch': ({ collection, id }) => `Changed ${recordName(collection, id)}`,
  'record.delete': ({ collection, id }) => `Deleted ${recordName(collection, id)}`,
  'record.restore': ({ collection, id }) => `Took back a change of ${recordName(collection, id)}`,
  'report.create': ({ project }) => `Created the next report of project ${word(project)}`,
  'report.start': stepOf('Started'),
  'report.complete': stepOf('Completed'),
  'report.fail': stepOf('Failed'),
  'report.retry': stepOf('Retried'),
  'report.approve': stepOf('Approved'),
  'report.reject': stepOf('Rejected'),
  'report.manage': stepOf('Managed'),
  'report.send': stepOf('Sent'),
  'report.regenerate': stepOf('Regenerated'),
  'policy.set': ({ policies }) => {
    const set = Object.entries(fieldsOf(policies) ?? {})
    const [[name, value] = []] = set
    if (name === undefined) return undefined
    return set.length === 1
      ? `Set the policy ${name} to ${word(value)}`
      : `Set ${countGrouped(set.length, 'policy', 'policies')}`
  },
  'rate.clear': () => 'Cleared the rate limits',
  'fault.add': ({ fault }) => {
    const sentence = faultWords(fault)
    return sentence && `Armed a fault: ${sentence}`
  },
  'fault.set': ({ faults }) => {
    if (!Array.isArray(faults)) return undefined
    if (faults.length === 0) return 'Disarmed all faults'
    return `Armed ${countGrouped(faults.length, 'fault')} in place of all others`
  },
  'fault.remove': ({ id }) => `Disarmed fault ${word(id)}`,
  'fault.restore': ({ faults }) =>
    Array.isArray(faults)
      ? `Armed ${countGrouped(faults.length, 'fault')} again, as before`
      : undefined,
  'journal.clear': () => 'Cleared the journal',
  'scenario.load': ({ scenario }) => `Loaded the scenario ${word(scenario)}`,
  'fixtures.load': () => 'Loaded fixtures',
  'snapshot.restore': () => 'Restored a snapshot',
}

/** A command as a sentence in the past tense, without a full stop: `Advanced both clocks by 30 s`; its type and fields if it is unknown. */
export function commandSentence(command: unknown): string {
  const { type, ...fields } = fieldsOf(command) ?? {}
  const isKnown = typeof type === 'string' && Object.hasOwn(SENTENCES, type)
  const sentence = isKnown ? SENTENCES[type as CommandType]?.(fields) : undefined
  return sentence ?? commandWords(command)
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined
}

function word(value: unknown): string {
  return fitOnLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? '…'), 80)
}

function recordName(collection: unknown, id: unknown): string {
  return `${word(collection)} ${word(id)}`
}

function stepOf(verb: string): (fields: Fields) => string {
  return ({ report }) => `${verb} the report with id ${word(report)}`
}

/** A time on the world clock, which may be relative, like `now+1d`. */
function toMoment(time: unknown): string {
  const text = word(time)
  return /^\d{4}-/.test(text) && !Number.isNaN(Date.parse(text)) ? toMinute(text) : text
}

const UNITS: readonly (readonly [one: string, many: string])[] = [
  ['a year', 'years'],
  ['a month', 'months'],
  ['a week', 'weeks'],
  ['a day', 'days'],
  ['an hour', 'hours'],
  ['a minute', 'min'],
  ['a second', 's'],
]

const DURATION =
  /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

/** `P1M` as `a month`, `PT30S` as `30 s`, `P1DT12H` as `a day and 12 hours`; milliseconds and other texts as they are. */
function toDistance(by: unknown): string {
  if (typeof by === 'number') return `${by.toLocaleString('en')} ms`
  const [, ...numbers] = DURATION.exec(word(by)) ?? []
  const parts = UNITS.flatMap(([one, many], index) => {
    const number = Number(numbers[index] ?? 0)
    return number === 0 ? [] : [number === 1 ? one : `${number} ${many}`]
  })
  return parts.join(' and ') || word(by)
}

function faultWords(fault: unknown): string | undefined {
  const { kind, schedule = {}, retry_after: wait = 0 } = fieldsOf(fault) ?? {}
  if (!isFaultKind(kind) || schedule === null || wait === null) return undefined
  return sentenceOfFault(fault as Parameters<typeof sentenceOfFault>[0], [])
}
