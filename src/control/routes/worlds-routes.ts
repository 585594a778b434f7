import { z } from 'zod'
import { DateTimeInput } from '../../contract/moments.ts'
import { PolicySettings } from '../../contract/policies.ts'
import { DEFAULT_RATE_LIMITS, RateLimit, toRateLimits } from '../../contract/token.ts'
import { FixturesInput } from '../commands.ts'
import { defineRoute, ok } from './route.ts'
import type { ControlRoute } from './route.ts'

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

/** The worlds beside the default one. */
export const WORLDS_ROUTES: readonly ControlRoute[] = [
  {
    method: 'get',
    path: '/worlds',
    summary: 'The isolated worlds, the oldest first',
    answer: ({ worlds }) => ok(worlds.list()),
  },
  defineRoute({
    method: 'post',
    path: '/worlds',
    summary: 'Makes an isolated world, with tokens of its own',
    body: NewWorld,
    bodyLimitMb: FIXTURES_LIMIT_MB,
    answer: async ({ worlds }, { body: { seed, rate_limit, ...rest } }) => {
      const settings = { ...rest, randomSeed: seed, rateLimits: rate_limit, idleMs: IDLE_MS }
      const { id, tokens } = await worlds.create(settings)
      return { status: 201, body: { id, tokens } }
    },
  }),
  {
    method: 'delete',
    path: '/worlds/:id',
    summary: 'Drops an isolated world',
    answer: ({ worlds }, { params: { id = '' } }) => {
      worlds.drop(id)
      return { status: 204 }
    },
  },
]
