import type { SandboxMatchers } from './testing/matchers.ts'

/** Matchers for Vitest and Jest: `expect.extend(matchers)`, then `expect(sandbox).toHaveRequested('GET /me')`. */
export {
  toHaveDeliveredAll,
  toHaveOnlyKnownRoutes,
  toHavePassed,
  toHaveRequested,
  toHaveRequestedInOrder,
  toPassReview,
} from './testing/matchers.ts'
export type {
  ExpectedRequest,
  ExpectedTimes,
  MatcherResult,
  SandboxMatchers,
} from './testing/matchers.ts'

declare global {
  /** Also types the matchers of Vitest, which adopts those of Chai. Vitest's own `Matchers` type differs between versions. */
  namespace Chai {
    interface Assertion extends SandboxMatchers {}
  }
  /** The global `expect` of Jest. */
  namespace jest {
    interface Matchers<R, T = {}> extends SandboxMatchers<R> {}
  }
}
