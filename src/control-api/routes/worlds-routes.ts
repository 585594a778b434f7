import { z } from 'zod'
import { WorldInfo } from '../../world/hosted-worlds.ts'
import type { IsolatedWorldSettings } from '../../world/isolated-worlds.ts'
import { bodyNameOf, ISOLATED_OPTION_NAMES, optionOf } from '../../world/options/table.ts'
import type { IsolatedOptionName } from '../../world/options/table.ts'
import * as validators from '../../world/options/validators.ts'
import { errorResponse } from '../control-error.ts'
import { answerList, listOf, ListQuery } from './query-fields.ts'
import { created, defineRoute, nameParameter, noContent } from './route.ts'
import type { ControlContext, ControlledStore, ControlResponse, ControlRoutes } from './route.ts'

export const NO_STORE =
  'This needs a store, which keeps worlds for several servers. Start the server with --store.'

/** Calls `answer` with the store. If there is no store, refuses the request. */
export function withStore(
  { store }: ControlContext,
  answer: (store: ControlledStore) => ControlResponse | Promise<ControlResponse>,
): ControlResponse | Promise<ControlResponse> {
  return store ? answer(store) : errorResponse(422, 'store_required', NO_STORE)
}

/** Time without use after which a world is dropped, because a client over HTTP may leave without dropping it. */
const IDLE_MS = 3_600_000

/** Options of an isolated world, by their names in a body. */
export const NewWorld = z.strictObject(
  Object.fromEntries(
    ISOLATED_OPTION_NAMES.map((name) => [
      bodyNameOf(name),
      optionOf(name).body!(validators).optional(),
    ]),
  ),
)

/** Converts a body to the options of an isolated world. Options that are settings are grouped under `settings`. */
export function toIsolatedSettings(body: Record<string, unknown>): IsolatedWorldSettings {
  const values = ISOLATED_OPTION_NAMES.map((name) => [name, body[bodyNameOf(name)]] as const)
  const isSetting = (name: IsolatedOptionName) => 'setting' in optionOf(name)
  return {
    ...Object.fromEntries(values.filter(([name]) => !isSetting(name))),
    settings: Object.fromEntries(values.filter(([name]) => isSetting(name))),
  }
}

const CreatedWorld = z.strictObject({
  id: z.string(),
  tokens: z
    .record(z.string(), z.string())
    .describe('Bearer values of the world, by those of the fixture'),
})
type CreatedWorld = z.infer<typeof CreatedWorld>

const WORLD_ID = nameParameter(z.string().describe('The id of the world'))

export const WORLDS_ROUTES: ControlRoutes = {
  tag: 'Worlds',
  page: 'docs/any-language.md',
  description: 'Isolated worlds, in addition to the default one',
  routes: [
    defineRoute({
      id: 'listWorlds',
      role: 'admin',
      method: 'get',
      path: '/worlds',
      summary: 'Lists the isolated worlds, the oldest first',
      description:
        'The default world is not listed. With `limit` or `after` the response is a page, `{ worlds, total, next }`, otherwise a list of all.',
      query: ListQuery,
      responses: { 200: listOf('worlds', WorldInfo) },
      answer: ({ worlds }, { query }) => answerList('worlds', query, (range) => worlds.page(range)),
    }),
    defineRoute({
      id: 'createWorld',
      role: 'admin',
      method: 'post',
      path: '/worlds',
      summary: 'Creates an isolated world, with tokens of its own',
      description:
        'Only this world answers requests with one of its tokens. Omitted settings are those that the server was started with, even if the default world has changed since. The world is dropped after an hour without use.',
      needsRoom: true,
      body: NewWorld.prefault({}),
      responses: { 201: CreatedWorld },
      answer: async ({ worlds }, { body }) => {
        const { id, tokens } = await worlds.create({ ...toIsolatedSettings(body), idleMs: IDLE_MS })
        return created({ id, tokens } satisfies CreatedWorld)
      },
    }),
    defineRoute({
      id: 'dropWorld',
      role: 'admin',
      method: 'delete',
      path: '/worlds/:id',
      summary: 'Drops an isolated world',
      description: 'Its tokens are unknown from then on.',
      params: { id: WORLD_ID },
      responses: { 204: null },
      refusal: 'The default world cannot be dropped.',
      answer: async ({ worlds }, { params: { id } }) => {
        await worlds.drop(id)
        return noContent()
      },
    }),
    defineRoute({
      id: 'loadWorld',
      role: 'admin',
      method: 'post',
      path: '/worlds/:id/load',
      summary: 'Loads a world from the store into this server',
      description:
        'If three servers have ended while loading a world, it is loaded at most once an hour. This route tries once more at once. The response says what is wrong if the world cannot be loaded.',
      params: { id: WORLD_ID },
      responses: { 204: null },
      refusal: NO_STORE,
      answer: (context, { params }) =>
        withStore(context, async ({ load }) => {
          await load(params.id)
          return noContent()
        }),
    }),
  ],
}
