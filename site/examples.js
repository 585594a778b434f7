import { createHash } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { MagicString, babelParse, walk, walkIdentifiers } from 'vue/compiler-sfc'
import { listPages, read } from './pages.js'

/** @typedef {ReturnType<typeof babelParse>['program']['body'][number]} Statement */

/** The only module that a page can load. */
export const LIBRARY = 'seo-sandbox'

/** Global names that each browser has too, and `console`, which an example is given. None of them reaches other hosts. */
const NAMES_OF_LANGUAGE = new Set(runInNewContext('Object.getOwnPropertyNames(globalThis)'))

/** A fenced block of JavaScript or TypeScript. */
const BLOCK = /^(`{3,})[jt]s\n([^]*?)^\1$/gm

/**
 * Returns the examples of the pages that can run in a browser, as modules by name.
 *
 * @returns {Map<string, string>}
 */
export function listExamples() {
  const blocks = listPages().flatMap((page) => [...read(page).matchAll(BLOCK)])
  return new Map(
    blocks.flatMap(([, , code = '']) => {
      const module = code.includes('sandbox.fetch(') ? toModule(code) : undefined
      return module === undefined ? [] : [[nameOf(code), module]]
    }),
  )
}

/**
 * Puts a button below each runnable example.
 *
 * @param {import('vitepress').MarkdownRenderer} md
 */
export function runnableExamples(md) {
  const examples = listExamples()
  const { fence } = md.renderer.rules
  if (fence === undefined) throw new Error('Nothing renders code.')
  md.renderer.rules.fence = (...args) => {
    const [tokens, index] = args
    const name = nameOf(tokens[index]?.content ?? '')
    return fence(...args) + (examples.has(name) ? `<RunExample name="${name}" />` : '')
  }
}

/**
 * Returns a module with a function `run(console, show)`, which shows the values of an example: each expression with a comment
 * behind it, and the last one. Undefined if a browser could not run the code, because it imports from elsewhere or uses a name
 * that it does not declare.
 *
 * @param {string} code
 */
export function toModule(code) {
  const file = parse(code)
  if (file === undefined) return undefined
  const { body } = file.program
  const imports = body.filter((statement) => statement.type === 'ImportDeclaration')
  const statements = body.filter((statement) => statement.type !== 'ImportDeclaration')
  if (imports.some(({ source }) => source.value !== LIBRARY)) return undefined
  const imported = new Set(
    imports.flatMap(({ specifiers }) => specifiers.map(({ local }) => local.name)),
  )
  const isKnown = (/** @type {string} */ name) => imported.has(name) || NAMES_OF_LANGUAGE.has(name)
  if (hasModuleSyntax(statements) || !namesUsedBy(statements).every(isKnown)) return undefined

  const text = new MagicString(code)
  for (const { start, end } of imports) text.remove(start ?? 0, end ?? 0)
  for (const statement of statements) {
    if (statement.type !== 'ExpressionStatement') continue
    const { start, end, loc } = statement
    if (start == null || end == null || loc == null) continue
    const isCommented = file.comments?.some(
      (comment) => comment.loc?.start.line === loc.end.line && (comment.start ?? 0) >= end,
    )
    if (!isCommented && statement !== statements.at(-1)) continue
    const source = code.slice(start, end).replace(/;$/, '')
    text.overwrite(start, end, `;await show(${JSON.stringify(source)}, (${source}))`)
  }
  return [
    ...imports.map(({ start, end }) => code.slice(start ?? 0, end ?? 0)),
    `export async function run(console, show) {\n${text.toString().trim()}\n}\n`,
  ].join('\n')
}

/** @param {string} code */
function nameOf(code) {
  return createHash('sha256').update(code).digest('hex').slice(0, 12)
}

/**
 * Parses a module; undefined for a mere fragment of one.
 *
 * @param {string} code
 */
function parse(code) {
  try {
    return babelParse(code, { sourceType: 'module', plugins: ['typescript'] })
  } catch {
    return undefined
  }
}

/**
 * True if there are exports, `import()` or `import.meta`: a function cannot have these, or they lead elsewhere.
 *
 * @param {Statement[]} statements
 */
function hasModuleSyntax(statements) {
  let isFound = false
  for (const statement of statements) {
    walk(statement, {
      enter: (/** @type {{ type: string }} */ { type }) => {
        isFound ||= /^(Export|Import$|ImportExpression|MetaProperty)/.test(type)
      },
    })
  }
  return isFound
}

/**
 * Returns the names that statements use but do not declare.
 *
 * @param {Statement[]} statements
 */
function namesUsedBy(statements) {
  /** @type {string[]} */
  const names = []
  const block = /** @type {import('@babel/types').BlockStatement} */ ({
    type: 'BlockStatement',
    body: statements,
    directives: [],
  })
  walkIdentifiers(block, ({ name }, _parent, _parents, isReference, isLocal) => {
    if (isReference && !isLocal) names.push(name)
  })
  return names
}
