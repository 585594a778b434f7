import type { RecordedRequest } from '../journal/recorded-request.ts'

/** Whether the client itself sent it, and not its browser (a preflight) or the console. */
export function isOfClient({ sender }: Pick<RecordedRequest, 'sender'>): boolean {
  return sender.method !== 'OPTIONS' && !sender.fromConsole
}

/** The status that the client got; 0 where no response arrived, whatever was sent. */
export function statusOf({ responseEnd, head }: RecordedRequest): number {
  return responseEnd?.isAborted === true ? 0 : head.status
}

/** Whether its response did not arrive whole, or cannot be read. */
function isBroken(recorded: RecordedRequest): boolean {
  const { responseEnd, head, shown } = recorded
  const isCut = responseEnd?.isAborted === true || head.wire?.end !== undefined
  return isCut || (head.status === 200 && shown === undefined)
}

/** Whether it failed in a way that another attempt may fix. */
export function isFailed(recorded: RecordedRequest): boolean {
  return statusOf(recorded) >= 500 || isBroken(recorded)
}

/** Whether its client got a 200 with all of its body. */
export function isRead(recorded: RecordedRequest): boolean {
  return statusOf(recorded) === 200 && recorded.sender.method === 'GET' && !isBroken(recorded)
}
