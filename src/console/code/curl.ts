import type { ClientRequest } from '../api/types.ts'
import type { Act } from '../state/acts.ts'
import type { CodePlace } from './code-place.ts'
import { toShellWord } from './literal.ts'
import { headersOf } from './request-headers.ts'

/** Commands of a shell, which fail where a response is another one. */
export function toCurl(acts: readonly Act[], place: CodePlace): string {
  const lines = acts.map((act) => `# ${act.sentence}.\n${toCommand(act, place)}`)
  return ['set -e', ...lines].join('\n')
}

function toCommand(act: Act, { origin, world, needsKey }: CodePlace): string {
  if (act.kind === 'command') {
    const url = `${origin}/_sandbox/commands${world === 'default' ? '' : `?world=${world}`}`
    const key = needsKey ? ' -H "Authorization: Bearer $SEO_SANDBOX_ADMIN_KEY"' : ''
    return `curl -fsS${key} ${toShellWord(url)} -d ${toShellWord(JSON.stringify(act.command))}`
  }
  const sent = `curl -s -o /dev/null -w '%{http_code}' ${toArguments(act.request, origin)}`
  const { times = 1 } = act
  const before = times > 1 ? `for sent in $(seq ${times - 1}); do ${sent} >/dev/null; done\n` : ''
  return `${before}test "$(${sent})" = ${act.status}`
}

/** A request, whose response is shown with its head. */
export function toRequestOfCurl(request: ClientRequest, origin: string): string {
  return `curl -i ${toArguments(request, origin)}`
}

function toArguments(request: ClientRequest, origin: string): string {
  const { method = 'GET', path } = request
  const flags = [
    ...(method === 'GET' ? [] : method === 'HEAD' ? ['-I'] : ['-X', method]),
    ...Object.entries(headersOf(request)).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    `${origin}${path}`,
  ]
  return flags.map(toShellWord).join(' ')
}
