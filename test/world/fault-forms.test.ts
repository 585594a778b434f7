import { expect, test } from 'vitest'
import { listFaultForms } from '../../src/world/faults/fault-forms.ts'
import { FAULT_KINDS } from '../../src/world/faults/index.ts'

/** GET /_sandbox/faults/kinds: the data that a form needs to arm a fault. */

test('every kind of fault has its own fields, with bounds, defaults and what they mean', () => {
  const { kinds } = listFaultForms()
  expect(kinds.map(({ kind }) => kind)).toEqual(FAULT_KINDS.map(({ kind }) => kind))
  const fieldsOf = (name: string) => kinds.find(({ kind }) => kind === name)?.fields
  expect(fieldsOf('status')).toMatchObject({
    required: ['status'],
    properties: {
      status: { enum: expect.arrayContaining([429, 503]) },
      retry_after: {
        anyOf: [{ type: 'integer', minimum: 0 }, { type: 'object' }, { type: 'string' }],
        description: expect.any(String),
      },
    },
  })
  expect(fieldsOf('html')).toMatchObject({ properties: { status: { default: 502 } } })
  expect(fieldsOf('reset')).toMatchObject({ properties: {} })
})

test('a schedule has all of its forms', () => {
  const { properties } = listFaultForms().schedule
  expect(Object.keys(properties)).toEqual(['first', 'every', 'nth', 'from', 'until', 'share'])
})
