import type { Command } from '../api/types.ts'
import type { Act } from '../state/acts.ts'
import { toLiteral, TYPESCRIPT } from './literal.ts'

/** A test of Vitest with a sandbox of its own. */
export function toTypeScript(acts: readonly Act[]): string {
  const lines = acts.flatMap((act) => [`// ${act.sentence}.`, ...toLines(act)])
  const checks = acts.some(({ kind }) => kind === 'request')
  return [
    "import { createSandbox } from 'seo-sandbox'",
    `import { ${checks ? 'expect, ' : ''}test } from 'vitest'`,
    '',
    "test('as in the console', async () => {",
    '  const sandbox = await createSandbox()',
    ...lines.map((line) => line.replaceAll(/^(?=.)/gm, '  ')),
    '})',
  ].join('\n')
}

function toLines(act: Act): string[] {
  if (act.kind === 'command') return [`await sandbox.${toCall(act.command)}`]
  const { method = 'GET', path, token, headers = {} } = act.request
  const all = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers }
  const init = {
    ...(method !== 'GET' && { method }),
    ...(Object.keys(all).length > 0 && { headers: all }),
  }
  const args = [path, ...(Object.keys(init).length > 0 ? [init] : [])]
  const call = args.map((arg) => toLiteral(arg, TYPESCRIPT)).join(', ')
  return [`expect((await sandbox.fetch(${call})).status).toBe(${act.status})`]
}

/** The method of the library that is short for a command, where there is one. */
function toCall(command: Command): string {
  switch (command.type) {
    case 'reset':
      return 'reset()'
    case 'clock.set':
      return `clock.set(${toLiteral(command.now, TYPESCRIPT)})`
    case 'clock.advance':
      return `clock.advance(${toLiteral(command.by, TYPESCRIPT)})`
    case 'clock.freeze':
      return `clock.freeze(${command.frozen === false ? 'false' : ''})`
    case 'fault.add':
      return `faults.add(${toLiteral(command.fault, TYPESCRIPT)})`
    default:
      return `command(${toLiteral(command, TYPESCRIPT)})`
  }
}
