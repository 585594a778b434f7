import type { ClientRequest, RecordOf } from '../api/types.ts'
import { headersOf, toLiteral, TYPESCRIPT } from './literal.ts'
import type { TestStep, TestContext } from './test-steps.ts'

/** Returns a Vitest test with its own sandbox. */
export function toTypeScript(
  steps: readonly TestStep[],
  { options, files, note }: TestContext,
): string {
  const lines = steps.flatMap((step) => [`// ${step.sentence}.`, ...toLines(step)])
  const checks = steps.some(({ kind }) => kind === 'request')
  return [
    "import { createSandbox } from 'seo-sandbox'",
    ...(files.length > 0 ? ["import { loadFixtures } from 'seo-sandbox/server'"] : []),
    `import { ${checks ? 'expect, ' : ''}test } from 'vitest'`,
    '',
    "test('as in the console', async () => {",
    `  // ${note}`,
    ...toCreation(options, files).map((line) => `  ${line}`),
    ...lines.map((line) => line.replaceAll(/^(?=.)/gm, '  ')),
    '})',
  ].join('\n')
}

function toCreation(options: object, files: readonly string[]): string[] {
  const literal = toLiteral(options, TYPESCRIPT, INDENT)
  if (files.length === 0) return [`const sandbox = await createSandbox(${literal})`]
  const names = files.map((name) => toLiteral(name, TYPESCRIPT)).join(', ')
  return [
    `const fixtures = await loadFixtures(${names})`,
    `const sandbox = await createSandbox(${literal.replace(/^\{(\s+)/, '{$1fixtures,$1')})`,
  ]
}

const INDENT = '  '

function toLines(step: TestStep): string[] {
  if (step.kind === 'command') {
    if (!step.refused) return [`await sandbox.${toCall(step)}`]
    const response = `await sandbox.fetch(${toArguments(step.refused, step.refused.path)})`
    return [`await sandbox.clock.advance(1000 * Number((${response}).headers.get('retry-after')))`]
  }
  const call = toArguments(step.request, step.request.path)
  const { times = 1 } = step
  return [
    ...(times > 1
      ? [`for (let sent = 1; sent < ${times}; sent += 1) await sandbox.fetch(${call})`]
      : []),
    `expect((await sandbox.fetch(${call})).status).toBe(${step.status})`,
  ]
}

export function toFetch(request: ClientRequest, origin: string): string {
  return [
    `const response = await fetch(${toArguments(request, `${origin}${request.path}`)})`,
    'console.log(response.status, await response.text())',
  ].join('\n')
}

function toArguments(request: ClientRequest, url: string): string {
  const { method = 'GET' } = request
  const headers = headersOf(request, 'authorization')
  const init = {
    ...(method !== 'GET' && { method }),
    ...(Object.keys(headers).length > 0 && { headers }),
  }
  const args = [url, ...(Object.keys(init).length > 0 ? [init] : [])]
  return args.map((arg) => toLiteral(arg, TYPESCRIPT)).join(', ')
}

/** Returns a call of the library's method for a common command, or of `command` for any other. */
function toCall({ command, result }: Extract<TestStep, { kind: 'command' }>): string {
  if (command.type.startsWith('report.') && isReport(result)) {
    const step = command.type.slice('report.'.length)
    const { project, report_number } = result
    const name = step === 'create' ? { project } : { project, report_number }
    return `reports.${step}(${toLiteral(name, TYPESCRIPT)})`
  }
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

/** True if the result of a command is a report, which the library identifies by project and number. */
function isReport(
  result: unknown,
): result is Pick<RecordOf<'reports'>, 'project' | 'report_number'> {
  return typeof result === 'object' && result !== null && 'report_number' in result
}
