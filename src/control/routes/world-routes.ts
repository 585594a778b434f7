import { z } from 'zod'
import { DateTimeInput } from '../../contract/moments.ts'
import { validate } from '../../contract/validation.ts'
import { VERSION } from '../../version.ts'
import { invalidCommand } from '../command-error.ts'
import { DurationInput } from '../commands.ts'
import type { ClockCommand, Command } from '../commands.ts'
import type { Snapshot } from '../snapshots.ts'
import { defineRoute, ok } from './route.ts'
import type { ControlAnswer, ControlContext, ControlRequest, ControlRoute } from './route.ts'

/** What this sandbox can be asked to do; clients may look here before they do. */
const CAPABILITIES = [
  'reset',
  'clock',
  'records',
  'commands',
  'scenarios',
  'snapshots',
  'requests',
  'policies',
  'faults',
  'explain',
  'worlds',
]

/** Enough for a world of a hundred thousand written reports, and half of what a text of Node can hold. */
const SNAPSHOT_LIMIT_MB = 256

/** The clock as a person changes it, some of it or all. */
const ClockChange = z
  .strictObject({
    now: DateTimeInput.optional(),
    advance: z.union([z.string(), z.number()]).optional(),
    frozen: z.boolean().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, {
    error: 'Nothing to change. Send now, advance or frozen.',
  })

/** The world as a whole. */
export const WORLD_ROUTES: readonly ControlRoute[] = [
  {
    method: 'get',
    path: '/health',
    summary: 'Whether it is there, and what it can do',
    isOpen: true,
    answer: ({ worlds }) =>
      ok({ status: 'ok', version: VERSION, worlds: worlds.size, capabilities: CAPABILITIES }),
  },
  {
    method: 'post',
    path: '/reset',
    summary: 'The world as created',
    answer: async ({ world }) => ok(await world.command({ type: 'reset' })),
  },
  {
    method: 'get',
    path: '/clock',
    summary: 'Both clocks',
    answer: ({ world }) => ok(world.clock),
  },
  defineRoute({
    method: 'post',
    path: '/clock',
    summary: 'Sets the world clock, moves both on, freezes it or lets it run',
    body: ClockChange,
    answer: moveClock,
  }),
  {
    method: 'get',
    path: '/commands',
    summary: 'The commands applied, the oldest first',
    answer: ({ world }) => ok(world.applied),
  },
  {
    method: 'post',
    path: '/commands',
    summary: 'Applies any command',
    answer: async ({ world }, { body }) => ok(await world.command(body as Command)),
  },
  {
    method: 'get',
    path: '/scenarios',
    summary: 'The scenarios, each with what it shows',
    answer: ({ world }) => ok(world.scenarios),
  },
  defineRoute({
    method: 'post',
    path: '/scenarios',
    summary: 'Turns the world into a scenario, until a reset',
    body: z.strictObject({ scenario: z.string() }),
    answer: async ({ world }, { body }) =>
      ok(await world.command({ type: 'scenario.load', ...body })),
  }),
  {
    method: 'get',
    path: '/snapshots',
    summary: 'The world as it stands, with the values of its tokens',
    answer: async ({ world }) => ok(await world.snapshot()),
  },
  {
    method: 'post',
    path: '/snapshots',
    summary: 'Restores a snapshot',
    bodyLimitMb: SNAPSHOT_LIMIT_MB,
    answer: async ({ world }, { body }) =>
      ok(await world.command({ type: 'snapshot.restore', snapshot: body as Snapshot })),
  },
]

/** Freezing comes first and advancing last, so that all three together mean what they say. */
async function moveClock(
  { world }: ControlContext,
  { body: { frozen, now, advance } }: ControlRequest<z.output<typeof ClockChange>>,
): Promise<ControlAnswer> {
  const duration = advance === undefined ? undefined : validate(DurationInput, advance)
  if (duration && 'problems' in duration) {
    throw invalidCommand(
      ...duration.problems.map(({ message }) => ({ path: ['advance'], message })),
    )
  }
  const commands: ClockCommand[] = []
  if (frozen !== undefined) commands.push({ type: 'clock.freeze', frozen })
  if (now !== undefined) commands.push({ type: 'clock.set', now })
  if (advance !== undefined) commands.push({ type: 'clock.advance', by: advance })
  return ok(await world.moveClock(commands))
}
