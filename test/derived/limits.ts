import { LIMITS, LOADED } from '../../src/store/store-options.ts'
import { code, table } from './markdown.ts'

/** The limits of a host for a world. */
export function limitTable(): string {
  const rows = Object.entries(LIMITS).map(([name, { default: preset, counts }]) => [
    code(name),
    counts,
    preset.toLocaleString('en'),
  ])
  rows.push([
    code('loaded'),
    `${LOADED}; others of its store may hold more or fewer`,
    'by its heap',
  ])
  return table(['limit', 'counts', 'default'], rows)
}
