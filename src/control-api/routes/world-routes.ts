import { z } from 'zod'
import { DateTimeInput } from '../../contract/moments.ts'
import { validate } from '../../contract/validation.ts'
import { AppliedCommand } from '../../journal/applied-command.ts'
import { ClockState } from '../../journal/clock-state.ts'
import { Snapshot } from '../../world/snapshot.ts'
import { CommandError } from '../../world/command-error.ts'
import { Command, CommandResult } from '../../world/commands/index.ts'
import { DurationInput } from '../../world/duration.ts'
import type { ClockCommand } from '../../world/commands/index.ts'
import { SnapshotInput } from '../../world/read-snapshot.ts'
import { defineRoute, ok } from './route.ts'
import type { ControlAnswer, ControlContext, ControlRequest, ControlRoutes } from './route.ts'

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

export const WORLD_ROUTES: ControlRoutes = {
  tag: 'World',
  description: 'The world as a whole',
  routes: [
    {
      id: 'resetWorld',
      method: 'post',
      path: '/reset',
      summary: 'The world as created',
      answers: { 200: ClockState },
      answer: async ({ world }) => ok(await world.command({ type: 'reset' })),
    },
    {
      id: 'getClock',
      method: 'get',
      path: '/clock',
      summary: 'Both clocks',
      answers: { 200: ClockState },
      answer: ({ world }) => ok(world.clock),
    },
    defineRoute({
      id: 'moveClock',
      method: 'post',
      path: '/clock',
      summary: 'Sets the world clock, moves both on, freezes it or lets it run',
      body: ClockChange,
      answers: { 200: ClockState },
      answer: moveClock,
    }),
    {
      id: 'listCommands',
      method: 'get',
      path: '/commands',
      summary: 'The commands applied, the oldest first',
      answers: { 200: z.array(AppliedCommand) },
      answer: ({ world }) => ok(world.applied),
    },
    {
      id: 'applyCommand',
      method: 'post',
      path: '/commands',
      summary: 'Applies any command',
      body: Command,
      answers: { 200: CommandResult },
      answer: async ({ world }, { body }) => ok(await world.command(body as Command)),
    },
    {
      id: 'listScenarios',
      method: 'get',
      path: '/scenarios',
      summary: 'The scenarios, each with what it shows',
      answers: { 200: z.array(z.strictObject({ name: z.string(), purpose: z.string() })) },
      answer: ({ world }) => ok(world.scenarios),
    },
    defineRoute({
      id: 'loadScenario',
      method: 'post',
      path: '/scenarios',
      summary: 'Turns the world into a scenario, until a reset',
      body: z.strictObject({ scenario: z.string().describe('The name of a scenario') }),
      answers: { 200: ClockState },
      answer: async ({ world }, { body }) =>
        ok(await world.command({ type: 'scenario.load', ...body })),
    }),
    {
      id: 'takeSnapshot',
      method: 'get',
      path: '/snapshots',
      summary: 'The world as it stands, with the values of its tokens',
      answers: { 200: Snapshot },
      answer: async ({ world }) => ok(await world.snapshot()),
    },
    {
      id: 'restoreSnapshot',
      method: 'post',
      path: '/snapshots',
      summary: 'Restores a snapshot',
      body: SnapshotInput,
      answers: { 200: ClockState },
      bodyLimitMb: SNAPSHOT_LIMIT_MB,
      answer: async ({ world }, { body }) =>
        ok(await world.command({ type: 'snapshot.restore', snapshot: body as Snapshot })),
    },
  ],
}

/** Freezing comes first and advancing last, so that all three together mean what they say. */
async function moveClock(
  { world }: ControlContext,
  { body: { frozen, now, advance } }: ControlRequest<z.output<typeof ClockChange>>,
): Promise<ControlAnswer> {
  const duration = advance === undefined ? undefined : validate(DurationInput, advance)
  if (duration && 'problems' in duration) {
    const problems = duration.problems.map(({ message }) => ({ path: ['advance'], message }))
    throw new CommandError('invalid_command', problems)
  }
  const commands: ClockCommand[] = []
  if (frozen !== undefined) commands.push({ type: 'clock.freeze', frozen })
  if (now !== undefined) commands.push({ type: 'clock.set', now })
  if (advance !== undefined) commands.push({ type: 'clock.advance', by: advance })
  return ok(await world.moveClock(commands))
}
