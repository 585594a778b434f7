import { REQUIRED_RUN } from '../../src/cli/init-agents.ts'
import { exitCodesOf } from '../../src/cli/cli-command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { DOCS_INDEX } from '../../src/cli/docs-index.ts'
import { CHECKS } from '../../src/review/checks/index.ts'
import { code } from './markdown.ts'

/** Pieces of skills/seo-sandbox/SKILL.md, which agents load. */

export function requiredRun(): string {
  return `\`\`\`sh\nnpx seo-sandbox ${REQUIRED_RUN}\n\`\`\``
}

export function checkList(): string {
  return CHECKS.map(({ id, severity, instead }) => `- ${code(id)} (${severity}): ${instead}`).join(
    '\n',
  )
}

export function exitCodeList(): string {
  const shown = COMMANDS.filter(({ name }) => ['exec', 'review'].includes(name))
  return shown
    .map((command) => {
      const codes = exitCodesOf(command).map(([exit, meaning]) => `${exit} ${meaning}`)
      return `- ${code(command.name)}: ${codes.join('; ')}`
    })
    .join('\n')
}

export function pageList(): string {
  return DOCS_INDEX.map(({ path, about }) => `- ${code(path)}: ${about}`).join('\n')
}
