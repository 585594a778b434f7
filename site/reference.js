import { toAnchor } from './links.js'

/**
 * The displayed parts of an OpenAPI document. The file that each page offers has all parts.
 *
 * @typedef {{
 *   $ref?: string, type?: string | string[], description?: string, enum?: unknown[], const?: unknown, default?: unknown,
 *   anyOf?: Schema[], oneOf?: Schema[], items?: Schema, properties?: Record<string, Schema>, required?: string[],
 *   minimum?: number, maximum?: number, pattern?: string
 * }} Schema
 * @typedef {{ name: string, in: string, required?: boolean, description?: string, schema: Schema }} Parameter
 * @typedef {{ schema?: Schema, example?: unknown, examples?: Record<string, { value: unknown }> }} Media
 * @typedef {{ $ref?: string, description?: string, headers?: Record<string, unknown>, content?: Record<string, Media> }} Response
 * @typedef {{
 *   tags: string[], summary: string, description?: string, parameters: Parameter[],
 *   requestBody?: { required?: boolean, content: Record<string, Media> }, responses: Record<string, Response>
 * }} Operation
 * @typedef {{
 *   info: { title: string, description: string }, tags: { name: string, description: string }[],
 *   paths: Record<string, Record<string, Operation>>,
 *   components: { schemas: Record<string, Schema>, responses: Record<string, Response> }
 * }} OpenApi
 */

/**
 * Renders an OpenAPI document as Markdown files by name: a page about it, one for each tag, and one with all schemas.
 *
 * @param {OpenApi} document
 * @param {{ title: string, prefix: string, file: string }} options the path of the API on a server, and the path of the
 * document on the site
 * @returns {Record<string, string>}
 */
export function renderReference({ info, tags, paths, components }, { title, prefix, file }) {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      name: `${method.toUpperCase()} ${path}`,
    })),
  )
  const ofTag = (/** @type {string} */ tag) => operations.filter((each) => each.tags.includes(tag))
  const pages = tags.map(({ name, description }) => [
    toFile(name),
    page(
      name,
      `${description}.`,
      `Paths begin with \`${prefix}\`.`,
      ofTag(name).flatMap((operation) => renderOperation(operation, components.responses)),
    ),
  ])
  const schemas = Object.entries(components.schemas).flatMap(([name, schema]) => [
    `## ${name}`,
    schema.properties === undefined ? `${sentence(toType(schema))} ${describe(schema)}` : '',
    ...renderObjects(schema),
  ])
  return {
    'README.md': page(
      title,
      `${info.title}: each operation, with its parameters and responses.`,
      '',
      [
        prose(info.description),
        `Paths begin with \`${prefix}\`. <a href="../../${file}" download>${file}</a> is the OpenAPI document.`,
        ...tags.flatMap(({ name }) => [
          `## ${name}`,
          table(
            ['operation', ''],
            ofTag(name).map((each) => [
              `[\`${each.name}\`](${toFile(name)}#${toAnchor(each.name)})`,
              each.summary,
            ]),
          ),
        ]),
      ],
    ),
    ...Object.fromEntries(pages),
    'schemas.md': page('Schemas', 'What requests and responses consist of.', '', schemas),
  }
}

/**
 * @param {string} title
 * @param {string} description
 * @param {string} note
 * @param {string[]} blocks
 */
function page(title, description, note, blocks) {
  const frontmatter = `---\ndescription: ${JSON.stringify(description)}\n---`
  return `${[frontmatter, `# ${title}`, `${description} ${note}`, ...blocks].filter(Boolean).join('\n\n')}\n`
}

/** @param {string} tag */
function toFile(tag) {
  return `${toAnchor(tag)}.md`
}

/**
 * @param {Operation & { name: string }} operation
 * @param {Record<string, Response>} shared
 */
function renderOperation(
  { name, summary, description, parameters, requestBody, responses },
  shared,
) {
  const known = Object.entries(responses).map(([status, { $ref = '', ...own }]) => ({
    status,
    ...shared[$ref.split('/').at(-1) ?? ''],
    ...own,
  }))
  const [ok] = known
  return [
    `## \`${name}\``,
    `${sentence(prose(summary))} ${prose(description)}`,
    ...(parameters.length === 0
      ? []
      : [
          '**Parameters**',
          table(
            ['name', 'in', 'type', ''],
            parameters.map((each) => [
              nameCell(each.name, each.required),
              each.in,
              toType(each.schema),
              describe({ ...each.schema, description: each.description ?? '' }),
            ]),
          ),
        ]),
    ...Object.values(requestBody?.content ?? {}).flatMap((media) => [
      `**Body**${requestBody?.required ? '' : ', which may be left out'}: ${toType(media.schema ?? {})}`,
      ...renderMedia(media),
    ]),
    '**Responses**',
    table(
      ['status', '', 'body'],
      known.map((each) => [`\`${each.status}\``, prose(each.description), toTypes(each.content)]),
    ),
    ...Object.values(ok?.content ?? {}).flatMap((media) => {
      const blocks = renderMedia(media)
      return blocks.length === 0 ? [] : [`The body of \`${ok?.status}\`:`, ...blocks]
    }),
  ]
}

