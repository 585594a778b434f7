import type { ClientRequest } from '../api/types.ts'

interface Dialect {
  null: string
  true: string
  false: string
  key: (name: string) => string
  text: (value: string) => string
}

export const TYPESCRIPT: Dialect = {
  null: 'null',
  true: 'true',
  false: 'false',
  key: (name) => {
    // A plain `__proto__` key would set the prototype.
    if (name === '__proto__') return "['__proto__']"
    return /^[a-z_$][\w$]*$/i.test(name) ? name : singleQuoted(name)
  },
  text: singleQuoted,
}

export const PYTHON: Dialect = {
  null: 'None',
  true: 'True',
  false: 'False',
  key: (name) => JSON.stringify(name),
  // A JSON string is also a Python string.
  text: (value) => escapeInvisible(JSON.stringify(value)),
}

const LINE_LENGTH = 72
const INDENT = '  '

/** Formats a value as a literal of the dialect. An array or object longer than `LINE_LENGTH` has one entry per line. */
export function toLiteral(value: unknown, dialect: Dialect, indent = ''): string {
  if (value === null || value === undefined) return dialect.null
  if (typeof value === 'boolean') return value ? dialect.true : dialect.false
  if (typeof value === 'string') return dialect.text(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const entries = toEntries(value, dialect, indent + INDENT)
  if (entries.length === 0) return `${open}${close}`
  const line = Array.isArray(value) ? `[${entries.join(', ')}]` : `{ ${entries.join(', ')} }`
  if (line.length + indent.length <= LINE_LENGTH && !line.includes('\n')) return line
  const lines = entries.map((entry) => `${indent}${INDENT}${entry},\n`)
  return `${open}\n${lines.join('')}${indent}${close}`
}

function toEntries(value: object, dialect: Dialect, indent: string): string[] {
  if (Array.isArray(value)) return value.map((item) => toLiteral(item, dialect, indent))
  return Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([name, item]) => `${dialect.key(name)}: ${toLiteral(item, dialect, indent)}`)
}

function singleQuoted(text: string): string {
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
  return `'${escapeInvisible(inner.replaceAll("'", String.raw`\'`))}'`
}

/** Escapes DEL, C1 controls and other invisible characters, which could disguise code. */
function escapeInvisible(text: string): string {
  return text.replaceAll(
    /[\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g,
    (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Formats a string as a PHP literal, with double quotes only if the string has control or invisible characters. */
export function toPhpString(text: string): string {
  if (escapeInvisible(text) === text && !/\p{Cc}/u.test(text)) {
    return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`
  }
  const inner = text.replaceAll(/[^ -~]|["$\\]/gu, (character) =>
    /["$\\]/.test(character)
      ? `\\${character}`
      : String.raw`\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
  return `"${inner}"`
}

export function toShellWord(text: string): string {
  if (/^[\w./:=@%+,-]+$/.test(text)) return text
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Returns the headers of a request, with its token, if any, as a bearer value in the header `name`. */
export function headersOf(
  { token, headers }: ClientRequest,
  name = 'Authorization',
): Record<string, string> {
  return { ...(token !== undefined && { [name]: `Bearer ${token}` }), ...headers }
}
