/** Preloaded by a server whose responses are compared: its clock stands still, and clients may be idle for long. */
import { Server } from 'node:http'
import { stopClock } from './stopped-clock.js'

stopClock()

replaceMethod(Server, 'listen', (listen) => {
  return function listenPatiently(...args) {
    this.keepAliveTimeout = 0
    return listen.apply(this, args)
  }
})

/** Replaces a method of a class; `replace` receives the original. */
function replaceMethod({ prototype }, name, replace) {
  prototype[name] = replace(prototype[name])
}
