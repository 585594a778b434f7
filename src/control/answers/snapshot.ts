import { z } from 'zod'
import { RecordSet } from '../../contract/records.ts'
import { AppliedCommand } from './applied-command.ts'
import { SnapshotOutline, TokenWindowsForm } from '../snapshots.ts'

/** A snapshot with what {@link SnapshotOutline} leaves to be judged one by one. */
export const SnapshotForm = SnapshotOutline.extend({
  rate_windows: z.array(TokenWindowsForm),
  records: RecordSet,
  published: SnapshotOutline.shape.published.unwrap().extend({ changed: RecordSet }).nullable(),
  commands: z.array(AppliedCommand),
})
