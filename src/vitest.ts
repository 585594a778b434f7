/** The sandbox as a Vitest fixture: a world of its own for each test. */
export { createTest, test, test as it } from './testing/vitest.ts'
export type { SandboxFixtures } from './testing/vitest.ts'
