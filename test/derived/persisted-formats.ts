import { z } from 'zod'
import { Session, SessionHeader, SessionLine } from '../../src/session/session.ts'
import { Snapshot } from '../../src/world/snapshot.ts'
import { fieldTable } from './field-table.ts'
import type { Schema } from './field-table.ts'

/** The tables of docs/formats.md. */

function read(schema: z.ZodType): Schema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema
}

/** The schema of a field, at a path of fields. */
function at(schema: Schema, ...path: string[]): Schema {
  let found = schema
  for (const name of path) {
    const next = found.properties?.[name]
    if (!next) throw new Error(`The schema has no ${path.join('.')}.`)
    found = next.anyOf?.find(({ properties }) => properties) ?? next
  }
  return found
}

function sections(titled: [title: string, schema: Schema | undefined][]): string {
  return titled.map(([title, schema]) => `### ${title}\n\n${fieldTable(schema ?? {})}`).join('\n\n')
}

export function sessionTables(): string {
  const whole = read(Session)
  const [request, command, end] = read(SessionLine).anyOf ?? []
  const { lines, cut } = read(SessionHeader).properties ?? {}
  return sections([
    ['The session', whole],
    ['`beginning`', at(whole, 'beginning')],
    ['`run`', at(whole, 'run')],
    ['A step: a request', request],
    ['`request`', at(request!, 'request')],
    ['`answer`', at(request!, 'answer')],
    ['`wire`', at(request!, 'answer', 'wire')],
    ['`sent`', at(request!, 'sent')],
    ['A step: a command', command],
    ['A line: the end of a response', end],
    ['The first line', { properties: { lines: lines!, cut: cut! }, required: ['lines'] }],
  ])
}

export function snapshotTables(): string {
  const whole = read(Snapshot)
  return sections([
    ['The snapshot', whole],
    ['`clock`', at(whole, 'clock')],
    ['`origin`', at(whole, 'origin')],
    ['`published`', at(whole, 'published')],
  ])
}
