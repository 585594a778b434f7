import type { ChildProcess, SpawnOptions } from 'node:child_process'

export function startProgram(
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess
