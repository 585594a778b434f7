import { STORM, syncChecks } from '../../../support/sync-checks.js'

export const command = (out) => ['npm', 'run', 'sync', '--', out]

export const review = STORM

export const rehearse = true

export const checks = syncChecks
