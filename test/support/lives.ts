import type { ReportStatus } from '../../src/contract/report.ts'
import { createSandbox } from '../../src/index.ts'
import type { FixtureInput, Sandbox } from '../../src/index.ts'
import { aProject, aReport, aWorld } from './worlds.ts'

type ProjectInput = NonNullable<FixtureInput['projects']>[number]
type ReportInput = NonNullable<ProjectInput['reports']>[number]

/** A world with one project: Danish texts, two active keywords and an inactive one, a managing user, these reports. */
export function aLife(reports: ReportInput[], changes: Partial<FixtureInput> = {}): FixtureInput {
  const keyword = (id: number, active = true) => ({
    id,
    keyword: `phrase ${id}`,
    create_date: '2026-01-01',
    active,
  })
  return aWorld({
    languages: [{ id: 1, label: 'Danish' }],
    users: [
      { id: 6, name: 'Ane', agency: 1 },
      { id: 7, name: 'Maja', agency: 1 },
      { id: 8, name: 'Lars', agency: 1 },
    ],
    projects: [
      aProject({
        id: 1,
        text_language: 1,
        managing_user: 7,
        keywords: [keyword(11), keyword(12, false), keyword(13)],
        reports,
      }),
    ],
    ...changes,
  })
}

/** A sandbox over {@link aLife}. */
export function open(
  reports: ReportInput[],
  changes: Partial<FixtureInput> = {},
): Promise<Sandbox> {
  return createSandbox({ fixtures: aLife(reports, changes) })
}

/** Report 1 in some state, due this month. */
export function inState(status: ReportStatus, changes: Partial<ReportInput> = {}): ReportInput {
  return aReport({ id: 1, status, date_to_create_texts: '2026-03-20', ...changes })
}
