import { describe, expect, test } from 'vitest'
import { toFileReason } from '../../src/server/file-errors.ts'

describe('a failed write names its cause', () => {
  test.for([
    ['ENOSPC', 'Its disk is full. Free some space.'],
    ['EDQUOT', 'The quota of its disk is used up. Free some space.'],
    ['EROFS', 'Its disk is read-only. Choose another folder.'],
    ['ENAMETOOLONG', 'Its name is too long. Choose a shorter one.'],
    ['EMFILE', 'This process has too many files open. Raise the limit (ulimit -n).'],
    ['EOTHER', 'It cannot be written: EOTHER: other, write.'],
  ])('%s', ([code, sentence]) => {
    const error = Object.assign(new Error(`${code}: other, write.`), { code })
    expect(toFileReason(error)).toBe(sentence)
  })
})
