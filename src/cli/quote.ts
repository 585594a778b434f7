/** A word of a command line to be pasted: as `cmd` reads it on Windows, and elsewhere as `sh` does. */
export function quote(word: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'win32') {
    return /^[\w./:@%+=,~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
  }
  if (/^[\w./\\:@%+=,~-]+$/.test(word)) return word
  // Before a quotation mark, programs read two backslashes as one.
  return `"${word.replaceAll(/(\\*)(?="|$)/g, '$1$1').replaceAll('"', String.raw`\"`)}"`
}
