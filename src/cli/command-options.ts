import { listWithOr } from '../contract/text.ts'
import { REPORT_FORMAT_NAMES } from '../review/reports/report-input.ts'
import type { ReportFormat } from '../review/reports/report-input.ts'
import { PublicUrlOption } from '../server/server-options.ts'
import { flagNameOf, WORLD_OPTION_NAMES } from '../world/options/table.ts'
import type { FlagText } from '../world/options/table.ts'
import { listOption, parseFlag } from '../world/options/parse-option.ts'
import type { FlagDefinition, ServeOptionName } from './serve-options.ts'

export interface ReportFile {
  format: ReportFormat
  path: string
}

const FORMATS = listWithOr(REPORT_FORMAT_NAMES)

export const REPORT_OPTION = {
  value: '<format=file>',
  page: 'docs/judging.md',
  repeats: true,
  description: `also write the review to a file, as ${FORMATS}, like html=review.html`,
  read: listOption((text) => toReportFile(text, REPORT_FORMAT_NAMES) !== undefined, {
    noun: 'a format and a file',
    remedy: `use one like html=review.html, with ${FORMATS}`,
  }),
} as const satisfies FlagDefinition

/** Has no `read`, because `read-settings.ts` reads it together with the config file. */
export const REQUIRE_OPTION = {
  value: '<what>',
  page: 'docs/judging.md',
  repeats: true,
  description:
    'fail unless this is met: the id of a check, which has to pass, or delivered, delivered:new, delivered:101 or warnings',
} as const satisfies FlagText

/** @throws OptionError for an invalid `--report`. */
export function readReportFiles(flags: Record<string, unknown>): ReportFile[] {
  const texts = parseFlag(REPORT_OPTION.read, flags, 'report') ?? []
  return texts.flatMap((text) => toReportFile(text, REPORT_FORMAT_NAMES) ?? [])
}

/**
 * Splits a string like `html=review.html` into a format and a path; undefined if `formats` does not contain the format,
 * or if the path is missing.
 */
export function toReportFile<Format extends string>(
  text: string,
  formats: readonly Format[],
): { format: Format; path: string } | undefined {
  const [name = '', path = ''] = text.split(/=(.*)/s)
  const format = formats.find((known) => known === name)
  return format === undefined || path === '' ? undefined : { format, path }
}

export const CA_VARIABLE = 'SEO_SANDBOX_CA'

/** Options that name a running server and its world, for commands that can also read a session. */
export const OBSERVE_OPTIONS = {
  url: {
    value: '<url>',
    description:
      'the URL of the server; SEO_SANDBOX_CONTROL_URL if omitted, or else the default port on this machine',
    read: PublicUrlOption,
  },
  ca: {
    value: '<file>',
    page: 'docs/any-language.md',
    description: `the CA certificate of a server with HTTPS, a PEM file; the one in ${CA_VARIABLE} if omitted`,
  },
  world: {
    value: '<id>',
    description: 'an isolated world of the server, by its id; the default one if omitted',
  },
} as const satisfies Record<string, FlagText & Partial<FlagDefinition>>

export const EXPORT_OPTIONS = {
  out: { value: '<folder>', description: 'the folder to write the site to' },
  postman: {
    value: '<file>',
    description: 'write a Postman collection of the API, with or without a site',
    page: 'docs/any-language.md',
  },
  title: {
    value: '<text>',
    description: 'the title of the page, such as the name of a customer',
    default: 'seo-sandbox',
  },
  base: {
    value: '<path>',
    description:
      'the path of the site on its host, for its OpenAPI documents; the site itself works below any path',
  },
  json: { description: 'print the files written as one JSON object' },
} as const

export const EXPORT_SERVE_OPTIONS = [
  ...WORLD_OPTION_NAMES.map(flagNameOf),
  'policies',
] as ServeOptionName[]
