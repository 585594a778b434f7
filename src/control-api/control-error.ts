import { z } from 'zod'
import { formatPath } from '../contract/validation.ts'
import { CommandError } from '../world/command-error.ts'
import type { CommandErrorCode } from '../world/command-error.ts'
import type { ControlResponse } from './routes/route.ts'

export const ControlError = z.strictObject({
  error: z.strictObject({
    code: z.string().meta({
      description: 'Error code, for programs',
      examples: [
        'invalid_command',
        'record_not_found',
        'record_in_use',
        'world_not_found',
        'insufficient_memory',
      ],
    }),
    message: z.string().describe('Error and remedy, in sentences'),
    problems: z
      .array(z.strictObject({ path: z.string(), message: z.string() }))
      .describe('Problems of the input, each with its place; may be empty'),
    docs: z
      .string()
      .optional()
      .describe('The page of the packaged documentation that explains the error')
      .meta({ examples: ['docs/faults.md'] }),
  }),
})
export type ControlError = z.infer<typeof ControlError>

export function errorResponse(
  status: number,
  code: string,
  message: string,
  problems: ControlError['error']['problems'] = [],
): ControlResponse {
  return { status, body: { error: { code, message, problems } } satisfies ControlError }
}

/** Adds a page of the documentation to an error response that names none. Returns any other response unchanged. */
export function withPage(response: ControlResponse, page: string): ControlResponse {
  const { error } = (response.body ?? {}) as Partial<ControlError>
  if (response.status < 400 || error === undefined || error.docs !== undefined) return response
  return { ...response, body: { error: { ...error, docs: page } } satisfies ControlError }
}

export const INTERNAL_ERROR = errorResponse(500, 'internal_error', 'This is a bug of seo-sandbox.')

const STATUSES = {
  invalid_command: 422,
  record_in_use: 422,
  record_not_found: 404,
  world_not_found: 404,
  insufficient_memory: 507,
} as const satisfies Record<CommandErrorCode, number>

/** Returns the response to a CommandError; undefined for any other error. */
export function toErrorResponse(error: unknown): ControlResponse | undefined {
  if (!(error instanceof CommandError)) return undefined
  const { code, message } = error
  const problems = error.problems.map(({ path, message: text }) => ({
    path: formatPath(path),
    message: text,
  }))
  return errorResponse(STATUSES[code], code, message, problems)
}
