/** Path below which the control API is mounted, outside the emulated API. */
export const CONTROL_PREFIX = '/_sandbox'

/** Path of the OpenAPI document of the API, also outside the emulated API. */
export const API_DOCUMENT_PATH = '/openapi.json'

/** Path below which the files of the console are. */
export const CONSOLE_PREFIX = '/console'
