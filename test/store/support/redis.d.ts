/** Settings as in redis.conf. */
type Config = Record<string, string | number>

export interface Redis extends AsyncDisposable {
  port: number
  url: string
  pid: number
  /** Sends a command, and returns its reply. */
  command: (...words: (string | number)[]) => Promise<any>
  kill: () => Promise<void>
  start: () => Promise<void>
  freeze: () => void
  thaw: () => void
  setClock: (seconds: number) => Promise<void>
  stop: () => Promise<void>
  cutLog: (bytes: number) => Promise<void>
}

export function startRedis(options?: { config?: Config; hasClock?: boolean }): Promise<Redis>
export function whyNoRedis(): string | undefined
