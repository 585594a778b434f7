import { readFile } from 'node:fs/promises'
import type { SeenPolicy } from '../contract/policies.ts'
import { FixtureError } from '../fixtures/fixture-error.ts'
import { toReadReason } from './file-errors.ts'

/**
 * Loads policies for the option `policies`: those that a comparison observed at the service, from a file of `seo-sandbox compare
 * --lock`.
 *
 * @throws FixtureError for a file that cannot be read, or that is not such a file
 */
export async function loadPolicies(file: string): Promise<Record<string, SeenPolicy>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new FixtureError([{ file, path: '', message: toReadReason(error) }])
  })
  const { parsePolicyLock } = await import('../fixtures/policy-lock.ts')
  const { policies } = parsePolicyLock({ name: file, text })
  const values = Object.entries(policies).flatMap(([policy, { value, seen }]) =>
    value === undefined ? [] : [[policy, { value, seen }] as const],
  )
  return Object.fromEntries(values)
}
