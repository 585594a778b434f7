// Written from package.json by `npm run generate`.
/** The version of the package. */
export const VERSION = '0.1.0'
