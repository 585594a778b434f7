/** The sandbox on Node: as a server, as middleware, and with fixtures from files. */
export { middleware } from './adapters/node.ts'
export type { Answer, Middleware, MiddlewareOptions } from './adapters/node.ts'
export { startServer } from './server/start-server.ts'
export { ServerError } from './server/server-error.ts'
export type { SandboxServer, ServerOptions } from './server/start-server.ts'
export type { GetResponse, MswHandler } from './adapters/user-handlers.ts'
export { loadFixtures } from './fixtures/load-fixtures.ts'
export type { FixtureFile, FixtureFiles, FixtureProgress } from './fixtures/source.ts'
