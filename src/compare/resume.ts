import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, readFile, rm, truncate } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { withoutControls } from '../contract/text.ts'
import { atFile, errorCodeOf } from '../server/file-errors.ts'
import { followLinks, replaceFile } from '../server/replace-file.ts'
import { OptionError } from '../world/options/option-error.ts'
import { toJsonValue } from './question.ts'
import type { ServiceAnswer } from './question.ts'

const OWNER_ONLY = 0o600
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Returns the path of this user's key file. The keys for encryption and anonymisation are derived from it. */
function keyFile(): string {
  const { XDG_CONFIG_HOME: home, APPDATA: windows } = process.env
  return join(home || windows || join(homedir(), '.config'), 'seo-sandbox', 'compare.key')
}

/**
 * Returns this user's key for a purpose. Creates the key file if needed.
 *
 * @throws OptionError if the key file cannot be read or written, or does not contain a key
 */
export async function loadKey(purpose: 'answers' | 'names'): Promise<Buffer> {
  const path = keyFile()
  return atFile(path, 'written', async () => {
    await mkdir(dirname(path), { recursive: true })
    if (!existsSync(path)) {
      await replaceFile(await followLinks(path), randomBytes(KEY_BYTES).toString('hex'))
    }
    const text = (await readFile(path, 'utf8')).trim()
    if (!/^[0-9a-f]{64}$/.test(text)) {
      throw new OptionError(`${withoutControls(path)}: It is not a key. Move it away.`)
    }
    return createHmac('sha256', Buffer.from(text, 'hex')).update(purpose).digest()
  })
}

type Entry = { start: string } | { answer: ServiceAnswer } | { sentMs: number }

/** State of an interrupted comparison; empty for a new one. */
export interface Resumed {
  answers: ServiceAnswer[]
  /** Times of sent requests, in epoch milliseconds. */
  sent: number[]
  append: (entry: Entry) => Promise<void>
  remove: () => Promise<void>
}

/**
 * Opens a file with the answers so far, or creates it. Each line is encrypted separately, and an incomplete last line is
 * dropped.
 *
 * @param start identifies the comparison; the file cannot continue another one
 * @throws OptionError if the file belongs to another comparison or user, or cannot be read or written
 */
export async function openResumeFile(path: string, start: string): Promise<Resumed> {
  const key = await loadKey('answers')
  const shown = `--resume ${withoutControls(path)}`
  const failing = <Result>(work: () => Promise<Result>) => atFile(shown, 'written', work)
  const append = (entry: Entry) =>
    failing(() =>
      appendFile(path, `${encrypt(JSON.stringify(entry), key)}\n`, { mode: OWNER_ONLY }),
    )
  const text = await failing(() =>
    readFile(path, 'latin1').catch((error: unknown) => {
      if (errorCodeOf(error) !== 'ENOENT') throw error
      return ''
    }),
  )
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const incomplete = text.slice(whole.length)
  const entries = whole
    .split('\n')
    .slice(0, -1)
    .map((line) => decrypt(line, key) as Entry | undefined)
  if (entries.includes(undefined) || /[^0-9a-f]/.test(incomplete)) {
    throw new OptionError(
      `${shown}: It was not written here, or with another key. Name a new file.`,
    )
  }
  const [first, ...rest] = entries as Entry[]
  if (first && (!('start' in first) || first.start !== start)) {
    throw new OptionError(`${shown}: It belongs to another comparison. Name a new file.`)
  }
  if (incomplete !== '') await failing(() => truncate(path, whole.length))
  if (!first) await append({ start })
  return {
    answers: rest.flatMap((entry) => ('answer' in entry ? [entry.answer] : [])),
    sent: rest.flatMap((entry) => ('sentMs' in entry ? [entry.sentMs] : [])),
    append,
    remove: () => failing(() => rm(path, { force: true })),
  }
}

/** Encrypts a string to hexadecimal. Base64 could contain words by chance, which would look unencrypted. */
function encrypt(text: string, key: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const data = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), data]).toString('hex')
}

/** Decrypts a line and parses its JSON; undefined if the line was encrypted with another key, or was changed. */
function decrypt(line: string, key: Buffer): unknown {
  const bytes = Buffer.from(line, 'hex')
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const data = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
  try {
    return toJsonValue(Buffer.concat([data, decipher.final()]).toString())
  } catch (error) {
    if (error instanceof Error && /authenticate/.test(error.message)) return undefined
    throw error
  }
}
