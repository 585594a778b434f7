import { z } from 'zod'
import { describe } from './text.ts'
import { GAPS, POLICIES, POLICY_NAMES } from './gaps.ts'
import type { PolicyGap } from './gaps.ts'
import { isSeenPolicy } from './policies.ts'
import type { Policies, PolicyName, SeenPolicy } from './policies.ts'
import { isMap } from './read-fields.ts'
import { suggestFew } from './suggestion.ts'
import { MAXIMUM_PROBLEMS } from './validation.ts'

/** Finds a gap by the name of its policy, or by its id, written `G-014`, `G-14` or `G14`. */
function findGap(name: string): (typeof GAPS)[number] | undefined {
  const number = /^G-?0*(\d+)$/i.exec(name)?.[1]
  if (number) return GAPS.find(({ id }) => Number(id.slice(2)) === Number(number))
  return POLICIES.find(({ policy }) => policy === name)
}

function describeOptions(gap: PolicyGap): string {
  const listed = Object.keys(gap.options).join(', ')
  return gap.accepts ? `${listed}, or ${gap.accepts.description}` : listed
}

const WHOLE_LIST = 'seo-sandbox gaps lists them all.'

/** An invalid setting. `isKey` is true if the name is wrong, false if the value is. */
interface SettingProblem {
  /** Returns the error message, on demand because suggestions are slow to compute. */
  explain: () => string
  isKey: boolean
}

function parseSetting(
  name: string,
  input: unknown,
): { policy: PolicyName; value: string } | SettingProblem {
  const gap = findGap(name)
  if (!gap) {
    const explain = () =>
      `${describe(name)} is not a policy. ${suggestFew(name, POLICY_NAMES, WHOLE_LIST)}`
    return { explain, isKey: true }
  }
  if (!('policy' in gap)) {
    const problem = `${gap.id} is not a policy, because it has one behaviour: ${gap.behaviour} Leave it out. ${WHOLE_LIST}`
    return { explain: () => problem, isKey: true }
  }
  const policy: PolicyGap = gap
  const value = toOption(policy, input)
  const isOption = Object.hasOwn(policy.options, value) || policy.accepts?.test(value) === true
  if (isOption) return { policy: gap.policy, value }
  const shown = typeof input === 'object' ? value : `"${value}"`
  const problem = `${shown} is not an option of ${policy.policy} (${policy.id}). Use one of: ${describeOptions(policy)}.`
  return { explain: () => problem, isKey: false }
}

/**
 * Returns the name of the option in a setting. YAML rounds 2^63 - 1, so a number also matches an option whose name rounds to
 * it.
 */
function toOption({ options }: PolicyGap, input: unknown): string {
  if (typeof input === 'string') return input
  if (isSeenPolicy(input)) return input.value
  const text = describe(input)
  if (typeof input !== 'number' || Object.hasOwn(options, text)) return text
  return Object.keys(options).find((option) => Number(option) === input) ?? text
}

/** Settings beyond this number are counted, not checked. There are far fewer policies, so such a map is invalid anyway. */
const MAXIMUM_SETTINGS = 1000

/** Policy settings as users write them, by name or id. An option like `403` may be a number. The output is by name. */
export const PolicySettings = z
  // `z.record` would drop a key `__proto__` silently.
  .custom<Record<string, unknown>>(isMap, {
    error: ({ input }) =>
      input === undefined
        ? 'This is required: give a map.'
        : `${describe(input)} is not a map. Write a map.`,
  })
  .transform((settings, context): Record<string, string> => {
    const policies: Record<string, string> = {}
    const problems: [name: string, SettingProblem][] = []
    const names = Object.keys(settings)
    for (const name of names.slice(0, MAXIMUM_SETTINGS)) {
      const setting = parseSetting(name, settings[name])
      if ('policy' in setting) policies[setting.policy] = setting.value
      else problems.push([name, setting])
    }
    const shown = problems.length > MAXIMUM_PROBLEMS ? MAXIMUM_PROBLEMS - 1 : problems.length
    for (const [name, { explain, isKey }] of problems.slice(0, shown)) {
      context.addIssue({ code: 'custom', path: [name], message: explain(), params: { isKey } })
    }
    const more = problems.length - shown + Math.max(0, names.length - MAXIMUM_SETTINGS)
    if (more > 0) context.addIssue({ code: 'custom', message: `… and ${more} more.` })
    return policies
  })

/**
 * Options by the name of a policy or the id of its gap; an omitted policy has its default. An option may be one that was
 * observed in the service.
 */
export type PolicySettings = Partial<Policies> | Record<string, string | number | SeenPolicy>
