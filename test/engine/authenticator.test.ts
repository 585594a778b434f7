import { expect, test } from 'vitest'
import { resolvePolicies } from '../../src/contract/policies.ts'
import type { PolicyName } from '../../src/contract/policies.ts'
import type { TokenRecord } from '../../src/contract/token.ts'
import { identifyToken } from '../../src/engine/authenticator.ts'
import { Indexes } from '../../src/records/indexes.ts'

const COUNT = 100

const POLICIES = resolvePolicies()
const policy = (name: PolicyName) => POLICIES[name] as never

/** Records of many tokens, with a count of the reads of their bearer values since they were added. */
function manyTokens() {
  const indexes = new Indexes()
  let reads = 0
  for (let id = 1; id <= COUNT; id += 1) {
    const record = Object.defineProperty({ id, name: `Token ${id}` }, 'token', {
      get: () => {
        reads += 1
        return `value-${id}`
      },
    })
    indexes.put('tokens', record as TokenRecord)
  }
  reads = 0
  return { indexes, countReads: () => reads }
}

test.each([
  ['of a token', 'Bearer value-7', 7],
  ['in another spelling', 'bearer   value-7', 7],
  ['of no token', 'Bearer value-0', undefined],
  ['of 15,000 characters', `Bearer ${'x'.repeat(15_000)}`, undefined],
  ['with the beginning of a value', 'Bearer value', undefined],
  ['without a scheme', 'value-7', undefined],
  ['without a value', 'Bearer ', undefined],
  ['that is empty', '', undefined],
])('a header %s is looked up, and compared with no token', (_, authorization, id) => {
  const { indexes, countReads } = manyTokens()
  expect(identifyToken(authorization, indexes, policy)?.id).toBe(id)
  expect(countReads()).toBe(0)
})

test('a token is found by its new value as soon as it is replaced, and not by the old one', () => {
  const indexes = new Indexes()
  for (const token of ['first', 'second']) indexes.put('tokens', { id: 1, token } as TokenRecord)
  expect(identifyToken('Bearer first', indexes, policy)).toBeUndefined()
  expect(identifyToken('Bearer second', indexes, policy)?.id).toBe(1)
})
