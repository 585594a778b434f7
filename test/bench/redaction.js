/** The time to hide the bearer values of a world in a long text, for large numbers of them, against ten. */
import { createSandbox } from 'seo-sandbox'
import { atMost, interleave, median, medianRatio } from './support/report.js'

const BAR = 2
/** The length of a query, which is redacted each time that the requests are listed. */
const TEXT_LENGTH = 100_000
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** The values of a world have at most a million characters together. */
const CASES = [
  ['ten', toValues(10, () => 20)],
  ['20,000 with the same first eight letters', toValues(20_000, () => 16, 'northlig')],
  ['1,400, each of another length', toValues(1400, (index) => 8 + index)],
]

export async function measure({ isShort }) {
  const opened = await Promise.all(CASES.map(([, values]) => open(values)))
  const times = await interleave(opened, { rounds: isShort ? 15 : 45, warmUp: 5 }, timeOf)
  const rows = CASES.map(([label], index) => {
    return [label, median(times[index]), medianRatio(times[index], times[0])]
  })
  const most = Math.max(...rows.map((row) => row.at(-1)))
  return {
    title: 'Hiding bearer values in a text, against ten of them',
    about: `milliseconds for ${TEXT_LENGTH / 1000} kB with the beginnings of many values, medians of ${times[0].length}`,
    columns: ['values', 'ms', 'ratio'],
    rows,
    bars: [atMost(BAR, 'hiding many bearer values, against ten', most)],
  }
}

function toValues(count, lengthOf, prefix = '') {
  return Array.from({ length: count }, (_, index) => {
    return toWord(`${prefix}${index.toString(36)}-`, lengthOf(index))
  })
}

/** A word of random letters after its beginning. */
function toWord(beginning, length) {
  let word = beginning
  while (word.length < length) word += ALPHABET[Math.floor(Math.random() * ALPHABET.length)]
  return word
}

async function open(values) {
  const tokens = values.map((token, index) => ({
    id: index + 1,
    name: 'Any',
    token,
    agency: 1,
    rate_limit: 'unlimited',
  }))
  const fixtures = { version: 1, agencies: [{ id: 1, name: 'Any' }], tokens }
  const sandbox = await createSandbox({ fixtures })
  let text = ''
  for (let index = 0; text.length < TEXT_LENGTH; index += 1) {
    const value = values[(index * 7) % values.length]
    text += `${toWord('', 8)}.${value.slice(0, Math.min(12, value.length - 1))}.`
  }
  await sandbox.fetch(`/api/v1/me?search=${text.slice(0, TEXT_LENGTH)}`)
  return sandbox
}

function timeOf(sandbox) {
  const begunMs = performance.now()
  sandbox.requests.all()
  return performance.now() - begunMs
}
