import { describe, expect, test } from 'vitest'
import { CONTROL_ROUTES } from '../../src/control-api/control-routes.ts'
import { defineRoute, ok } from '../../src/control-api/routes/route.ts'
import type { ControlRoute } from '../../src/control-api/routes/route.ts'
import { createSandbox } from '../../src/index.ts'
import { aReport, withReports } from '../support/worlds.ts'

/** Design, the control API: a route validates everything that its document states. */

/** Bodies with a wrong type, a missing field, or an unknown field. */
const WRONG_BODIES: readonly unknown[] = [true, 42, 'text', null, [[]], {}, { unknown_field: 1 }]

async function send(route: ControlRoute, body: unknown): Promise<unknown> {
  const sandbox = await createSandbox({
    fixtures: withReports([aReport({ id: 1 })]),
  })
  const { control: worlds } = sandbox.worlds
  const params = { collection: 'projects', id: '1', step: 'start' }
  const answer = async () =>
    route.answer(
      {
        world: worlds.default,
        worlds,
        document: async () => ({}),
        origin: '',
        takeCostly: (handle) => handle(),
        pageOf: String,
      },
      { params, query: {}, body },
    )
  return answer().catch((error: unknown) => error)
}

describe('a body that the document does not allow is refused', () => {
  const cases = CONTROL_ROUTES.flatMap((route) =>
    WRONG_BODIES.filter((body) => route.body?.safeParse(body).success === false).map(
      (body) => [route.id, JSON.stringify(body), route, body] as const,
    ),
  )

  test.each(cases)('%s refuses %s', async (_id, _text, route, body) => {
    expect(await send(route, body)).toMatchObject({ code: 'invalid_command' })
  })

  test('on every route that has a body', () => {
    const tried = new Set(cases.map(([id]) => id))
    const withBody = CONTROL_ROUTES.filter(({ body }) => body !== undefined)
    expect(withBody.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([])
  })
})

test.each(
  CONTROL_ROUTES.flatMap(({ id, params }) =>
    Object.entries(params)
      .filter(([, { schema }]) => !schema.safeParse('no such thing').success)
      .map(([name, parameter]) => [id, name, parameter] as const),
  ),
)('%s refuses a path whose %s cannot be one', (_id, _name, { parse }) => {
  expect(() => parse('no such thing')).toThrow(
    expect.objectContaining({ code: 'record_not_found' }),
  )
})

test('a route that does not state who may use it does not compile', () => {
  // @ts-expect-error: it lacks its role.
  const route = defineRoute({
    id: 'getAnything',
    method: 'get',
    path: '/anything',
    summary: 'Shows anything',
    description: 'It is a route.',
    responses: { 200: null },
    answer: () => ok(undefined),
  })
  expect(route.role).toBeUndefined()
})
