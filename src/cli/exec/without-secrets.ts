import { shorten } from '../../contract/describe.ts'
import { quote } from '../quote.ts'

/** What the name of a secret looks like. */
const SECRET = String.raw`[\w-]*(?:token|secret|passw|pwd|auth(?!or\b|ors\b)|credential|cookie)[\w-]*|[\w-]*key|user`
const QUOTE = String.raw`["']?`
/** In an argument, which may be a script; what follows the first group is hidden. */
const SECRETS = [
  new RegExp(String.raw`(\bauthorization${QUOTE}\s*[=:]\s*${QUOTE})[^"']+`, 'gi'),
  new RegExp(String.raw`(\b(?:bearer|basic)\s+)[^\s"']+`, 'gi'),
  // TOKEN=…, "token": "…", X-Api-Key: …
  new RegExp(String.raw`(\b(?:${SECRET})${QUOTE}\s*[=:]\s*${QUOTE})[^\s"'&,;]+`, 'gi'),
  new RegExp(String.raw`(--?(?:${SECRET})\s+${QUOTE})[^\s"']+`, 'gi'),
  // https://user:…@host
  /(\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g,
]
const SECRET_FLAG = new RegExp(`^(?:--?(?:${SECRET})|-u)$`, 'i')

const HIDDEN = '[hidden]'
/** A script may be a whole file. */
const MOST_SHOWN = 500
/** What is hidden needs no quotes. */
const PLAIN_WORD = /^[\w./:@%+=,~[\]-]+$/

/** A command line that can be shown: whatever looks like a secret, or `redact` replaces, is hidden. */
export function withoutSecrets(line: readonly string[], redact: (text: string) => string): string {
  const words = line.map((word, index) => {
    if (SECRET_FLAG.test(line[index - 1] ?? '')) return HIDDEN
    const shown = redact(
      SECRETS.reduce((text, secret) => text.replaceAll(secret, `$1${HIDDEN}`), word),
    )
    return PLAIN_WORD.test(shown) ? shown : quote(shown)
  })
  return shorten(words.join(' ').replaceAll(/\s+/g, ' '), MOST_SHOWN)
}
