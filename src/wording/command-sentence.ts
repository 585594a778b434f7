import type { ReportStep } from '../contract/report-facts.ts'
import type { CommandType } from '../world/commands/index.ts'
import { count, countGrouped } from './count.ts'
import { isFaultKind, sentenceOfFault } from './fault-words.ts'
import { commandWords, fitOnLine } from './fit-on-line.ts'

type Fields = Readonly<Record<string, unknown>>

export const STEPS_TAKEN: Readonly<Record<ReportStep, string>> = {
  start: 'Started',
  complete: 'Completed',
  fail: 'Failed',
  retry: 'Retried',
  approve: 'Approved',
  reject: 'Rejected',
  manage: 'Managed',
  send: 'Sent',
  regenerate: 'Regenerated',
}

/**
 * Sentences by type of command. An imported file may contain malformed fields; if they cannot be described, the result
 * is undefined.
 */
const SENTENCES: { [Type in CommandType]?: (fields: Fields) => string | undefined } = {
  reset: () => 'Reset the world',
  'clock.set': ({ now }) => `Set the world clock to ${word(now)}`,
  'clock.advance': ({ by }) => `Advanced both clocks by ${toDistance(by)}`,
  'clock.freeze': ({ frozen }) =>
    frozen === false ? 'Let the world clock run' : 'Froze the world clock',
  'record.put': ({ collection, record }) =>
    `Wrote ${recordName(collection, fieldsOf(record)?.['id'])}`,
  'record.patch': changeOf,
  'record.delete': ({ collection, id }) => `Deleted ${recordName(collection, id)}`,
  'record.restore': ({ collection, id }) => `Put back ${recordName(collection, id)}`,
  'report.create': ({ project }) => `Created the next report of project ${word(project)}`,
  ...Object.fromEntries(
    Object.entries(STEPS_TAKEN).map(([step, taken]) => [
      `report.${step}`,
      ({ report }: Fields) => `${taken} the report with id ${word(report)}`,
    ]),
  ),
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
    return faults.length === 0
      ? 'Disarmed all faults'
      : `Armed ${countGrouped(faults.length, 'fault')} in place of all others`
  },
  'fault.remove': ({ id }) => `Disarmed fault ${word(id)}`,
  'fault.restore': () => 'Restored the faults',
  'journal.clear': () => 'Cleared the journal',
  'scenario.load': ({ scenario }) => `Loaded the scenario ${word(scenario)}`,
  'fixtures.load': () => 'Loaded fixtures',
  'snapshot.restore': () => 'Restored a snapshot',
}

/**
 * Describes a command in the past tense, without a full stop: `Advanced both clocks by 30 seconds`. Falls back to the
 * type and the fields of a command that has no sentence. Empty unless `command` is an object.
 */
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

function changeOf({ collection, id }: Fields): string {
  return `Changed ${recordName(collection, id)}`
}

function recordName(collection: unknown, id: unknown): string {
  const one = word(collection).replace(/ies$/, 'y').replace(/s$/, '')
  return `${one} ${word(id)}`
}

/** Nouns for the common units of ISO 8601 durations. Units of time have the prefix `T`. */
const UNITS: Readonly<Record<string, string>> = {
  M: 'month',
  D: 'day',
  TH: 'hour',
  TM: 'minute',
  TS: 'second',
}

/**
 * Formats `P1M` as `1 month`, `PT30S` as `30 seconds`, and a number as milliseconds. Only shortens any other value,
 * such as `P1DT2H`.
 */
function toDistance(by: unknown): string {
  if (typeof by === 'number') return `${by.toLocaleString('en')} ms`
  const [, time = '', number, unit] = /^P(T?)(\d+)(\w)$/.exec(word(by)) ?? []
  const noun = UNITS[`${time}${unit}`]
  return noun ? count(Number(number), noun) : word(by)
}

function faultWords(fault: unknown): string | undefined {
  const { kind, schedule = {}, retry_after: wait = 0 } = fieldsOf(fault) ?? {}
  if (!isFaultKind(kind) || schedule === null || wait === null) return undefined
  return sentenceOfFault(fault as Parameters<typeof sentenceOfFault>[0], [])
}
