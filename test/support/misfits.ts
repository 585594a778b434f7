import { Ajv2020 } from 'ajv/dist/2020.js'

/** The reason why the schema at this path of a document rejects a value; undefined if it accepts it. */
export type FindMisfit = (steps: readonly string[], value: unknown) => string | undefined

/** Checks values against the schemas of an OpenAPI document. */
export function createMisfitFinder(document: object): FindMisfit {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    validateFormats: false,
    // Compiling takes longer than all checks.
    code: { optimize: false },
  })
  ajv.addVocabulary(Object.keys(document))
  ajv.addSchema({ ...document, $id: 'document' })
  return (steps, value) => {
    const pointer = steps
      .map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'))
      .map(encodeURIComponent)
      .join('/')
    const fits = ajv.getSchema(`document#/${pointer}`)
    if (!fits) throw new Error(`The document has no ${steps.join(' ')}.`)
    return fits(value) === true ? undefined : ajv.errorsText(fits.errors)
  }
}
