import { readFile } from 'node:fs/promises'
import type { SeenPolicy } from '../contract/policies.ts'
import { FixtureError } from '../fixtures/fixture-error.ts'
import { errorCodeOf, toFileReason } from './file-errors.ts'

const MISSING = 'There is no such file. Check the path.'

/**
 * Loads the policies that a comparison has seen the service have, from a file of `seo-sandbox compare --lock`, for the option `policies`.
 *
 * @throws FixtureError for a file that cannot be read, or is not one of these.
 */
export async function loadPolicies(file: string): Promise<Record<string, SeenPolicy>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const isMissing = errorCodeOf(error) === 'ENOENT'
    const message = isMissing ? MISSING : toFileReason(error, 'read')
    throw new FixtureError([{ file, path: '', message }])
  })
  const { parsePolicyLock } = await import('../fixtures/policy-lock.ts')
  const { policies } = parsePolicyLock({ name: file, text })
  const values = Object.entries(policies).flatMap(([policy, { value, seen }]) =>
    value === undefined ? [] : [[policy, { value, seen }] as const],
  )
  return Object.fromEntries(values)
}
