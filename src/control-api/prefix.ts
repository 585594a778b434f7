/** The path that the control API is mounted under, outside the emulated API. */
export const CONTROL_PREFIX = '/_sandbox'

/** The path of the API's OpenAPI document, which is outside the emulated API too. */
export const API_DOCUMENT_PATH = '/openapi.json'

/** The files of the console are below this path. */
export const CONSOLE_PREFIX = '/console'
