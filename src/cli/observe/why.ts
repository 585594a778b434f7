import { toShownJson, withoutControls } from '../../contract/text.ts'
import { DateTimeInput } from '../../contract/conventions.ts'
import type { Explanation, SelectionExplanation } from '../../contract/explanation.ts'
import { readerOf } from '../../contract/validate.ts'
import { changeWords, nextWords, waitWords } from '../../wording/change-words.ts'
import { toMinute } from '../../wording/times.ts'
import { option, parseFlag, parseOption, toInteger } from '../../world/options/parse-option.ts'
import type { Flags } from '../cli-command.ts'
import { colorsFor } from '../print.ts'
import { observe } from './observed-world.ts'

const ProjectId = option((input) => toInteger(input, 999_999_999) || undefined, {
  noun: 'the id of a project',
  remedy: 'use one like 101',
})

/**
 * `seo-sandbox why`: explains the latest and the last generated report of a project: the reason, the time of the next change,
 * and the next report.
 *
 * @throws OptionError
 */
export async function why(project: string, file: string | undefined, flags: Flags): Promise<void> {
  const id = parseOption(ProjectId, project, 'PROJECT')
  const at = parseFlag(readerOf(DateTimeInput), flags, 'at')
  const world = await observe(file, flags)
  const explanation = await world.explain(id, at)
  const isJson = flags['json'] === true
  process.stdout.write(`${isJson ? toShownJson(explanation, 2) : formatExplanation(explanation)}\n`)
}

const ENDPOINTS = { latest: 'latest', last_generated: 'last-generated' } as const

function formatExplanation(explanation: Explanation): string {
  const { project, at, changes, wait, latest } = explanation
  const { bold, dim } = colorsFor(process.stdout)
  const next = changes.map(
    (change) => `  ${dim(toMinute(change.at))}  ${changeWords(change, explanation)}`,
  )
  return [
    bold(`Project ${project}, at ${toMinute(at)}`),
    ...formatSelection('latest', explanation),
    ...(wait && latest.selected ? [`  ${waitWords(wait, latest.selected)}`] : []),
    ...formatSelection('last_generated', explanation),
    ...(next.length > 0 ? ['', bold('If nothing is changed'), ...next] : []),
  ].join('\n')
}

function formatSelection(endpoint: keyof typeof ENDPOINTS, explanation: Explanation): string[] {
  const { bold, dim, green, yellow } = colorsFor(process.stdout)
  const selection = explanation[endpoint]
  const { selected, candidates, rule, next_selection: change } = selection
  const answer = selected ? green(`report ${selected.report_number}`) : yellow('404')
  const [chosen = [], others = []] = [true, false].map((is) =>
    candidates.filter(({ is_selected }) => is_selected === is),
  )
  return [
    '',
    `${bold(ENDPOINTS[endpoint])} is ${answer} ${dim(`(specification ${withoutControls(rule)})`)}`,
    ...chosen.map(formatCandidate),
    change
      ? `  Until ${toMinute(change.at)}, unless a report is changed: then ${nextWords(selection, ENDPOINTS[endpoint])}.`
      : '  Until a report is changed: time alone does not change the answer.',
    ...others.map((candidate) => dim(formatCandidate(candidate))),
  ]
}

function formatCandidate({ report, reason }: SelectionExplanation['candidates'][number]): string {
  return `  report ${report.report_number}, ${report.status}: ${withoutControls(reason)}`
}
