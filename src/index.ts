/** The sandbox for any JavaScript: it runs where `fetch` does, and imports nothing of Node. */
export { createSandbox, replay } from './sandbox.ts'
export type {
  IsolatedWorld,
  IsolatedWorldOptions,
  Sandbox,
  SandboxClock,
  SandboxFaults,
  SandboxOptions,
  SandboxWorlds,
} from './sandbox.ts'
export type { SandboxRequestInit } from './adapters/fetch.ts'
export { CommandError } from './control/command-error.ts'
export type { CommandErrorCode } from './control/command-error.ts'
export type { Command } from './control/commands.ts'
export type { FaultInput } from './control/fault.ts'
export type { ListedFault } from './control/faults.ts'
export type { ListedGap } from './control/gap-list.ts'
export type { HarFile } from './control/har.ts'
export type { RequestFilterInput as RequestFilter } from './control/request-filter.ts'
export type { Requests } from './control/requests.ts'
export type { ExpectationInput as Expectation, Verification } from './control/verification.ts'
export type { DroppedWorld, ListedWorld } from './control/worlds.ts'
export type { Difference, Replay } from './control/replay.ts'
export { SessionError } from './control/session.ts'
export type { Session } from './control/session.ts'
export type { Snapshot } from './control/snapshots.ts'
export type { AppliedCommand, ClockState, JournalEntry, JournalRequest } from './control/journal.ts'
export type { Explanation } from './engine/explanation.ts'
export type { ApiRequest, ApiResponse } from './engine/messages.ts'
export { FixtureError } from './fixtures/fixture-error.ts'
export type { FixtureProblem } from './fixtures/fixture-error.ts'
export type { Fixtures } from './fixtures/parse-fixture.ts'
export type { FixtureInput } from './contract/fixture.ts'
export type { Policies, PolicyName, PolicySettings, PolicyValue } from './contract/policies.ts'
export { OptionError } from './options.ts'
export { VERSION } from './version.ts'
export type { Country } from './contract/country.ts'
export type { Keyword } from './contract/keyword.ts'
export type { Language } from './contract/language.ts'
export type { ProjectPage } from './contract/operations.ts'
export type { Project, ProjectListItem } from './contract/project.ts'
export type { KeywordEntry, ReportContent } from './contract/report-content.ts'
export type { Report } from './contract/report.ts'
export type { TokenIdentity } from './contract/token.ts'
export type { User } from './contract/user.ts'
