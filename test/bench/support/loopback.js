/**
 * Imported ahead of a program that serves: whatever it asks for, its server listens on a free port of
 * 127.0.0.1, which the program then tells whoever forked it. Not each has an option for that, and
 * json-server listens everywhere even where it is told a host.
 */
import { Server } from 'node:net'

const { value: listen } = Object.getOwnPropertyDescriptor(Server.prototype, 'listen')

Server.prototype.listen = function listenOnLoopback(...args) {
  this.once('listening', () => process.send(this.address().port))
  const callback = args.find((arg) => typeof arg === 'function')
  return listen.call(this, { port: 0, host: '127.0.0.1' }, callback)
}

process.on('disconnect', () => process.exit())
