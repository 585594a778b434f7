import { expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { TokenRecord } from '../../src/contract/token.ts'
import { GivenValues } from '../../src/journal/bearer-finder.ts'
import { Secrets } from '../../src/journal/secrets.ts'
import { AGENCY, aToken, aWorld } from '../support/worlds.ts'

const LONGEST = 4096

/** Tokens whose values have a million characters together, and a few more. */
const tooLong = Array.from({ length: 245 }, (_, index) =>
  aToken({ id: index + 10, name: 'Long', token: `${index}`.padEnd(LONGEST, 'x') }),
)

test('a bearer value has at most 4096 characters, which can be looked for in everything that is shown', async () => {
  const sandbox = await createSandbox({ fixtures: aWorld() })
  const put = (length: number) =>
    sandbox.command({
      type: 'record.put',
      collection: 'tokens',
      record: aToken({ id: 9, name: 'Long', token: 'x'.repeat(length) }),
    })
  await expect(put(LONGEST + 1)).rejects.toThrow('at most 4096 characters')
  await put(LONGEST)
  await sandbox.fetch(`/api/v1/me?search=${'x'.repeat(LONGEST)}`)
  expect(sandbox.requests.all()[0]?.query).toBe('search=[token 9]')
})

test('the bearer values of a world have at most a million characters together, wherever they come from', async () => {
  const says = /bearer values have 1\d{6} characters together, and a world has at most 1000000/
  const fixtures = aWorld({ tokens: tooLong })
  await expect(createSandbox({ fixtures })).rejects.toThrow(says)
  const sandbox = await createSandbox({ fixtures: aWorld({ tokens: tooLong.slice(1) }) })
  const last = { ...tooLong[0]!, token: 'x'.repeat(LONGEST) }
  const put = sandbox.command({ type: 'record.put', collection: 'tokens', record: last })
  await expect(put).rejects.toThrow(says)
  const snapshot = structuredClone(await sandbox.snapshot())
  snapshot.records.tokens.push({ ...snapshot.records.tokens[0]!, id: 9, token: last.token })
  await expect(sandbox.restore(snapshot)).rejects.toThrow(says)
  expect((await sandbox.fetch('/api/v1/me', { headers: bearing(AGENCY) })).status).toBe(401)
})

test('of the values that commands gave to isolated worlds the oldest are forgotten, and never the admin key', () => {
  const values = new GivenValues()
  values.addForGood('admin-key')
  const added = Array.from({ length: 2500 }, (_, index) => `${index}`.padEnd(1000, '-'))
  const isFound = (value: string) => values.inText(value).length > 0
  values.add(added[0]!)
  expect(isFound(added[0]!)).toBe(true)
  for (const value of added) values.add(value)
  expect(isFound('admin-key')).toBe(true)
  expect(added.filter(isFound)).toEqual(added.slice(-1000))
})

test('of the values that a world had earlier the oldest are forgotten, and never those of its tokens', () => {
  const secrets = new Secrets({ tokenSuffix: '', givenValues: new GivenValues() })
  const first = aToken({ id: 1, token: 'first-token', allowed_ips: [] }) as TokenRecord
  const changed = (index: number) => ({ ...first, id: 2, token: `${index}`.padEnd(LONGEST, '-') })
  for (let index = 0; index < 1200; index += 1) secrets.keep([first, changed(index)])
  const held = [...secrets.owners.keys()]
  expect(held.join('').length).toBeLessThan(4_100_000)
  expect(held).toEqual(expect.arrayContaining(['first-token', changed(1199).token]))
  expect(held).not.toContain(changed(0).token)
})

function bearing(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}
