import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Command } from '../../src/index.ts'
import { commandSentence } from '../../src/wording/command-sentence.ts'
import { COMMAND_DEFINITIONS } from '../../src/world/commands/index.ts'
import { runs } from '../support/depth.ts'

/** Commands of the journal in words, as the console shows them in Traffic. */

const NO_STATE = { record: null, removed: false, stated: false, moves_from: null }

test.each<[command: Command, sentence: string]>([
  [{ type: 'clock.advance', by: 'PT30S' }, 'Advanced both clocks by 30 seconds'],
  [{ type: 'clock.advance', by: 'P1M' }, 'Advanced both clocks by 1 month'],
  [{ type: 'clock.advance', by: 'P1DT12H' }, 'Advanced both clocks by P1DT12H'],
  [{ type: 'clock.advance', by: 1500 }, 'Advanced both clocks by 1,500 ms'],
  [
    { type: 'clock.set', now: '2026-04-01T00:00:00Z' },
    'Set the world clock to 2026-04-01T00:00:00Z',
  ],
  [{ type: 'clock.set', now: 'now+1d' }, 'Set the world clock to now+1d'],
  [{ type: 'clock.freeze', frozen: false }, 'Let the world clock run'],
  [
    { type: 'fault.add', fault: { kind: 'status', status: 503, schedule: { first: 2 } } },
    'Armed a fault: The next two requests get a 503',
  ],
  [{ type: 'fault.set', faults: [] }, 'Disarmed all faults'],
  [{ type: 'fault.remove', id: 3 }, 'Disarmed fault 3'],
  [
    { type: 'policy.set', policies: { 'missing-token': '403' } },
    'Set the policy missing-token to 403',
  ],
  [{ type: 'policy.set', policies: {} }, 'policy.set policies {  }'],
  [
    { type: 'record.patch', collection: 'tokens', id: 1, patch: { status: 'disabled' } },
    'Changed token 1',
  ],
  [{ type: 'record.delete', collection: 'agencies', id: 2 }, 'Deleted agency 2'],
  [{ type: 'record.restore', collection: 'reports', id: 3, state: NO_STATE }, 'Put back report 3'],
  [{ type: 'report.complete', report: 510104 }, 'Completed the report with id 510104'],
])('%j is: %s', (command, sentence) => {
  expect(commandSentence(command)).toBe(sentence)
})

test('every command has a sentence, and no field from a file elsewhere breaks it', () => {
  const types = COMMAND_DEFINITIONS.map(({ type }) => type)
  const names = ['now', 'by', 'fault', 'faults', 'policies', 'record', 'collection', 'id', 'report']
  const fault = fc.record(
    { kind: fc.constantFrom('status', 'latency', 'html', 'x'), retry_after: fc.jsonValue() },
    { requiredKeys: ['kind'] },
  )
  const fields = fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.jsonValue(), fault))
  fc.assert(
    fc.property(fc.constantFrom(...types, 'constructor', 'x'), fields, (type, others) => {
      expect(commandSentence({ ...others, type })).not.toBe('')
    }),
    { numRuns: runs(500) },
  )
  const withFields = ['fault.add', 'fault.set', 'policy.set']
  for (const type of types.filter((name) => !withFields.includes(name))) {
    expect(commandSentence({ type }), type).toMatch(/^[A-Z]/)
  }
})
