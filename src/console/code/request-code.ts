import type { ClientRequest } from '../api/types.ts'
import { toRequestOfCurl } from './curl.ts'
import { toPhp } from './php.ts'
import { toRequestOfPython } from './python.ts'
import { toFetch } from './typescript.ts'

/** What a single request is written in, where it is copied. */
export const REQUEST_TITLES = {
  curl: 'curl',
  typescript: 'TypeScript',
  php: 'PHP',
  python: 'Python',
}
export type RequestLanguage = keyof typeof REQUEST_TITLES

const WRITERS: Record<RequestLanguage, (request: ClientRequest, origin: string) => string> = {
  curl: toRequestOfCurl,
  typescript: toFetch,
  php: toPhp,
  python: toRequestOfPython,
}

/** A request as code that sends it and shows the response, to be run as it is. `origin` is where the API is. */
export function requestCode(
  language: RequestLanguage,
  request: ClientRequest,
  origin: string,
): string {
  return WRITERS[language](request, origin)
}
