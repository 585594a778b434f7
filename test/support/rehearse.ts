import { BIN } from './launch.ts'

/** The program without its options. */
export const REHEARSE: [program: string, ...args: string[]] = [process.execPath, BIN, 'rehearse']
