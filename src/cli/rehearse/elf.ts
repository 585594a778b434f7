import { readFileSync, statSync } from 'node:fs'

/** The beginning of a program for Linux: of 64 bits, the lower byte first. */
const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1])

/** What `go version` recognizes programs by. */
const GO = Buffer.from('\u00ff Go buildinf:', 'latin1')

const SETUID_OR_SETGID = 0o6000

/**
 * Why a program does not get its time from libfaketime, which replaces functions of glibc; undefined if it may well do so, or if
 * the file is no program of 64 bits, such as a script.
 */
export function findObstacle(file: string): string | undefined {
  const data = readFileSync(file)
  if (!data.subarray(0, ELF.length).equals(ELF)) return undefined
  if (statSync(file).mode & SETUID_OR_SETGID)
    return 'runs as another user (setuid), for which Linux preloads no libfaketime'
  if (data.includes(GO)) return 'is a Go program, which does not ask glibc for the time'
  const loader = readLoader(data)
  if (loader === undefined) return 'is linked statically, so that no libfaketime can be preloaded'
  if (loader.includes('ld-musl')) return 'is linked with musl, and libfaketime needs glibc'
  return undefined
}

const PT_INTERP = 3

/** The path in the program header that names a loader; undefined in a static program. */
function readLoader(data: Buffer): string | undefined {
  const [start, size, count] = [
    Number(data.readBigUInt64LE(32)),
    data.readUInt16LE(54),
    data.readUInt16LE(56),
  ]
  for (let at = start; at < start + size * count; at += size) {
    if (data.readUInt32LE(at) !== PT_INTERP) continue
    const offset = Number(data.readBigUInt64LE(at + 8))
    const length = Number(data.readBigUInt64LE(at + 32))
    return data.toString('latin1', offset, offset + length)
  }
  return undefined
}
