import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { COMMANDS } from '../src/cli/commands.ts'
import { CONTROL_ROUTES } from '../src/control-api/control-routes.ts'
import { GAPS } from '../src/contract/gaps.ts'
import { issueChooser } from './derived/repository.ts'
import { fromRoot } from './support/cli.ts'

/** The forms of .github/ISSUE_TEMPLATE follow the rules of GitHub, which shows no form that breaks one. */

const FOLDER = fromRoot('.github/ISSUE_TEMPLATE')

const Text = z.string().trim().min(1)
const Id = z.string().regex(/^[\w-]+$/)
const validations = z.strictObject({ required: z.boolean().optional() }).optional()
const asked = { label: Text, description: Text.optional() }
const filled = { ...asked, placeholder: Text.optional(), value: Text.optional() }
const unique = (items: readonly unknown[]) => new Set(items).size === items.length

const Element = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: Text }) }),
  z.strictObject({
    type: z.literal('textarea'),
    id: Id,
    attributes: z.strictObject({ ...filled, render: Text.optional() }),
    validations,
  }),
  z.strictObject({
    type: z.literal('input'),
    id: Id,
    attributes: z.strictObject(filled),
    validations,
  }),
  z.strictObject({
    type: z.literal('dropdown'),
    id: Id,
    attributes: z.strictObject({
      ...asked,
      multiple: z.boolean().optional(),
      // GitHub itself adds "None" to a question that need not be answered.
      options: z
        .array(Text.regex(/^(?!none$)/i))
        .min(1)
        .refine(unique),
      default: z.int().nonnegative().optional(),
    }),
    validations,
  }),
  z.strictObject({
    type: z.literal('checkboxes'),
    id: Id,
    attributes: z.strictObject({
      ...asked,
      options: z
        .array(z.strictObject({ label: Text, required: z.boolean().optional() }))
        .min(1)
        .refine(unique),
    }),
    validations,
  }),
])

const Form = z.strictObject({
  name: Text,
  description: Text,
  title: Text.optional(),
  labels: z.array(Text).optional(),
  body: z
    .array(Element)
    .refine((body) => body.some(({ type }) => type !== 'markdown'))
    .refine((body) => unique(body.flatMap((one) => ('id' in one ? [one.id] : []))))
    .refine((body) =>
      unique(body.flatMap((one) => ('label' in one.attributes ? [one.attributes.label] : []))),
    ),
})

const Chooser = z.strictObject({
  blank_issues_enabled: z.boolean().optional(),
  contact_links: z
    .array(z.strictObject({ name: Text, url: z.url({ protocol: /^https$/ }), about: Text }))
    .min(1)
    .optional(),
})

const forms = readdirSync(FOLDER).filter((name) => name !== 'config.yml')
const read = (name: string) => readFileSync(`${FOLDER}/${name}`, 'utf8')

test.each(forms)('%s is a form that GitHub shows', (name) => {
  expect(Form.parse(parse(read(name)))).toBeDefined()
})

test('the forms have names of their own', () => {
  expect(unique(forms.map((name) => Form.parse(parse(read(name))).name))).toBe(true)
})

test.each([
  ['without an address', undefined],
  ['with one', { type: 'git', url: 'git+https://git.example/seo/sandbox.git' }],
])('config.yml is a list that GitHub shows, %s', (_, repository) => {
  const text = issueChooser(repository ? { repository } : {})
  expect(Chooser.parse(parse(text)).contact_links?.length).toBe(repository && 1)
})

test('a bug cannot be reported without a session or a link, the version and the platform', () => {
  const { body } = Form.parse(parse(read('bug.yml')))
  const required = body.flatMap((one) => ('id' in one && one.validations?.required ? [one.id] : []))
  expect(required).toEqual(['what', 'session', 'version', 'node', 'platform'])
})

test('what the forms name exists', () => {
  const text = forms.map(read).join('\n')
  const names = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)
  const commands = COMMANDS.map(({ name }) => name)
  const named = names(/npx seo-sandbox ([a-z]+)/g)
  expect(new Set(named)).toEqual(new Set(['exec', 'gaps']))
  expect(commands).toEqual(expect.arrayContaining(named))
  const paths = CONTROL_ROUTES.map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(names(/\/_sandbox(\/[a-z]+)/g)))
  expect(GAPS.map(({ id }) => id)).toEqual(expect.arrayContaining(names(/(G-\d+)/g)))
})
