import { printJson, colorsFor, wrap } from './print.ts'
import { describe } from '../contract/text.ts'
import { OptionError } from '../world/options/option-error.ts'
import { createSandbox } from '../sandbox/create-sandbox.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Flags } from './cli-command.ts'
import { readSettings } from './read-settings.ts'

type Gap = Sandbox['gaps'][number]

/**
 * `seo-sandbox gaps`: lists the questions that the specification leaves open, and the settings in force according to
 * the config file, the environment and the flags.
 *
 * @throws OptionError if no gap matches, and for invalid settings; FixtureError for an invalid file of `--policies`.
 */
export async function showGaps(
  words: readonly string[],
  { policy, policies: file, json, set: isSetOnly }: Flags,
): Promise<void> {
  const { settings } = await readSettings({ policy, policies: file })
  const { policy: policies = {} } = settings
  const sandbox = await createSandbox({ fixtures: { version: 1 }, policies })
  const selected = selectGaps(sandbox.gaps, words)
  const gaps = isSetOnly ? selected.filter((gap) => gap.value !== gap.default) : selected
  if (json) printJson(gaps)
  else if (gaps.length === 0) process.stdout.write('Every policy is at its default.\n')
  else process.stdout.write(gaps.map((gap) => `${formatGap(gap)}\n`).join('\n'))
}

function selectGaps(gaps: readonly Gap[], words: readonly string[]): Gap[] {
  const selected = gaps.filter((gap) => words.every((word) => hasWord(gap, word)))
  if (selected.length > 0) return selected
  const shown = words.map((word) => describe(word)).join(', ')
  throw new OptionError(
    `No gap matches ${shown}. Write an id like G-072, a section like 4.5, or a word; without words, all ${gaps.length} are listed.`,
  )
}

const SECTION = /^[1-9](\.\d+)*(\(\d+\))?$/

function hasWord({ id, section, question, policy, behaviour, options }: Gap, word: string) {
  const number = /^G-?0*(\d+)$/i.exec(word)?.[1]
  if (number !== undefined) return Number(id.slice(2)) === Number(number)
  if (SECTION.test(word)) return section.split(', ').some((one) => isWithin(one, word))
  const texts = [question, policy ?? '', behaviour, ...Object.entries(options).flat()]
  return texts.some((text) => text.toLowerCase().includes(word.toLowerCase()))
}

/** True if a section is `whole` or a part of it: 4.5(1) is within 4.5, and 4.5 within 4. */
function isWithin(section: string, whole: string): boolean {
  return section.startsWith(whole) && !/^\d/.test(section.slice(whole.length))
}

const WIDTH = 80
const INDENT = 7

function formatGap(gap: Gap): string {
  const { cyan, dim } = colorsFor(process.stdout)
  const { id, section, question, policy, behaviour } = gap
  const [title = '', ...rest] = wrap(`${section}  ${question}`, WIDTH - INDENT - 1)
  const lines = [
    `${cyan(id)}  ${title}`,
    ...rest.map(indent),
    ...(policy === null
      ? wrap(behaviour, WIDTH - INDENT - 1)
          .map(indent)
          .map(dim)
      : formatPolicy(gap, policy)),
  ]
  return lines.join('\n')
}

function formatPolicy({ options, accepts, value, seen, default: preset }: Gap, policy: string) {
  const { bold, dim, green } = colorsFor(process.stdout)
  const isListed = value === null || value in options
  const choices = [
    ...Object.entries(options),
    ...(accepts === null ? [] : [[isListed ? '…' : value, accepts] as const]),
  ]
  const width = Math.max(...choices.map(([name]) => name.length))
  return [
    indent(bold(policy)),
    ...choices.flatMap(([name, meaning]) => {
      const isInForce = name === value
      const notes = [
        ...(name === preset ? ['default'] : []),
        ...(isInForce && seen !== null ? [`observed in the service on ${seen}`] : []),
      ]
      const note = notes.length > 0 ? `${meaning} (${notes.join(', ')})` : meaning
      const [first = '', ...rest] = wrap(note, WIDTH - INDENT - width - 4)
      const label = name.padEnd(width)
      return [
        indent(`${isInForce ? '*' : ' '} ${isInForce ? green(label) : label}  ${dim(first)}`),
        ...rest.map((line) => indent(' '.repeat(width + 4) + dim(line))),
      ]
    }),
  ]
}

function indent(line: string): string {
  return ' '.repeat(INDENT) + line
}
