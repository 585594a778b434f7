import { LIMITS, LOADED } from '../../src/store/world-limits.ts'
import { code, table } from './markdown.ts'

/** What a host allows a world. */
export function limitTable(): string {
  const rows = Object.entries(LIMITS).map(([name, { default: preset, counts }]) => [
    code(name),
    counts,
    preset.toLocaleString('en'),
  ])
  rows.push([
    code('loaded'),
    `${LOADED}, which those of a store need not have in common`,
    'by its heap',
  ])
  return table(['limit', 'counts', 'default'], rows)
}
