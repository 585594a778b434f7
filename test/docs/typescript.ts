import type { Block } from './sections.ts'

/** What a reader's project has. Its code runs on Node and in a page. */
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

/** Declarations for blocks that use a name without declaring it. */
const DECLARATIONS: Record<string, string> = {
  createSandbox: `import { createSandbox } from 'seo-sandbox'`,
  createClient: `import createClient from 'openapi-fetch'`,
  app: `import express from 'express'; const app = express()`,
  sandbox: `import * as seo from 'seo-sandbox'; const sandbox = await seo.createSandbox()`,
  headers: `const headers = { authorization: 'Bearer sandbox-unlimited' }`,
}

/** A block of TypeScript or JavaScript as a complete module, whose errors have the line numbers of the guide. */
export function toModule({ code, line }: Block): string {
  return declarationsFor(code) + '\n'.repeat(line - 1) + code
}

/** On one line, so that errors have the line numbers of the guide. */
function declarationsFor(code: string): string {
  const needed = Object.entries(DECLARATIONS).filter(
    ([name]) =>
      new RegExp(String.raw`(?<![-.\w])${name}\b`).test(code) &&
      !new RegExp(String.raw`^(import|const) [^=\n]*\b${name}\b`, 'm').test(code),
  )
  return needed.map(([, declaration]) => declaration).join('; ')
}

/** The file name in a comment on the first line of a block. */
export function fileNamedIn(code: string): string | undefined {
  return /^(?:\/\/|#) ([\w.-]+\.\w+)\n/.exec(code)?.[1]
}
