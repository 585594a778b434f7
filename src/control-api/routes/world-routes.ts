import { z } from 'zod'
import { Id, DateTimeInput } from '../../contract/conventions.ts'
import { atPlace } from '../../contract/validation.ts'
import { validate } from '../../contract/validate.ts'
import { RateLimitStatus } from '../../contract/control-status.ts'
import { AppliedCommand, ClockState } from '../../journal/applied-command.ts'
import { CommandError } from '../../world/command-error.ts'
import { Command, CommandResult, isCostly } from '../../world/commands/index.ts'
import type { ClockCommand } from '../../world/commands/index.ts'
import { reset } from '../../world/commands/reset.ts'
import { scenarioLoad } from '../../world/commands/scenario-load.ts'
import { snapshotRestore } from '../../world/commands/snapshot-restore.ts'
import { DurationInput } from '../../world/commands/clock-advance.ts'
import {
  companiesOf,
  DemoNames,
  NamedDemo,
  worldLocale,
  nameDemo,
} from '../../world/demo-fixture.ts'
import { listShowcase } from '../../world/list-showcase.ts'
import { Snapshot } from '../../world/snapshot.ts'
import { worldOriginOf, WorldOrigin } from '../../world/world-origin.ts'
import { defineCommandRoute, defineRoute, ok } from './route.ts'
import type { ControlRoutes } from './route.ts'

