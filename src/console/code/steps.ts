import type { ClientRequest, Command } from '../api/types.ts'
import type { Act } from '../state/act.ts'

/** An act as a line or a few of a test. */
export type Step = Act & {
  /** For `clock.advance`: what got a 429, whose Retry-After says by how much. */
  refused?: ClientRequest | undefined
}

/** The acts as they hold in a world of their own, where rate windows and the ids of faults begin again. */
export function toSteps(acts: readonly Act[]): Step[] {
  const faults = new Map<number, number>()
  // The latency of a world is its first fault.
  const first = acts[0]?.origin?.shared['latency'] === undefined ? 1 : 2
  return acts.map((act, index) => {
    const sentence = toOneLine(act.sentence)
    if (act.kind === 'request') return { ...act, sentence, request: withOwnToken(act.request) }
    const { command } = act
    const before = acts[index - 1]
    const isWait = before?.kind === 'request' && before.status === 429 && isInSeconds(command)
    if (command.type === 'fault.add')
      faults.set((act.result as { id: number }).id, faults.size + first)
    return {
      ...act,
      sentence,
      command:
        command.type === 'fault.remove'
          ? { ...command, id: faults.get(command.id) ?? command.id }
          : command,
      ...(isWait && { refused: withOwnToken(before.request) }),
    }
  })
}

/** A sentence may have names of the world's records, which must not end its comment or change its direction. */
function toOneLine(sentence: string): string {
  return sentence.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** What an isolated world adds to the bearer values of its fixtures. */
const SUFFIX = /(?:~w\d+-[0-9a-z]{16})+$/

function withOwnToken({ token, ...request }: ClientRequest): ClientRequest {
  return { ...request, token: token?.replace(SUFFIX, '') }
}

/** Only the rest of a rate window is waited for in seconds. */
function isInSeconds(command: Command): boolean {
  return command.type === 'clock.advance' && /^PT\d+S$/.test(String(command.by))
}
