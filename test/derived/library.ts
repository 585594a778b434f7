import { readFileSync } from 'node:fs'
import { parseSync } from 'rolldown/utils'
import type { ESTree } from 'rolldown/utils'
import { fromRoot } from '../support/cli.ts'
import { WORLD_OPTION_NAMES } from '../../src/world/options/table.ts'
import { code, table } from './markdown.ts'

/** The entry points of the package by their files in src, in the order of the page. */
const ENTRY_POINTS = {
  'seo-sandbox': 'index',
  'seo-sandbox/msw': 'msw',
  'seo-sandbox/server': 'server',
  'seo-sandbox/vitest': 'vitest',
  'seo-sandbox/matchers': 'matchers',
  'seo-sandbox/rehearse': 'rehearse',
  'seo-sandbox/data': 'data',
}

/** A module with the docstrings of its statements and members. */
class Source {
  readonly body: ESTree.Program['body']
  readonly #text: string
  readonly #docs: Map<number, string>

  constructor(path: string) {
    this.#text = readFileSync(fromRoot(path), 'utf8')
    const { program, comments, errors } = parseSync(path, this.#text)
    if (errors.length > 0) throw new Error(`${path} cannot be parsed.`)
    this.body = program.body
    const docs = comments.filter(({ value }) => value.startsWith('*'))
    // A docstring belongs to the node that begins after it.
    this.#docs = new Map(docs.map(({ value, end }) => [end + this.#spaceAfter(end), toText(value)]))
  }

  /** The docstring of a node; empty for none. */
  docOf({ start }: { start: number }): string {
    return this.#docs.get(start) ?? ''
  }

  /** A part of the text, on one line. */
  textOf({ start, end }: { start: number; end: number }): string {
    return onOneLine(this.#text.slice(start, end))
  }

  #spaceAfter(position: number): number {
    return /^\s*/.exec(this.#text.slice(position))?.[0].length ?? 0
  }
}

/** A section for each entry point. */
export function librarySections(): string {
  return Object.entries(ENTRY_POINTS).map(entrySection).join('\n\n')
}

interface Export {
  name: string
  doc: string
  /** The form of a call or a type; none for types that are in the OpenAPI document. */
  signature?: string
  members: string[][]
}

function entrySection([name, file]: [string, string]): string {
  const source = new Source(`src/${file}.ts`)
  const exports = source.body.flatMap((node) => exportsOf(node))
  const isShown = ({ signature, members }: Export) => signature !== undefined || members.length > 0
  const others = exports.filter((found) => !isShown(found) && found.doc !== '')
  return [
    `## ${name}`,
    source.body[0] ? introduction(source, file) : '',
    ...exports.filter(isShown).map(describe),
    ...(others.length === 0
      ? []
      : [
          '### Other exports',
          table(
            ['export', 'description'],
            others.map(({ name: type, doc }) => [code(type), inline(doc)]),
          ),
        ]),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** The docstring of the first export, which is that of the entry point. */
function introduction(source: Source, file: string): string {
  const first = source.body.find(({ type }) => type === 'ExportNamedDeclaration')
  if (first === undefined) throw new Error(`src/${file}.ts exports nothing.`)
  return source.docOf(first)
}

/** The exports of a statement in an entry point. */
function exportsOf(node: ESTree.Program['body'][number]): Export[] {
  if (node.type !== 'ExportNamedDeclaration' || node.source === null) return []
  const path = `src/${node.source.value.replace('./', '')}`
  const source = new Source(path)
  return node.specifiers.map((specifier) => {
    const [local, exported] = [nameOf(specifier.local), nameOf(specifier.exported)]
    return { ...find(source, local), name: exported }
  })
}

/** @throws Error for a name that the module does not export. */
function find(source: Source, name: string): Export {
  const statements = source.body.filter(
    (node) => node.type === 'ExportNamedDeclaration' && declares(node.declaration, name),
  ) as ESTree.ExportNamedDeclaration[]
  const [statement] = statements
  const { declaration } = statement ?? {}
  if (!statement || !declaration) throw new Error(`Nothing exports ${name}.`)
  const doc = statements.map((found) => source.docOf(found)).find((text) => text !== '') ?? ''
  const own = membersOf(source, declaration)
  const members = name === 'SandboxOptions' ? [...worldOptions(), ...own] : own
  return {
    name,
    doc: doc + valuesOf(source, declaration),
    members,
    ...signatureOf(source, declaration),
  }
}

function declares(declaration: ESTree.Declaration | null, name: string): boolean {
  if (declaration === null) return false
  if (declaration.type !== 'VariableDeclaration') {
    return 'id' in declaration && declaration.id !== null && nameOf(declaration.id) === name
  }
  return declaration.declarations.some(({ id }) => nameOf(id) === name)
}

/** The options of a world, whose type is derived from a table. */
function worldOptions(): string[][] {
  const source = new Source('src/world/options/table.ts')
  const declaration = source.body.flatMap((node) =>
    node.type === 'VariableDeclaration' ? node.declarations : [],
  )
  const { init } = declaration.find(({ id }) => nameOf(id) === 'WORLD_OPTIONS') ?? {}
  const options = init?.type === 'TSSatisfiesExpression' ? init.expression : undefined
  const object = options?.type === 'TSAsExpression' ? options.expression : undefined
  const properties = object?.type === 'ObjectExpression' ? object.properties : []
  const docs = new Map(
    properties.flatMap((property) =>
      property.type === 'Property' ? [[nameOf(property.key), source.docOf(property)]] : [],
    ),
  )
  return WORLD_OPTION_NAMES.map((name) => {
    const doc = docs.get(name)
    if (!doc) throw new Error(`The option ${name} has no docstring in src/world/options/table.ts.`)
    return [code(name), inline(doc)]
  })
}

/** The values of a type that is a choice of texts, to go after its docstring. */
function valuesOf(source: Source, node: ESTree.Declaration): string {
  if (node.type !== 'TSTypeAliasDeclaration' || node.typeAnnotation.type !== 'TSUnionType')
    return ''
  const { types } = node.typeAnnotation
  if (!types.every(({ type }) => type === 'TSLiteralType')) return ''
  return ` One of ${types.map((type) => code(source.textOf(type).replaceAll("'", ''))).join(', ')}.`
}

/** The head of a function; empty for anything else. */
function signatureOf(source: Source, node: ESTree.Declaration): { signature?: string } {
  if (node.type === 'FunctionDeclaration' && node.id && node.body) {
    const head = { start: node.id.start, end: node.body.start }
    return { signature: source.textOf(head) }
  }
  return {}
}

/** The public members of an interface or a class: the name and type of each, and its docstring. */
function membersOf(source: Source, node: ESTree.Declaration): string[][] {
  if (node.type === 'TSInterfaceDeclaration') {
    return node.body.body.flatMap((member) => describeMember(source, member))
  }
  if (node.type !== 'ClassDeclaration') return []
  // The name of an error is that of its class.
  return node.body.body.flatMap((member) =>
    'key' in member && nameOf(member.key) === 'name' ? [] : describeMember(source, member),
  )
}

type Member = ESTree.ClassElement | ESTree.TSSignature

function describeMember(source: Source, member: Member, prefix = ''): string[][] {
  if (!('key' in member) || member.key.type !== 'Identifier') return []
  const { name, start } = member.key
  if (name === 'constructor') return []
  const inner = member.type === 'TSPropertySignature' && member.typeAnnotation?.typeAnnotation
  if (inner && inner.type === 'TSTypeLiteral') {
    const parts = inner.members.flatMap((part) => describeMember(source, part, `${prefix}${name}.`))
    if (parts.some(([, doc]) => doc !== '')) return parts
  }
  const body = member.type === 'MethodDefinition' ? member.value.body : null
  const text = source.textOf({ start, end: body?.start ?? member.end })
  return [[code(`${prefix}${text}`), inline(source.docOf(member))]]
}

function describe({ name, doc, signature, members }: Export): string {
  return [
    `### ${name}`,
    ...(signature === undefined ? [] : [code(signature)]),
    doc,
    ...(members.length === 0
      ? []
      : [table([name === 'SandboxOptions' ? 'option' : 'member', 'description'], members)]),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function nameOf(node: object): string {
  const { name, value } = node as { name?: string; value?: unknown }
  return name ?? String(value)
}

/** The text of a docstring, in paragraphs. */
function toText(comment: string): string {
  const lines = comment
    .slice(1)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
  return lines
    .join('\n')
    .trim()
    .replaceAll(/\n+(?=@)/g, '\n\n')
    .replaceAll(/@throws (\w+(?:, \w+)*)/g, 'Throws $1')
    .replaceAll(/@param (\w+)/g, '`$1`:')
}

function inline(text: string): string {
  return onOneLine(text)
}

function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(/,? \)/g, ')').trim()
}