/** A change of the clocks by a user: at least one field must be present. */
const ClockChange = z
  .strictObject({
    now: DateTimeInput.optional(),
    advance: z.union([z.string(), z.number()]).optional(),
    frozen: z.boolean().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, {
    error: 'Nothing to change. Send now, advance or frozen.',
  })

const ScenarioBody = z.strictObject(scenarioLoad.fields)

export const WORLD_ROUTES: ControlRoutes = {
  tag: 'World',
  page: 'docs/control-api.md',
  description: 'The world as a whole',
  routes: [
    defineCommandRoute({
      id: 'resetWorld',
      role: 'world',
      method: 'post',
      path: '/reset',
      summary: 'Resets the world',
      description:
        'Restores the records, both clocks, policies, faults and rate windows as they were created or last loaded, and starts the journal again.',
      command: reset,
      toCommand: () => ({ type: 'reset' }),
    }),
    defineRoute({
      id: 'getOrigin',
      role: 'world',
      method: 'get',
      path: '/origin',
      summary: 'Returns the origin of the world: everything needed to create it again',
      description:
        'Create the new world with `now` at `loaded_at`, then set its world clock, so that relative dates are the same.',
      responses: { 200: WorldOrigin },
      answer: ({ world, store }) => ok(worldOriginOf(world, store !== undefined)),
    }),
    defineRoute({
      id: 'getClock',
      role: 'world',
      method: 'get',
      path: '/clock',
      summary: 'Shows both clocks',
      description:
        'The world clock decides the calendar month, the progress of reports and `cache_refreshed_at`; the rate clock decides the rate windows and `Date`.',
      responses: { 200: ClockState },
      answer: ({ world }) => ok(world.clock),
    }),
    defineRoute({
      id: 'moveClock',
      role: 'world',
      method: 'post',
      path: '/clock',
      summary: 'Sets, stops or restarts the world clock, or advances both clocks',
      description:
        'Takes at least one of `now`, `advance` and `frozen`. A stopped clock can still be set and advanced.',
      body: ClockChange,
      responses: { 200: ClockState },
      answer: async ({ world, takeCostly }, { body }) => {
        const commands = toClockCommands(body)
        const apply = () => world.moveClock(commands)
        return ok(await (commands.some(isCostly) ? takeCostly(apply) : apply()))
      },
    }),
    defineRoute({
      id: 'getRateLimits',
      role: 'world',
      method: 'get',
      path: '/rate-limits',
      summary: 'Shows the use of the rate windows of each token',
      description: 'This request itself counts in no window.',
      responses: { 200: RateLimitStatus },
      answer: ({ world }) => ok(world.rateLimits),
    }),
    defineRoute({
      id: 'listCommands',
      role: 'world',
      method: 'get',
      path: '/commands',
      summary: 'Lists the applied commands, the oldest first',
      description: 'Commands and requests share one sequence.',
      responses: { 200: z.array(AppliedCommand) },
      answer: ({ world }) => ok(world.journal.commands),
    }),
    defineCommandRoute({
      id: 'applyCommand',
      role: 'world',
      method: 'post',
      path: '/commands',
      summary: 'Applies any command',
      description: 'A command is applied completely or not at all, in the order of arrival.',
      needsRoom: true,
      command: { result: CommandResult },
      body: Command,
      toCommand: ({ body }) => body as Command,
    }),
    defineRoute({
      id: 'listScenarios',
      role: 'world',
      method: 'get',
      path: '/scenarios',
      summary: 'Lists the scenarios, each with its purpose',
      description: 'A scenario is a small world around one situation that clients should handle.',
      responses: { 200: z.array(z.strictObject({ name: z.string(), purpose: z.string() })) },
      answer: async ({ world }) => ok(await world.options.scenarios.list()),
    }),
    defineCommandRoute({
      id: 'loadScenario',
      role: 'world',
      method: 'post',
      path: '/scenarios',
      summary: 'Turns the world into a scenario, until a reset',
      description:
        'The scenario replaces the records, both clocks, policies, faults, rate windows and the journal. A reset restores the world as it was created, with the fixtures that a command loaded last.',
      command: scenarioLoad,
      body: ScenarioBody,
      skipsBodyValidation: false,
      toCommand: ({ body }) => ({
        type: 'scenario.load',
        ...(body as z.output<typeof ScenarioBody>),
      }),
    }),
    defineRoute({
      id: 'getShowcase',
      role: 'world',
      method: 'get',
      path: '/showcase',
      summary: 'Lists the projects of the demo that are worth a look, each with its situation',
      description: 'The list is as of the load of the world. It is empty for any other world.',
      responses: { 200: z.array(z.strictObject({ project: Id, shows: z.string() })) },
      answer: ({ world }) =>
        ok(
          listShowcase(world.generation?.options).filter(({ project }) =>
            world.records.get('projects', project),
          ),
        ),
    }),
    defineRoute({
      id: 'nameDemo',
      role: 'world',
      method: 'post',
      path: '/demo',
      isReadOnly: true,
      summary: 'Writes the demo with names of your own, as a fixture',
      description:
        'The demo is the one of the seed of the world; names that are omitted are its own, except that without a locale, companies are first those that a fixture of the world names. Nothing is loaded: to load the fixture, send it as a command `fixtures.load`.',
      body: DemoNames,
      responses: { 200: NamedDemo },
      answer: async ({ world }, { body }) => {
        const { scenarios, settings } = world.options
        const { generate } = await scenarios.load('demo')
        const { agency, locale, companies = locale ? [] : await companiesOf(world) } = body
        const names = { locale: locale ?? worldLocale(world), agency, companies }
        return ok(await nameDemo(generate!, names, settings.seed))
      },
    }),
    defineRoute({
      id: 'takeSnapshot',
      role: 'world',
      method: 'get',
      path: '/snapshots',
      summary: 'Returns the current state of the world, including the values of its tokens',
      description:
        'Keep the snapshot as secret as the tokens: it has everything needed to restore the world, including their bearer values.',
      responses: { 200: Snapshot },
      isCostly: true,
      refusal: 'The world is larger than a snapshot may be.',
      answer: ({ world }) => ({ status: 200, write: (write) => world.writeSnapshot(write) }),
    }),
    defineCommandRoute({
      id: 'restoreSnapshot',
      role: 'world',
      method: 'post',
      path: '/snapshots',
      summary: 'Restores a snapshot',
      description: 'The world continues from the snapshot.',
      needsRoom: true,
      command: snapshotRestore,
      body: snapshotRestore.fields.snapshot,
      isSnapshot: true,
      toCommand: ({ body }) => ({ type: 'snapshot.restore', snapshot: body as Snapshot }),
    }),
  ],
}

/**
 * Converts a change to commands. `frozen` comes first and `advance` last, so that a clock frozen by the same change shows
 * exactly `now` plus `advance`.
 *
 * @throws CommandError for an invalid duration
 */
function toClockCommands({ frozen, now, advance }: z.output<typeof ClockChange>): ClockCommand[] {
  const duration = advance === undefined ? undefined : validate(DurationInput, advance)
  if (duration && 'problems' in duration) {
    throw new CommandError('invalid_command', atPlace(['advance'], duration.problems))
  }
  const commands: ClockCommand[] = []
  if (frozen !== undefined) commands.push({ type: 'clock.freeze', frozen })
  if (now !== undefined) commands.push({ type: 'clock.set', now })
  if (advance !== undefined) commands.push({ type: 'clock.advance', by: advance })
  return commands
}
