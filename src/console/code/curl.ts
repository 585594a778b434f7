import type { ClientRequest } from '../api/types.ts'
import { headersOf, toShellWord } from './literal.ts'
import type { TestStep, TestContext } from './test-steps.ts'

/** Returns shell commands that fail if a response has an unexpected status. */
export function toCurl(steps: readonly TestStep[], context: TestContext): string {
  const { origin, needsKey, options, note } = context
  const control = `curl -fsS${needsKey ? ' -H "Authorization: Bearer $SEO_SANDBOX_ADMIN_KEY"' : ''}`
  const worlds = toShellWord(`${origin}/_sandbox/worlds`)
  return [
    'set -e',
    `# ${note}`,
    `world=$(${control} ${worlds} -d ${toShellWord(JSON.stringify(options))})`,
    String.raw`id=$(printf %s "$world" | sed 's/.*"id":"\([^"]*\).*/\1/')`,
    String.raw`suffix=$(printf %s "$world" | sed -n 's/.*\(~[^"]*\).*/\1/p')`,
    ...steps.map((step) => `# ${step.sentence}.\n${toLine(step, control, origin)}`),
  ].join('\n')
}

/** Shell word for the suffix that the test's world adds to its bearer values. */
const SUFFIX = '"$suffix"'

function toLine(step: TestStep, control: string, origin: string): string {
  if (step.kind === 'command') {
    const { command, refused } = step
    const send = `${control} "${origin}/_sandbox/commands?world=$id" -d `
    if (!refused) return `${send}${toShellWord(JSON.stringify(command))}`
    const head = `curl -s -o /dev/null -D - ${toArguments(refused, origin, SUFFIX)}`
    const seconds = String.raw`sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\).*/\1/p'`
    return `${send}'{"type":"clock.advance","by":"PT'"$(${head} | ${seconds})"'S"}'`
  }
  const sent = `curl -s -o /dev/null -w '%{http_code}' ${toArguments(step.request, origin, SUFFIX)}`
  const { times = 1, status } = step
  const before = times > 1 ? `for sent in $(seq ${times - 1}); do ${sent} >/dev/null; done\n` : ''
  return `${before}test "$(${sent})" = ${status}`
}

/** Returns a shell command that sends a request, and prints the headers and the body of the response. */
export function toRequestOfCurl(request: ClientRequest, origin: string): string {
  return `curl -i ${toArguments(request, origin)}`
}

function toArguments(request: ClientRequest, origin: string, suffix = ''): string {
  const { method = 'GET', path } = request
  const flags = method === 'GET' ? [] : method === 'HEAD' ? ['-I'] : ['-X', method]
  const headers = Object.entries(headersOf(request)).map(
    ([name, value]) =>
      `-H ${toShellWord(`${name}: ${value}`)}${name === 'Authorization' ? suffix : ''}`,
  )
  return [...flags.map(toShellWord), ...headers, toShellWord(`${origin}${path}`)].join(' ')
}
