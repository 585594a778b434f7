import type { Block } from './sections.ts'

/** Settings of a reader's project. Its code runs on Node and in a page. */
export const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    skipLibCheck: true,
  },
}

/** A block of TypeScript or JavaScript as a module, whose errors have the line numbers of the guide. */
export function toModule({ code, line }: Block): string {
  return '\n'.repeat(line - 1) + code
}

/** The file name in a comment on the first line of a block, after the opening tag of PHP. */
export function fileNamedIn(code: string): string | undefined {
  return /^(?:<\?php\n)?(?:\/\/|#) ([\w.-]+\.\w+)\n/.exec(code)?.[1]
}
