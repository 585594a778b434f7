import fc from 'fast-check'
import { runs } from './depth.ts'

/** The runs of properties that state no number of their own. */
fc.configureGlobal({ numRuns: runs(100) })
