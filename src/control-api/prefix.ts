/** Path prefix of the control API, outside the emulated API. */
export const CONTROL_PREFIX = '/_sandbox'

/** Path of the emulated API's OpenAPI document, also outside the emulated API. */
export const API_DOCUMENT_PATH = '/openapi.json'

/** Path prefix of the files of the console. */
export const CONSOLE_PREFIX = '/console'
