/**
 * Preloaded into a server program: makes the server listen on a free port of 127.0.0.1, whatever it requests, and sends the
 * port to the parent process. Not every program has an option for that, and json-server listens on all addresses even with
 * a host.
 */
import { Server } from 'node:net'

const { value: listen } = Object.getOwnPropertyDescriptor(Server.prototype, 'listen')

Server.prototype.listen = function listenOnLoopback(...args) {
  this.once('listening', () => process.send(this.address().port))
  const callback = args.find((arg) => typeof arg === 'function')
  return listen.call(this, { port: 0, host: '127.0.0.1' }, callback)
}

process.on('disconnect', () => process.exit())
