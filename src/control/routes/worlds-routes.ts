import { z } from 'zod'
import { DateTimeInput } from '../../contract/moments.ts'
import { PolicySettings } from '../../contract/policies.ts'
import { DEFAULT_RATE_LIMITS, RateLimit, toRateLimits } from '../../contract/token.ts'
import { ListedWorld } from '../answers/listed-world.ts'
import { FixturesInput } from '../commands.ts'
import { defineRoute, ok } from './route.ts'
import type { ControlRoutes } from './route.ts'

/** Enough for the fixtures of a large test suite. */
const FIXTURES_LIMIT_MB = 4

/** A world that came over HTTP belongs to nobody who could be seen to go. */
const IDLE_MS = 3_600_000

/** An isolated world as it is asked for. */
const NewWorld = z
  .strictObject({
    fixtures: FixturesInput.optional(),
    scenario: z.string().optional().describe('The name of a scenario, in place of fixtures'),
    generate: z.looseObject({}).optional().describe('What to make up, as a fixture says it'),
    seed: z
      .union([z.string().min(1), z.number()])
      .transform(String)
      .optional()
      .describe('What made-up data comes from'),
    now: DateTimeInput.optional().describe('Where the world clock starts'),
    frozen: z.boolean().optional().describe('Whether the world clock stands still'),
    policies: PolicySettings.optional().describe('Policies by name or id'),
    rate_limit: RateLimit.transform((limit) => toRateLimits(limit, DEFAULT_RATE_LIMITS))
      .optional()
      .describe('For tokens without one of their own'),
  })
  .prefault({})

/** An isolated world as its maker is told of it. */
const MadeWorld = z.strictObject({
  id: z.string(),
  tokens: z
    .record(z.string(), z.string())
    .describe('Each bearer value of the fixture, and the one that the world has for it'),
})
type MadeWorld = z.infer<typeof MadeWorld>

export const WORLDS_ROUTES: ControlRoutes = {
  tag: 'Worlds',
  description: 'The worlds beside the default one',
  routes: [
    {
      id: 'listWorlds',
      method: 'get',
      path: '/worlds',
      summary: 'The isolated worlds, the oldest first',
      isWorldless: true,
      answers: { 200: z.array(ListedWorld) },
      answer: ({ worlds }) => ok(worlds.list()),
    },
    defineRoute({
      id: 'createWorld',
      method: 'post',
      path: '/worlds',
      summary: 'Makes an isolated world, with tokens of its own',
      isWorldless: true,
      body: NewWorld,
      bodyLimitMb: FIXTURES_LIMIT_MB,
      answers: { 201: MadeWorld },
      answer: async ({ worlds }, { body: { seed, rate_limit, ...rest } }) => {
        const settings = { ...rest, randomSeed: seed, rateLimits: rate_limit, idleMs: IDLE_MS }
        const { id, tokens } = await worlds.create(settings)
        return { status: 201, body: { id, tokens } satisfies MadeWorld }
      },
    }),
    {
      id: 'dropWorld',
      method: 'delete',
      path: '/worlds/:id',
      summary: 'Drops an isolated world',
      isWorldless: true,
      params: { id: z.string().describe('The id of the world') },
      answers: { 204: null },
      refusal: 'The default world cannot be dropped.',
      answer: ({ worlds }, { params: { id = '' } }) => {
        worlds.drop(id)
        return { status: 204 }
      },
    },
  ],
}
