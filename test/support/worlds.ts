import { readFileSync } from 'node:fs'
import type { FixtureInput } from '../../src/index.ts'

type ProjectInput = NonNullable<FixtureInput['projects']>[number]
type ReportInput = NonNullable<ProjectInput['reports']>[number]
type TokenInput = NonNullable<FixtureInput['tokens']>[number]

/** The example world as YAML: two agencies, its clock frozen at noon on 15 March 2026. */
export const EXAMPLE_YAML = readFileSync(
  new URL('../../fixtures/examples/agency.yaml', import.meta.url),
  'utf8',
)

/** The bearer values of {@link aWorld}. */
export const AGENCY = 'agency-token'
export const SUPER = 'super-token'

/**
 * A small world: one agency, its unlimited token and an unlimited super-admin token, one project with
 * id 1, the clock frozen at noon on 15 March 2026. `changes` replaces whole sections.
 */
export function aWorld(changes: Partial<FixtureInput> = {}): FixtureInput {
  return {
    version: 1,
    now: '2026-03-15T12:00:00Z',
    frozen: true,
    agencies: [
      { id: 1, name: 'North' },
      { id: 2, name: 'South' },
    ],
    tokens: [aToken({ id: 1, token: AGENCY }), aToken({ id: 2, token: SUPER, agency: null })],
    projects: [aProject({ id: 1 })],
    ...changes,
  }
}

/** An unlimited token of agency 1. */
export function aToken(changes: Partial<TokenInput> & { id: number; token: string }): TokenInput {
  return { name: changes.token, agency: 1, rate_limit: 'unlimited', ...changes }
}

/** A project of agency 1. */
export function aProject(changes: Partial<ProjectInput> & { id: number }): ProjectInput {
  return {
    agency: 1,
    name: `Project ${changes.id}`,
    status: 'active',
    created_at: '2025-01-01T00:00:00Z',
    ...changes,
  }
}

/** A pending report, created on 1 January 2026, without a date to create texts. */
export function aReport(changes: Partial<ReportInput> & { id: number }): ReportInput {
  return {
    report_number: changes.id,
    status: 'pending',
    created_at: '2026-01-01T00:00:00Z',
    ...changes,
  }
}

/** A world whose project 1 has these reports. */
export function withReports(
  reports: ReportInput[],
  changes: Partial<FixtureInput> = {},
): FixtureInput {
  return aWorld({ projects: [aProject({ id: 1, reports })], ...changes })
}
