import { GAPS, POLICIES } from '../../src/contract/gaps.ts'
import { code, table } from './markdown.ts'

/** The gaps that can be set, each with its options and its default. */
export function policyTable(): string {
  const rows = POLICIES.map((gap) => {
    const options = Object.entries(gap.options).map(([value, meaning]) =>
      value === gap.default ? `**${code(value)}**: ${meaning}` : `${code(value)}: ${meaning}`,
    )
    const others = 'accepts' in gap ? [gap.accepts.description] : []
    const all = [...options, ...others].join('<br>')
    return [gap.id, gap.section, code(gap.policy), gap.question, all]
  })
  return table(['Gap', '§', 'Policy', 'Question', 'Options'], rows)
}

/** The gaps that cannot be set. */
export function behaviourTable(): string {
  const rows = GAPS.flatMap((gap) =>
    'behaviour' in gap ? [[gap.id, gap.section, gap.question, gap.behaviour]] : [],
  )
  return table(['Gap', '§', 'Question', 'What the sandbox does'], rows)
}
