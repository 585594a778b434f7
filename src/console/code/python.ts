import type { ClientRequest } from '../api/types.ts'
import { headersOf, PYTHON, toLiteral } from './literal.ts'
import type { TestStep, TestContext } from './test-steps.ts'

/** Returns a test against the server at `origin` that needs no library but pytest. */
export function toPython(steps: readonly TestStep[], context: TestContext): string {
  const { origin, needsKey, options, note } = context
  const key = needsKey ? ', os.environ["SEO_SANDBOX_ADMIN_KEY"]' : ''
  const lines = [
    `# ${note}`,
    `world = json.load(send("/_sandbox/worlds"${key}, body=${toLiteral(options, PYTHON)}))`,
    'commands = "/_sandbox/commands?world=" + world["id"]',
    'suffix = next((own[len(token):] for token, own in world["tokens"].items()), "")',
    ...steps.flatMap((step) => [`# ${step.sentence}.`, toLine(step, key)]),
  ]
  return [
    'import json',
    ...(needsKey ? ['import os'] : []),
    'import urllib.error',
    'import urllib.request',
    '',
    `BASE = ${toLiteral(origin, PYTHON)}`,
    '',
    '',
    'def send(path, token=None, headers={}, method=None, body=None):',
    '    if token is not None:',
    '        headers = {**headers, "Authorization": "Bearer " + token}',
    '    data = None if body is None else json.dumps(body).encode()',
    '    request = urllib.request.Request(BASE + path, data, headers, method=method)',
    '    try:',
    '        return urllib.request.urlopen(request)',
    '    except urllib.error.HTTPError as error:',
    '        return error',
    '',
    '',
    'def test_as_in_the_console():',
    ...lines.map((line) => line.replaceAll(/^(?=.)/gm, '    ')),
  ].join('\n')
}

function toLine(step: TestStep, key: string): string {
  if (step.kind === 'command') {
    const { command, refused } = step
    const body = refused
      ? `{ "type": "clock.advance", "by": "PT" + ${toCall(refused)}.headers["Retry-After"] + "S" }`
      : toLiteral(command, PYTHON)
    return `assert send(commands${key}, body=${body}).status == 200`
  }
  const call = toCall(step.request)
  const { times = 1 } = step
  const before = times > 1 ? `for _ in range(${times - 1}):\n    ${call}\n` : ''
  return `${before}assert ${call}.status == ${step.status}`
}

function toCall({ method, path, token, headers = {} }: ClientRequest): string {
  const args = [
    toLiteral(path, PYTHON),
    ...(token === undefined ? [] : [`${toLiteral(token, PYTHON)} + suffix`]),
    ...toNamedArguments(headers, method),
  ]
  return `send(${args.join(', ')})`
}

function toNamedArguments(headers: Record<string, string>, method = 'GET'): string[] {
  return [
    ...(Object.keys(headers).length > 0 ? [`headers=${toLiteral(headers, PYTHON)}`] : []),
    ...(method === 'GET' ? [] : [`method=${toLiteral(method, PYTHON)}`]),
  ]
}

export function toRequestOfPython(request: ClientRequest, origin: string): string {
  const { method, path } = request
  const args = [
    toLiteral(`${origin}${path}`, PYTHON),
    ...toNamedArguments(headersOf(request), method),
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
