export interface Haproxy extends AsyncDisposable {
  port: number
  pid: number
  url: string
  /** Its output on standard error, such as notices about its servers. */
  notices: readonly string[]
  stop: () => Promise<void>
}

export function startHaproxy(
  ports: readonly number[],
  balance?: 'round-robin' | 'world',
): Promise<Haproxy>
export function runHaproxy(
  file: string,
  port: number,
  env?: Record<string, string>,
): Promise<Haproxy>
export function whyNoHaproxy(): string | undefined
