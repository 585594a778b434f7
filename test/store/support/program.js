import { spawn } from 'node:child_process'

/** Starts a program of Linux, which is killed when this process ends, for any reason. */
export function startProgram(program, args, options) {
  return spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], options)
}
