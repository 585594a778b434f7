/** The sandbox on Node: as a server, as middleware, and with fixtures from files. */
export { middleware } from './server/middleware.ts'
export type { MountOptions } from './server/middleware.ts'
export type {
  Middleware,
  MiddlewareOptions,
  RequestSummary,
  ResponseSummary,
} from './adapters/node.ts'
export { startServer } from './server/start-server.ts'
export { ServerError } from './server/server-error.ts'
export { StoreError } from './store/store-error.ts'
export type { StoreErrorCode } from './store/store-error.ts'
export type { RunningServer } from './server/serve-backend.ts'
export type { ServerOptions, StoreServerOptions } from './server/server-options.ts'
export type { StoreServer } from './server/serve-store.ts'
export type { SandboxServer } from './server/start-server.ts'
export type { GetResponse, MswHandler } from './adapters/user-handlers.ts'
export { loadPolicies } from './server/load-policies.ts'
export { loadFixtures } from './fixtures/load-fixtures.ts'
export type { FixtureFile, FixtureFiles, FixtureProgress } from './fixtures/source.ts'
