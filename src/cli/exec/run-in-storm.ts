import { planStorm } from '../../rehearsal/storm.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { SessionRun } from '../../session/session.ts'
import { toExitCode } from './report.ts'
import { runCommand } from './run-command.ts'
import type { CommandEnd, CommandOptions } from './run-command.ts'

interface StormOptions {
  options: CommandOptions
  sandbox: Sandbox
  isQuiet: boolean | undefined
}

interface EndedStorm {
  /** How the last run ended. */
  end: CommandEnd
  storm: NonNullable<SessionRun['storm']>
}

/** Runs a command for each part of a storm, until it is ended from outside or has requested nothing. */
export async function runInStorm(
  line: readonly string[],
  { options, sandbox, isQuiet = false }: StormOptions,
): Promise<EndedStorm> {
  const tell = (text: string) => isQuiet || process.stderr.write(`seo-sandbox: ${text}\n`)
  const runs = planStorm(sandbox.world.options.settings.seed)
  const storm: EndedStorm['storm'] = []
  for (;;) {
    const { text, faults, advance, isOutage = false } = runs[storm.length]!
    const armed = new Set<number>()
    const begin = async (): Promise<void> => {
      armed.clear()
      if (advance !== undefined) await sandbox.clock.advance(advance)
      for (const fault of faults) armed.add((await sandbox.faults.add(fault)).id)
    }
    let beginning = begin()
    await beginning
    const unsubscribe = sandbox.world.subscribe({
      // A test suite resets the world between its tests, which all belong to the run.
      onCommand: ({ definition }) => {
        if (definition.startsSession === true) beginning = beginning.then(begin)
      },
    })
    tell(`Run ${storm.length + 1} of ${runs.length}: ${text}.`)
    const end = await runCommand(line, options)
    unsubscribe()
    await beginning
    const exit = toExitCode(end)
    storm.push({ run: text, exit })
    // The command itself may have disarmed some.
    for (const { id } of sandbox.faults.list()) if (armed.has(id)) await sandbox.faults.remove(id)
    const hasAsked = sandbox.review({ since: 'start' }).requests > 0
    const isEnded = end.reason !== null || end.signal !== null || end.received.size > 0
    if (isEnded || !hasAsked || storm.length === runs.length) return { end, storm }
    if (isOutage && exit === 0) tell('The command ended with 0 though its token was refused.')
  }
}
