import { withoutControls } from '../contract/text.ts'
import { OptionError } from '../world/options/option-error.ts'

/** Error for a file that must not be written. The message has the reason and the remedy. */
export class FileError extends Error {
  override readonly name = 'FileError'
  readonly code = 'file_not_written'
}

const REASONS: Record<string, string> = {
  ENOENT: 'Its folder does not exist. Create it.',
  ENOTDIR: 'A part of its path is a file. Choose a path through folders.',
  EISDIR: 'It is a folder. Name a file in it.',
  EACCES: 'Access to it is denied. Check its permissions and those of its folder.',
  EPERM: 'Access to it is denied. Check its permissions and those of its folder.',
  EROFS: 'Its disk is read-only. Choose another folder.',
  ENOSPC: 'Its disk is full. Free some space.',
  EDQUOT: 'The quota of its disk is used up. Free some space.',
  EFBIG:
    'It exceeds the maximum size of a file. Raise the limit (ulimit -f), or choose another disk.',
  EIO: 'Its disk failed. Choose another disk.',
  EBUSY: 'It is a mount point. Mount its folder instead.',
  ELOOP: 'Its symbolic links form a circle. Name the file itself.',
  ENAMETOOLONG: 'Its name is too long. Choose a shorter one.',
  EMFILE: 'This process has too many files open. Raise the limit (ulimit -n).',
  ENFILE: 'This machine has too many files open. Stop a program.',
}

/** Returns the reason why a file could not be read or written, and the remedy if one is known. */
export function toFileReason(error: unknown, attempt: 'read' | 'written' = 'written'): string {
  if (error instanceof FileError) return error.message
  const message = error instanceof Error ? error.message : String(error)
  const unknown = `It cannot be ${attempt}: ${withoutControls(message).replace(/\.$/, '')}.`
  return REASONS[errorCodeOf(error)] ?? unknown
}

/** Same as {@link toFileReason}, for reading a file that must exist. */
export function toReadReason(error: unknown): string {
  if (errorCodeOf(error) === 'ENOENT') return 'There is no such file. Check the path.'
  return toFileReason(error, 'read')
}

/**
 * Runs `work`, which reads or writes the file that an option names.
 *
 * @param option The option with its value, such as `--out site`.
 * @throws OptionError if the file cannot be read or written, and any error of `work` that has no code
 */
export async function atFile<Result>(
  option: string,
  attempt: 'read' | 'written',
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OptionError || errorCodeOf(error) === '') throw error
    const reason = attempt === 'read' ? toReadReason(error) : toFileReason(error)
    throw new OptionError(withoutControls(`${option}: ${reason}`), { cause: error })
  }
}

/** True if a write failed for lack of space. A file that `replaceFile` was to replace still has its old content. */
export function isOutOfSpace(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(errorCodeOf(error))
}

/** True for the error code of a connection that failed because the server's certificate is not trusted. */
export function isCertificateCode(code: string): boolean {
  return /CERT|VERIFY/.test(code)
}

/** Returns the code of an error, such as `ENOENT`; empty for an error without a code. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
