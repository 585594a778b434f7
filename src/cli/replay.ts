import { printJson, colorsFor } from './print.ts'
import { count } from '../wording/count.ts'
import { withoutControls } from '../contract/text.ts'
import { replaySession } from '../session/replay-session.ts'
import type { Difference, Replay } from '../session/replay-session.ts'
import { withSession } from './session-file.ts'

const SAME = 0
const DIFFERENT = 1

/**
 * `seo-sandbox replay`: replays the session in a file and returns the exit code.
 *
 * @throws OptionError if the file cannot be read, or is not a complete session of this release.
 */
export async function replay(file: string, { json }: { json: boolean }): Promise<number> {
  const replayed = await withSession(file, (session) => replaySession(session))
  if (json) printJson(replayed, 2)
  else process.stdout.write(describeReplay(replayed))
  return replayed.difference ? DIFFERENT : SAME
}

function describeReplay({ steps, difference }: Replay): string {
  const { green, red } = colorsFor(process.stdout)
  const length = count(steps, 'step')
  if (!difference) return `${length}, ${green('every response the same')}\n`
  const { sequence, what, expected, actual, body } = difference
  const lines = [
    `  ${what}`,
    `    was  ${expected ?? 'nothing'}`,
    `    is   ${actual ?? 'nothing'}`,
    ...(body === null ? [] : [`  the body is now ${body}`]),
  ]
  const place = `step ${sequence}, ${describeStep(difference)}`
  return [`${red('different')} ${withoutControls(place)}`, ...lines.map(withoutControls), ''].join(
    '\n',
  )
}

function describeStep({ request, command }: Difference): string {
  if (!request) return `the command ${command?.type ?? ''}`
  const { method, path, query } = request
  return `${method} ${path}${query === '' ? '' : `?${query}`}`
}
