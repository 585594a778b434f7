/** The sandbox in test suites that use MSW: handlers for `setupServer` and `setupWorker`. */
export { handlers } from './adapters/msw.ts'
export type { HandlerOptions } from './adapters/msw.ts'