/** @param {Record<string, Media> | undefined} content */
function toTypes(content = {}) {
  return Object.entries(content)
    .map(([type, { schema = {} }]) => toType(schema) + (type.endsWith('json') ? '' : ` (${type})`))
    .join('<br>')
}

/** @param {Media} media */
function renderMedia({ schema = {}, example, examples = {} }) {
  const values =
    example === undefined ? Object.values(examples).map(({ value }) => value) : [example]
  return [
    ...renderObjects(schema),
    ...values.slice(0, 1).map((value) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``),
  ]
}

/**
 * @param {string} name
 * @param {boolean | undefined} required
 */
function nameCell(name, required) {
  return `\`${name}\`${required ? ', required' : ''}`
}

/**
 * Renders a table for each inline object of a schema.
 *
 * @param {Schema} schema
 * @returns {string[]}
 */
function renderObjects(schema) {
  return objectsOf(schema).map(({ object, suffix }) =>
    table(
      ['field', 'type', ''],
      rowsOf(object, suffix === '' ? '' : `${suffix}.`).map(({ name, required, schema: field }) => [
        nameCell(name, required),
        toType(field),
        describe(field),
      ]),
    ),
  )
}

/**
 * Returns the fields of an object, and of the objects in it.
 *
 * @param {Schema} object
 * @param {string} prefix
 * @returns {{ name: string, required: boolean, schema: Schema }[]}
 */
function rowsOf({ properties = {}, required = [] }, prefix) {
  return Object.entries(properties).flatMap(([name, schema]) => [
    { name: prefix + name, required: required.includes(name), schema },
    ...objectsOf(schema).flatMap(({ object, suffix }) =>
      rowsOf(object, `${prefix}${name}${suffix}.`),
    ),
  ])
}

/**
 * Returns the inline objects of a schema, with `[]` for each enclosing array.
 *
 * @param {Schema} schema
 * @param {string} suffix
 * @returns {{ object: Schema, suffix: string }[]}
 */
function objectsOf(schema, suffix = '') {
  if (schema.properties !== undefined) return [{ object: schema, suffix }]
  const { anyOf = [], oneOf = [], items } = schema
  return [
    ...[...anyOf, ...oneOf].flatMap((branch) => objectsOf(branch, suffix)),
    ...(items === undefined ? [] : objectsOf(items, `${suffix}[]`)),
  ]
}

/**
 * @param {Schema} schema
 * @returns {string}
 */
function toType({ $ref, type, items, anyOf, oneOf, const: only, enum: values }) {
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? ''
    return `[${name}](schemas.md#${toAnchor(name)})`
  }
  if (only !== undefined) return `\`${JSON.stringify(only)}\``
  if (values !== undefined)
    return values.map((value) => `\`${JSON.stringify(value)}\``).join(' or ')
  const branches = anyOf ?? oneOf
  if (branches !== undefined)
    return [...new Set(branches.map((branch) => toType(branch)))].join(' or ')
  if (items !== undefined) return `array of ${toType(items)}`
  return [type ?? 'any value'].flat().join(' or ')
}

/** @param {Schema} schema */
function describe({ description, default: value, minimum, maximum, pattern }) {
  return [
    sentence(prose(description)),
    value === undefined ? '' : `Default: \`${JSON.stringify(value)}\`.`,
    minimum === undefined ? '' : `At least ${minimum}.`,
    maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? '' : `At most ${maximum}.`,
    pattern === undefined ? '' : `Pattern: \`${pattern}\`.`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** @param {string} text */
function sentence(text) {
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`
}

/**
 * Formats a text: angle brackets are not tags, and pages of the documentation become links.
 *
 * @param {string | undefined} text
 */
function prose(text = '') {
  return text.replaceAll(/`[^`]*`|<|\bdocs\/[\w-]+\.md/g, (match) => {
    if (match === '<') return '&lt;'
    return match.startsWith('docs/') ? `[${match}](../../${match})` : match
  })
}

/**
 * @param {string[]} head
 * @param {string[][]} rows
 */
function table(head, rows) {
  const line = (/** @type {string[]} */ cells) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map((row) => line(row))].join('\n')
}
