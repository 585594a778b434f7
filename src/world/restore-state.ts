import { resolveMs } from '../contract/time.ts'
import type { GapWindows } from '../engine/gap-finder.ts'
import type { Seed } from '../fixtures/seed.ts'
import { atPlace } from '../contract/validation.ts'
import type { Problem } from '../contract/validation.ts'
import type { Indexes } from '../records/indexes.ts'
import { Records } from '../records/world-records.ts'
import { ReportProgress } from '../records/report-progress.ts'
import { Clock } from './clock.ts'
import { CommandError } from './command-error.ts'
import { withKind } from './faults/with-kind.ts'
import { findBroken, toHeldRecords } from './read-snapshot.ts'
import { requireFew, requireShortTokens } from './require-few.ts'
import { withNamespacedSnapshot } from './snapshot.ts'
import type { Snapshot } from './snapshot.ts'
import { completeState, createFaults } from './world-state.ts'
import type { WorldOptions, WorldState } from './world-state.ts'

/** The state restored from a snapshot. Its clock continues once everything else is ready. @throws CommandError */
export async function restoreState(options: WorldOptions, taken: Snapshot): Promise<WorldState> {
  const { maximumGenerated } = options
  const path = ['snapshot', 'origin', 'generation', 'options', 'projects']
  requireFew(taken.origin.generation?.options.projects, { maximumGenerated, path })
  requireShortTokens(taken.records.tokens, ['snapshot', 'records', 'tokens'])
  const state = await resumeState(options, withNamespacedSnapshot(taken, options))
  return { ...state, isRestored: true }
}

/** The same for a snapshot of the same world; `counted` is what other policies would have counted. */
export async function resumeState(
  options: WorldOptions,
  snapshot: Snapshot,
  { seed: loaded = options.seed, counted }: { seed?: Seed; counted?: GapWindows } = {},
): Promise<WorldState> {
  const { now, frozen, rate_offset_ms } = snapshot.clock
  const { seed, loaded_at, progress: asProgress, reads } = snapshot.origin
  const [worldMs, loadedMs] = [resolveMs(now, 0), resolveMs(loaded_at, 0)]
  const clock = new Clock(options.realNow)
  const progress = new ReportProgress({
    progress: asProgress,
    seed,
    loadedMs,
    clock,
    reads: reads.map(([project, count, movedTo]) => [project, count, resolveMs(movedTo, 0)]),
  })
  const { records, staleView } = await restoreRecords(snapshot, { worldMs, progress })
  if (progress.isMoving) {
    for (const indexes of staleView ? [records.indexes, staleView] : [records.indexes]) {
      await progress.texts.loadFor({
        languages: indexes.allHeld('languages'),
        projects: indexes.allHeld('projects'),
        reports: indexes.allHeld('reports'),
      })
    }
  }
  clock.resume({ worldMs, frozen, rateOffsetMs: rate_offset_ms })
  const engineState = { worldMs, windows: snapshot.rate_windows, staleView }
  const faults = createFaults(options, clock)
  faults.restore(snapshot.faults, withKind)
  const ownPolicies = snapshot.policies
  const parts = { seed: loaded, clock, records, progress, faults, ownPolicies }
  return completeState(options, { ...parts, engineState, counted })
}

/**
 * The records of a snapshot and its stale view.
 *
 * @throws CommandError for records that do not fit together.
 */
async function restoreRecords(
  snapshot: Snapshot,
  { worldMs, progress }: { worldMs: number; progress: ReportProgress },
): Promise<{ records: Records; staleView: Indexes | undefined }> {
  const records = new Records()
  records.moveReports(progress)
  const before = snapshot.published && toHeldRecords(snapshot.records, snapshot.published)
  const { seed, loaded_at, generation } = snapshot.origin
  if (generation) {
    const { removed } = before ?? snapshot
    records.indexes.removeForGood(removed)
    const { resumeGenerator } = await import('../records/generation/generator.ts')
    const input = { seed, loadedMs: resolveMs(loaded_at, 0), ...generation }
    const generator = await resumeGenerator(input, progress)
    records.generate(generator)
  }
  if (before) {
    records.resume(before, worldMs)
    refuse(findBroken(before, records.indexes, ['published']))
  }
  // Taken before the current records are restored, so that its revision is below theirs.
  const staleView = before ? records.indexes.snapshot() : undefined
  records.resume(snapshot, worldMs)
  refuse(findBroken(snapshot, records.indexes, ['records']))
  return { records, staleView }
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return
  throw new CommandError('invalid_command', atPlace(['snapshot'], problems))
}
