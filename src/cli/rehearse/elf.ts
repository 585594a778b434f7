import { readFileSync, statSync } from 'node:fs'

/** How a 64-bit little-endian program for Linux begins. */
const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1])

/** What `go version` recognizes a program by. */
const GO = Buffer.from('\u00ff Go buildinf:', 'latin1')

const SETUID_OR_SETGID = 0o6000

/**
 * Why a program does not get its time from libfaketime, which replaces functions of glibc; undefined if it may well do so, and
 * for a file that is not a 64-bit program, such as a script.
 */
export function findObstacle(file: string): string | undefined {
  if (statSync(file).mode & SETUID_OR_SETGID)
    return 'runs as another user (setuid), for which Linux preloads no libfaketime'
  const data = readProgram(file)
  if (!data.subarray(0, ELF.length).equals(ELF)) return undefined
  if (data.includes(GO)) return 'is a Go program, which does not ask glibc for the time'
  const loader = readLoader(data)
  if (loader === undefined) return 'is linked statically, so that no libfaketime can be preloaded'
  if (loader.includes('ld-musl')) return 'is linked with musl, and libfaketime needs glibc'
  return undefined
}

/** The content of a program; empty for one that may be run but not read. */
export function readProgram(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return Buffer.alloc(0)
    throw error
  }
}

/** The type of a program header that names a loader. */
const PT_INTERP = 3

/** The path of the program that loads it; undefined for one that needs none. */
function readLoader(data: Buffer): string | undefined {
  const start = Number(data.readBigUInt64LE(32))
  const size = data.readUInt16LE(54)
  const headers = Array.from({ length: data.readUInt16LE(56) }, (_, index) => start + index * size)
  const header = headers.find((at) => data.readUInt32LE(at) === PT_INTERP)
  if (header === undefined) return undefined
  const offset = Number(data.readBigUInt64LE(header + 8))
  const length = Number(data.readBigUInt64LE(header + 32))
  return data.toString('latin1', offset, offset + length)
}
