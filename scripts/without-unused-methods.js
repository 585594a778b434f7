/**
 * Removes methods of zod's schemas that nothing here calls, and whose dependencies every page would load: the conversion to
 * JSON Schema, and the formats of texts. The function `z.toJSONSchema`, which is loaded on demand, needs none of them.
 *
 * @returns {import('rolldown').Plugin}
 */
export function withoutUnusedMethods() {
  const methods = [
    /^ *inst\._zod\.processJSONSchema = .*;$/gm,
    /^ *toJSONSchema\(params\) \{\n.*\n *\},$/gm,
    /^ *jsonSchema: \{\n.*\n.*\n *\},$/gm,
    // email(params) { return this.check(core._email(ZodEmail, params)); }
    /^ *\w+\(params\) \{\n *return this\.check\(core\._\w+\(Zod[A-Z]\w+, params\)\);\n *\},$/gm,
  ]
  return {
    name: 'without-unused-methods',
    transform(code, id) {
      if (!/[\\/]zod[\\/]v4[\\/]classic[\\/]schemas\.js$/.test(id)) return null
      if (methods.some((method) => code.search(method) === -1))
        throw new Error('zod has changed its methods: look at what scripts/bundle.js removes.')
      return methods.reduce((rest, method) => rest.replace(method, ''), code)
    },
  }
}
