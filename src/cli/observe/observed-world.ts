import { z } from 'zod'
import { Explanation } from '../../contract/explanation.ts'
import { DEFAULT_CHANGES } from '../../contract/limits.ts'
import { AppliedCommand } from '../../journal/applied-command.ts'
import { JournalRequest } from '../../journal/journal-request.ts'
import type { RequestFilterInput } from '../../journal/request-filter.ts'
import { replaySession } from '../../session/replay.ts'
import { FaultStatuses } from '../../world/faults/fault-status.ts'
import type { FaultStatus } from '../../world/faults/fault-status.ts'
import { OptionError } from '../../world/options/option-error.ts'
import { Requests } from '../../world/requests.ts'
import type { World } from '../../world/world.ts'
import type { Flags } from '../cli-command.ts'
import { withSession } from '../session-file.ts'
import { createControlClient } from './control-client.ts'
import type { ControlClient } from './control-client.ts'

/** Criteria for requests by their names, as texts: `{ status: '4xx' }`. */
export type TextFilter = Readonly<Record<string, string>>

/** A world that is only looked at: one of a running server, or the one at the end of a session. */
export interface ObservedWorld {
  /** The latest requests, the oldest first, those for unknown paths too. @throws OptionError */
  requests: (filter: TextFilter, limit: number) => Promise<JournalRequest[]>
  /** The commands that its journal has. */
  commands: () => Promise<readonly AppliedCommand[]>
  faults: () => Promise<readonly FaultStatus[]>
  /** Why the endpoints of a project select their reports, at a time or now. @throws OptionError */
  explain: (project: number, at: string | undefined) => Promise<Explanation>
}

/**
 * The world at the end of the session in a file; without a file, the world that the flags name on a server.
 *
 * @throws OptionError
 */
export async function observe(file: string | undefined, flags: Flags): Promise<ObservedWorld> {
  if (file === undefined) return observeServer(await createControlClient(flags))
  requireAlone(flags)
  return observeWorld(await withSession(file, (session) => replay(file, session)))
}

/** @throws OptionError where there are options of a server beside a session. */
export function requireAlone(flags: Flags): void {
  const named = ['url', 'world', 'admin-key'].find((name) => flags[name] !== undefined)
  if (named === undefined) return
  throw new OptionError(
    `--${named}: This is for a running server. Leave it out, or the file of the session.`,
  )
}

async function replay(file: string, session: Parameters<typeof replaySession>[0]): Promise<World> {
  let replayed: World | undefined
  const { difference } = await replaySession(session, {
    onReview: (world) => {
      replayed = world
    },
  })
  if (replayed && !difference) return replayed
  throw new OptionError(
    `${file}: Step ${difference?.sequence} of this session differs when it is replayed. seo-sandbox replay shows how.`,
  )
}

function observeWorld(world: World): ObservedWorld {
  return {
    requests: async (filter, limit) => {
      const input = filter as RequestFilterInput
      const requests = new Requests(world)
      return latest([...requests.list(input), ...requests.unknown(input)], limit)
    },
    commands: async () => world.journal.commands,
    faults: async () => world.faults,
    explain: async (project, at) => {
      const explanation = world.explain(project, { at, changes: DEFAULT_CHANGES })
      if (explanation) return explanation
      throw new OptionError(`There is no project ${project} at the end of this session.`)
    },
  }
}

function observeServer({ get }: ControlClient): ObservedWorld {
  return {
    requests: async (filter, limit) => {
      const query = { ...filter, limit: String(limit) }
      const [known, unknown] = await Promise.all([
        get('/requests', z.array(JournalRequest), query),
        get('/requests', z.array(JournalRequest), { ...query, unknown: 'true' }),
      ])
      return latest([...known, ...unknown], limit)
    },
    commands: () => get('/commands', z.array(AppliedCommand)),
    faults: () => get('/faults', FaultStatuses),
    explain: (project, at) => get(`/explain/projects/${project}`, Explanation, { at }),
  }
}

function latest(requests: readonly JournalRequest[], limit: number): JournalRequest[] {
  return requests.toSorted((one, other) => one.sequence - other.sequence).slice(-limit)
}
