import { parseSync } from 'rolldown/utils'

/**
 * The mutations that a source can have: small changes of meaning, each of one expression or statement. Imports,
 * types and texts for people have none.
 *
 * @typedef {{ operator: string, start: number, end: number, replacement: string }} Mutation
 */

const SWAPPED = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['===', '!=='],
  ['!==', '==='],
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
  ['%', '*'],
  ['&&', '||'],
  ['||', '&&'],
])

/** Wrappers of an expression in TypeScript; every other node of its own is a type. */
const WRAPPERS = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']

/** Calls whose arguments are texts for people. */
const TEXTS = ['describe', 'meta']

/**
 * @param {string} file its name tells the language
 * @param {string} text
 * @returns {Mutation[]} in the order of the text
 */
export function mutationsOf(file, text) {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0].message}`)

  const mutations = [...nodesOf(program)].flatMap((node) =>
    changesOf(node, text).map(([operator, replacement, { start, end } = node]) => ({
      operator,
      start,
      end,
      replacement,
    })),
  )
  return mutations.toSorted((one, other) => one.start - other.start || one.end - other.end)
}

/** Every expression and statement below a node, itself included. */
function* nodesOf(node) {
  if (isSkipped(node)) return
  yield node
  for (const [key, value] of Object.entries(node)) {
    if (isText(node, key)) continue
    for (const child of [value].flat()) {
      if (typeof child?.type === 'string') yield* nodesOf(child)
    }
  }
}

/** True for a type or an import. */
function isSkipped({ type }) {
  if (type.startsWith('TS')) return !WRAPPERS.includes(type)
  return /^(?:Import|ExportAll)/.test(type)
}

/** True for a part of a node that is the name of a property, an attribute of a page, or a text for people. */
function isText(node, part) {
  if (part === 'key') return !node.computed
  if (node.type === 'JSXAttribute') return node.value?.type === 'Literal'
  return part === 'arguments' && TEXTS.includes(node.callee.property?.name)
}

/**
 * The changes of one node: the operator, the replacement, and the replaced node if it is another.
 *
 * @returns {[operator: string, replacement: string, replaced?: { start: number, end: number }][]}
 */
function changesOf(node, text) {
  const source = ({ start, end }) => text.slice(start, end)
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const { left, right, operator } = node
      if (operator === '??') {
        return [
          ['left of ??', source(left)],
          ['right of ??', source(right)],
        ]
      }
      const swapped = SWAPPED.get(operator)
      if (!swapped) return []
      const between = { start: left.end, end: right.start }
      return [[`${operator} to ${swapped}`, source(between).replace(operator, swapped), between]]
    }
    case 'MemberExpression':
    case 'CallExpression':
      return node.optional ? [withoutOptional(node, text)] : []
    case 'UnaryExpression':
      return ['!', '-'].includes(node.operator)
        ? [[`${node.operator} removed`, source(node.argument)]]
        : []
    case 'IfStatement':
    case 'ConditionalExpression':
      return [
        ['condition true', 'true', node.test],
        ['condition false', 'false', node.test],
      ]
    case 'WhileStatement':
      return [['condition false', 'false', node.test]]
    case 'Literal':
      if (typeof node.value === 'boolean') return [['boolean', String(!node.value)]]
      if (typeof node.value === 'number') return [['number', `${node.raw} + 1`]]
      return isName(node.value) ? [['string', "''"]] : []
    case 'TemplateLiteral':
      return [['string', '``']]
    case 'ArrayExpression':
      return node.elements.length > 0 ? [['array', '[]']] : []
    case 'ExpressionStatement':
      return isCall(node.expression) ? [['call dropped', ';']] : []
    default:
      return []
  }
}

/** True for a string literal that code reads: one with a space is a text for people. */
function isName(value) {
  return typeof value === 'string' && value !== '' && !value.includes(' ')
}

function withoutOptional({ type, object, callee, computed }, text) {
  const start = text.indexOf('?.', (object ?? callee).end)
  const replacement = type === 'MemberExpression' && !computed ? '.' : ''
  return ['?. removed', replacement, { start, end: start + '?.'.length }]
}

function isCall(expression) {
  const { type, argument } = expression
  return type === 'CallExpression' || (type === 'AwaitExpression' && isCall(argument))
}
