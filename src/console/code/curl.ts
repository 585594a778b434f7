import type { Act } from '../state/acts.ts'
import type { CodePlace } from './code-place.ts'
import { toShellWord } from './literal.ts'

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
  const { method = 'GET', path, token, headers = {} } = act.request
  const all = { ...(token !== undefined && { Authorization: `Bearer ${token}` }), ...headers }
  const flags = [
    ...(method === 'GET' ? [] : ['-X', method]),
    ...Object.entries(all).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    `${origin}${path}`,
  ]
  const sent = `curl -s -o /dev/null -w '%{http_code}' ${flags.map(toShellWord).join(' ')}`
  return `test "$(${sent})" = ${act.status}`
}
