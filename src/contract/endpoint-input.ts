import { z } from 'zod'
import { parseEndpoint } from './routes.ts'

/** An endpoint by its method and path, its path alone, or its operation id. */
export const Endpoint = z
  .string()
  .transform((text, context) => {
    const endpoint = parseEndpoint(text)
    if ('value' in endpoint) return endpoint.value
    for (const { message } of endpoint.problems) context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
  .describe('An endpoint, like `GET /projects/{project}`; any where omitted')
