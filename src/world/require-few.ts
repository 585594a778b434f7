import { invalidCommand } from './command-error.ts'

/** Refuses more generated projects than a world may have. @throws CommandError */
export function requireFew(
  projects = 0,
  { maximumGenerated, path }: { maximumGenerated: number; path: string[] },
): void {
  if (projects <= maximumGenerated) return
  const message = `This world has at most ${maximumGenerated} generated projects, and ${projects} were requested. Generate fewer.`
  throw invalidCommand({ path, message })
}
