/** How much may be in what a tab opens. */
export interface ShareLimits {
  /** What its messages call it. */
  noun: 'link' | 'session' | 'session file'
  commands: number
  requests: number
  /** The size of its JSON text. */
  bytes: number
}

export const LINK_LIMITS: ShareLimits = {
  noun: 'link',
  commands: 200,
  requests: 200,
  bytes: 2 ** 20,
}

/** A session has at most as many steps as its journal keeps. */
export const FILE_LIMITS: ShareLimits = {
  noun: 'session file',
  commands: 5000,
  requests: 5000,
  bytes: 16 * 2 ** 20,
}

/** How long the text of a link may be, with its prefix. */
export const MAXIMUM_LINK_LENGTH = 8192
