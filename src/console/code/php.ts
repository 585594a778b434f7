import type { ClientRequest } from '../api/types.ts'
import { headersOf, toPhpString } from './literal.ts'

export function toPhp(request: ClientRequest, origin: string): string {
  const { method = 'GET', path } = request
  const headers = Object.entries(headersOf(request)).map(([name, value]) => `${name}: ${value}`)
  return [
    '<?php',
    "$context = stream_context_create(['http' => [",
    ...(method === 'GET' ? [] : [`    'method' => ${toPhpString(method)},`]),
    ...(headers.length === 0
      ? []
      : [`    'header' => [${headers.map((header) => toPhpString(header)).join(', ')}],`]),
    "    'ignore_errors' => true,",
    ']]);',
    `$body = file_get_contents(${toPhpString(`${origin}${path}`)}, false, $context);`,
    'echo $http_response_header[0], "\\n", $body, "\\n";',
  ].join('\n')
}
