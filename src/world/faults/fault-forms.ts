import { z } from 'zod'
import { FAULT_KINDS } from './index.ts'
import { Schedule } from './fault.ts'

/** Fields as a JSON Schema, for a form. */
const FormFields = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), z.looseObject({ description: z.string().optional() })),
  required: z.array(z.string()).optional(),
})

/** Data that a form needs to arm a fault. */
export const FaultForms = z.strictObject({
  kinds: z.array(
    z.strictObject({
      kind: z.string(),
      description: z.string().describe('Effect of the fault: a phrase'),
      fields: FormFields.describe(
        'Fields of this kind, as a JSON Schema; every kind also has `endpoint`, `token`, `project` and `schedule`',
      ),
    }),
  ),
  schedule: FormFields.describe('The fields of a schedule; only one form is used'),
})
export type FaultForms = z.infer<typeof FaultForms>

export function listFaultForms(): FaultForms {
  return {
    kinds: FAULT_KINDS.map(({ kind, description, fields }) => ({
      kind,
      description,
      fields: toFormFields(z.strictObject(fields)),
    })),
    schedule: toFormFields(Schedule),
  }
}

function toFormFields(schema: z.ZodType): FaultForms['schedule'] {
  return FormFields.parse(z.toJSONSchema(schema, { io: 'input' }))
}
