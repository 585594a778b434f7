/**
 * Mutations that no test can notice, because nothing visible depends on them. `before` and `after` are the lines as
 * `run.js` prints them.
 *
 * @type {{ file: string, before: string, after: string, because: string }[]}
 */
export const KNOWN_SURVIVORS = [
  {
    file: 'src/drawing/timeline.ts',
    before:
      "element('text', { x: x + 10, y: y + 17, fill: color, 'font-weight': 600 }, escapeText(label)),",
    after:
      "element('text', { x: x + 10, y: y + 17, fill: color, 'font-weight': 601 }, escapeText(label)),",
    because: 'fonts have no weight between 600 and 700, so that both look the same',
  },
  {
    file: 'src/review/reviewer.ts',
    before: 'own: start?.() ?? null,',
    after: 'own: start?.(),',
    because: 'a check without a start reads no state; null is what JSON stores for it',
  },
  {
    file: 'src/control-api/routes/record-routes.ts',
    before:
      'return all.filter((record) => nameOf(record)?.toLowerCase().includes(wanted) ?? false)',
    after: 'return all.filter((record) => nameOf(record)?.toLowerCase().includes(wanted))',
    because: 'a filter takes undefined for false; the right side is for the compiler',
  },
  {
    file: 'src/engine/calendar-month.ts',
    before:
      'const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = FIELDS.map((field) =>',
    after:
      'const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 1] = FIELDS.map((field) =>',
    because: 'a date has all fields; the defaults are for the compiler',
  },
  {
    file: 'src/records/integrity.ts',
    before: 'const limited = { per_minute: 1, per_hour: 1 }',
    after: 'const limited = { per_minute: 2, per_hour: 1 }',
    because: 'any number is a limit; whether there is one is all that is asked',
  },
]
