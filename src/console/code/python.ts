import type { ClientRequest } from '../api/types.ts'
import type { Act } from '../state/acts.ts'
import type { CodePlace } from './code-place.ts'
import { PYTHON, toLiteral } from './literal.ts'
import { headersOf } from './request-headers.ts'

/** A test of pytest that needs nothing but Python, against this server. */
export function toPython(acts: readonly Act[], place: CodePlace): string {
  const { origin, world, needsKey } = place
  const query = world === 'default' ? '' : `?world=${world}`
  const key = needsKey ? '"Bearer " + os.environ["SEO_SANDBOX_ADMIN_KEY"]' : undefined
  const lines = acts.flatMap((act) => [`# ${act.sentence}.`, toLine(act, query)])
  return [
    'import json',
    ...(needsKey ? ['import os'] : []),
    'import urllib.error',
    'import urllib.request',
    '',
    `BASE = ${toLiteral(origin, PYTHON)}`,
    '',
    '',
    'def status(path, headers={}, method=None, body=None):',
    '    data = None if body is None else json.dumps(body).encode()',
    '    request = urllib.request.Request(BASE + path, data, headers, method=method)',
    '    try:',
    '        return urllib.request.urlopen(request).status',
    '    except urllib.error.HTTPError as error:',
    '        return error.code',
    '',
    '',
    'def command(path, body):',
    `    assert status(path, ${key === undefined ? '{}' : `{"Authorization": ${key}}`}, body=body) == 200`,
    '',
    '',
    'def test_as_in_the_console():',
    ...(lines.length > 0 ? lines : ['pass']).map((line) => line.replaceAll(/^(?=.)/gm, '    ')),
  ].join('\n')
}

function toLine(act: Act, query: string): string {
  if (act.kind === 'command') {
    return `command(${toLiteral(`/_sandbox/commands${query}`, PYTHON)}, ${toLiteral(act.command, PYTHON)})`
  }
  const { method = 'GET', path } = act.request
  const all = headersOf(act.request)
  const args = [
    toLiteral(path, PYTHON),
    ...(Object.keys(all).length > 0 ? [toLiteral(all, PYTHON)] : []),
    ...(method === 'GET' ? [] : [`method=${toLiteral(method, PYTHON)}`]),
  ]
  const call = `status(${args.join(', ')})`
  const { times = 1 } = act
  const before = times > 1 ? `for _ in range(${times - 1}):\n    ${call}\n` : ''
  return `${before}assert ${call} == ${act.status}`
}

/** A request by what Python comes with. */
export function toRequestOfPython(request: ClientRequest, origin: string): string {
  const { method = 'GET', path } = request
  const headers = headersOf(request)
  const args = [
    toLiteral(`${origin}${path}`, PYTHON),
    ...(Object.keys(headers).length > 0 ? [`headers=${toLiteral(headers, PYTHON)}`] : []),
    ...(method === 'GET' ? [] : [`method=${toLiteral(method, PYTHON)}`]),
  ]
  return [
    'import urllib.error',
    'import urllib.request',
    '',
    `request = urllib.request.Request(${args.join(', ')})`,
    'try:',
    '    response = urllib.request.urlopen(request)',
    'except urllib.error.HTTPError as error:',
    '    response = error',
    'print(response.status, response.read().decode())',
  ].join('\n')
}
