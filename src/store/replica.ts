import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import { awaitedReview, restartReview, recordReview } from '../review/record-review.ts'
import { recordSession } from '../session/session-recorder.ts'
import { yieldToEventLoop } from '../contract/timers.ts'
import type { Change } from '../world/change.ts'
import { CommandError } from '../world/command-error.ts'
import {
  applyEnd,
  passOnEnd,
  fromLoggedRequest,
  toLoggedRequest,
  discardsState,
  freesRoom,
  loadedBy,
  textOf,
  toEntry,
} from './log-entry.ts'
import type { UntimedEnd, LogEntry, PreparedEntry } from './log-entry.ts'
import { World } from '../world/world.ts'
import { DEFAULT_WORLD, worldNotFound } from '../world/worlds.ts'
import { CallQueue, PendingEnds } from './call-queue.ts'
import type { WaitingCall } from './call-queue.ts'
import { toReplicaOptions } from './world-creator.ts'
import type { Creation, StartOptions } from './world-creator.ts'
import { BYTES_PER_STORED, heapOf } from './loaded-worlds.ts'
import type { LoadedWorlds, Loads } from './loaded-worlds.ts'
import { KEPT_SHARE } from './log-functions.ts'
import {
  DAMAGED,
  FATE_UNKNOWN,
  WORLD_EXPIRED,
  NEWER,
  StoreError,
  TOO_BUSY,
  tooManyRequests,
} from './store-error.ts'
import { isFullness, StoreFullError } from './world-log.ts'
import type {
  AppliedPosition,
  FinalRefusal,
  StoredEntry,
  NewEntry,
  OpenedLog,
  RefusedEntry,
  AppendOutcome,
  WorldLog,
} from './world-log.ts'
import type { StoreMeter } from './redis.ts'
import { MissingText } from './stored-inputs.ts'
import type { StoredInputs } from './stored-inputs.ts'
import { ReviewNotes } from './review-notes.ts'
import { Snapshots, bytesOfText, readReplica } from './stored-replica.ts'
import type { SharedLimits } from './store-options.ts'

/** Maximum number of times that a call reloads the world because the store lacks a text of the world. */
const MAXIMUM_RELOADS = 3

/**
 * A response that is sent in full within this time, and before the next request or command, needs no log entry for its
 * end. It counts as having ended when its request arrived.
 */
const IMMEDIATE_MS = 50

/** Number of entries applied before yielding to other work of this server. */
const ENTRIES_PER_TURN = 50

/** Interval at which a replica without changes of its own tells the store that its world is in use. */
const KEEP_ALIVE_MS = 60_000

export interface ReplicaContext {
  log: WorldLog
  /** The log format that the replica writes. */
  format: number
  inputs: StoredInputs
  start: StartOptions
  /** Limits that the host sets for the world; undefined for the world that serves as the default one. */
  limits: SharedLimits | undefined
  loads: Loads
  loaded: LoadedWorlds
  /** Returns a string that is unique among all servers of the store. */
  createNonce: () => string
  meter?: StoreMeter | undefined
  /** Tells the operator about an error that no client caused. */
  onError: (error: unknown, world?: string) => void
}

/** A copy of a world in this process. It applies the log of the world strictly in order, and appends in one call at a time. */
export class Replica {
  readonly id: string
  readonly #context: ReplicaContext
  #world: World | undefined
  /** Estimated heap of the world, in bytes: its last stored state, and the entries since. */
  #heapBytes = 0
  #creation: Creation | undefined
  #at: AppliedPosition = { position: 0, nonce: '', atMs: 0 }
  #nowMs = 0
  readonly #calls = new CallQueue(
    (batch) => this.#callAndReport(batch),
    () => this.#context.loaded.noteUnused(),
  )
  /**
   * Settles when the last change has been applied or refused. The next change waits for that, because a process appends
   * its changes in order.
   */
  #lastChange: Promise<unknown> = Promise.resolve()
  #shownAliveMs = 0
  #reported: StoreError | undefined
  #sizes = { logBytes: 0, textsBytes: 0 }
  /** True if an entry since the last snapshot may have freed data, which the next snapshot would remove. */
  #hasFreed = false
  readonly #snapshots: Snapshots
  readonly #ends: PendingEnds
  readonly #reviewNotes: ReviewNotes
  /** Number of changes that have not been applied yet. */
  #changes = 0
  #isRetired = false
  readonly #watchers = new Set<() => void>()

  constructor(id: string, context: ReplicaContext) {
    this.id = id
    this.#context = context
    const { log, inputs, createNonce, onError } = context
    this.#ends = new PendingEnds({ createNonce, send: () => void this.#sendEnds() })
    this.#reviewNotes = new ReviewNotes({
      log,
      onDue: () => this.#calls.betweenCalls(() => this.#noteReview()),
      onError: (error) => onError(error, id),
    })
    this.#snapshots = new Snapshots({ log, inputs, onError })
  }

  /** The world with the entries applied so far; undefined while it is not in memory. */
  get world(): World | undefined {
    return this.#world
  }

  get creation(): Creation | undefined {
    return this.#creation
  }

  /** True if the store had lost part of the world when the world was last used. */
  get isDamaged(): boolean {
    return this.#reported?.code === 'world_damaged'
  }

  /** True if no call or change waits for the world. */
  get isUnused(): boolean {
    return this.#calls.isIdle && this.#changes === 0
  }

  /** True if no call or change waits for the world, and nobody watches it. */
  get isIdle(): boolean {
    return this.isUnused && this.#watchers.size === 0
  }

  /** Appends a request to the log, and returns its response. @throws CommandError if the world is gone, StoreError */
  answer(request: ApiRequest): Promise<ApiResponse> {
    const logged = toLoggedRequest(request)
    const added = { kind: 'request', content: JSON.stringify({ request: logged }) } as const
    return this.#send(added, { request: logged }) as Promise<ApiResponse>
  }

  /**
   * Appends a change to the log, and returns the result of its command. If the store has no room, but a snapshot may
   * free some, stores a snapshot and tries again.
   *
   * @throws StoreError, the errors of `toEntry`, and CommandError if the world refuses the change or is gone
   */
  readonly change = (change: Change): Promise<unknown> => {
    const changed = this.#lastChange.then(async () => {
      const world = this.#world ?? (await this.current())
      const { start, limits } = this.#context
      const context = { world, creation: this.#creation!, start, limits }
      const prepared = await toEntry(change, context)
      try {
        return await this.#order(prepared)
      } catch (error) {
        if (!(error instanceof StoreFullError && this.#mayFree(error))) throw error
        await this.#storeAll()
        return this.#order(prepared)
      }
    })
    this.#changes += 1
    this.#lastChange = changed
      .catch(() => undefined)
      .finally(() => {
        this.#changes -= 1
        this.#context.loaded.noteUnused()
      })
    return changed
  }

  async #order({ entry, text }: PreparedEntry): Promise<unknown> {
    if (text !== undefined) await this.#context.inputs.put(text, this.id)
    const kind = freesRoom(entry.change) ? 'removal' : 'change'
    return this.#send({ kind, content: JSON.stringify(entry), text: textOf(entry) })
  }

  /**
   * Returns the world with all entries that the log has at the time of the call. After that, `realNow` of the world
   * returns the time of the store's reply.
   *
   * @throws CommandError if the world is gone, StoreError
   */
  current(): Promise<World> {
    return new Promise((resolve, reject) =>
      this.#calls.add({
        work: () => this.#world!,
        resolve: resolve as WaitingCall['resolve'],
        reject,
      }),
    )
  }

  /** Calls `onReplaced` when the world in memory is unloaded; returns a function that unsubscribes. */
  watch(onReplaced: () => void): () => void {
    const watcher = (): void => onReplaced()
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Frees the memory of the world as soon as no call needs it. The world is loaded again on its next use. */
  unload(): void {
    this.#calls.betweenCalls(() => {
      this.#noteReview()
      this.#unload()
    })
  }

  /**
   * Unloads the world because this replica is forgotten. Requests that still reach it are answered, but leave nothing in
   * memory.
   */
  retire(): void {
    this.#isRetired = true
    this.unload()
  }

  #unload(): void {
    if (this.#world) this.#context.loaded.free(this.#heapBytes)
    this.#world = undefined
    this.#ends.clear()
    this.#reviewNotes.clear()
    for (const watcher of this.#watchers) watcher()
  }

  #setHeap(bytes: number): void {
    const before = this.#heapBytes
    this.#heapBytes = bytes
    this.#context.loaded.grow(bytes - before)
  }

  /** Waits for the last change, logs pending ends of responses, and stores a snapshot unless the last one has all entries. */
  async drain(): Promise<void> {
    await this.#lastChange
    await this.#sendEnds()
    await this.#storeAll()
    this.#reviewNotes.clear()
  }

  async #sendEnds(): Promise<void> {
    if (this.#ends.isEmpty) return
    // If the ends cannot be sent, their responses count as having ended when their requests arrived.
    await new Promise<void>((resolve) => {
      const end = (): void => resolve()
      this.#calls.add({ resolve: end, reject: end })
    })
  }

  async #storeAll(): Promise<void> {
    if (this.#world && this.#snapshots.isBehind(this.#at.position)) {
      await new Promise((resolve, reject) =>
        this.#calls.add({ work: () => this.#store(), resolve, reject }),
      ).catch((error: unknown) => {
        // Expected if the world is gone, a newer release continues it, or the store cannot be reached.
        if (!(error instanceof StoreError) && !(error instanceof CommandError)) throw error
      })
    }
    await this.#snapshots.settled()
  }

  /** True if storing a snapshot could make room: Redis keeps the data that a snapshot replaces until the snapshot is stored. */
  #mayFree({ maximumBytes }: StoreFullError): boolean {
    const isLogLong = this.#sizes.logBytes > maximumBytes * KEPT_SHARE
    return this.#hasFreed || this.#snapshots.isStoring || isLogLong
  }

  #send(added: Omit<NewEntry, 'nonce'>, entry?: LogEntry): Promise<unknown> {
    const nonce = this.#context.createNonce()
    return new Promise((resolve, reject) =>
      this.#calls.add({ added: { ...added, nonce }, ...(entry && { entry }), resolve, reject }),
    )
  }

  /** Makes a call. Reports an error that only the operator can fix, unless the previous call had the same error. */
  async #callAndReport(batch: readonly WaitingCall[]): Promise<void> {
    try {
      await this.#call(batch)
      this.#reported = undefined
    } catch (cause) {
      const error = cause instanceof MissingText ? await this.#reportMissingText(cause) : cause
      const reported =
        error instanceof StoreError && error.forOperator !== undefined ? error : undefined
      if (reported && reported.forOperator !== this.#reported?.forOperator)
        this.#context.onError(reported, this.id)
      this.#reported = reported
      throw error
    }
  }

  async #reportMissingText(missing: MissingText): Promise<Error> {
    this.#unload()
    const why = await this.#context.log.recordMissingText(missing.key)
    return why ? toError(why, this.id) : missing
  }

  async #call(batch: readonly WaitingCall[]): Promise<void> {
    const ownCalls = new Map<string, WaitingCall>()
    const sent = [...this.#ends.take(), ...batch]
    for (const call of sent) if (call.added) ownCalls.set(call.added.nonce, call)
    let [isRepeated, lostTexts] = [false, 0]
    for (let isApplied = false; !isApplied;) {
      try {
        if (!this.#world) await this.#context.loads.note(this.id, () => this.#load(ownCalls))
        // The calls of entries that the load found in the log have already been answered.
        const left = sent.flatMap(({ added }) =>
          added && ownCalls.has(added.nonce) ? [added] : [],
        )
        const isUnsure = isRepeated && left.some(({ kind }) => kind !== 'end')
        if (isUnsure) throw new StoreError('fate_unknown', FATE_UNKNOWN)
        isApplied = await this.#appendAndApply(left, ownCalls, () => (isRepeated = true))
      } catch (error) {
        lostTexts += 1
        if (!(error instanceof MissingText) || lostTexts > MAXIMUM_RELOADS) throw error
        this.#unload()
      }
    }
    for (const { added, work, resolve } of batch) if (!added) resolve(await work?.())
    if (this.#isRetired) this.#unload()
  }

  /**
   * Appends and applies entries; returns false if the world must be loaded again. `onTaken` is called before a repetition
   * and after a reply, when entries may already be in the log.
   */
  async #appendAndApply(
    left: readonly NewEntry[],
    ownCalls: Map<string, WaitingCall>,
    onTaken: () => void,
  ): Promise<boolean> {
    const added = [...this.#reviewEntries(ownCalls), ...left]
    const called = await this.#append(added, ownCalls, onTaken)
    if ('refusal' in called) {
      this.#unload()
      if (called.refusal !== 'lost') throw toError(called, this.id)
      return false
    }
    onTaken()
    const { nowMs, entries } = called
    this.#sizes = called
    await this.#applyAll(entries, ownCalls)
    // Skips entries that were refused, or were in the log already and have just been applied.
    const appended = added.filter(({ nonce }) => ownCalls.has(nonce))
    await this.#applyAll(
      appended.map((entry) => ({ ...entry, atMs: nowMs })),
      ownCalls,
    )
    this.#nowMs = nowMs
    this.#context.meter?.applied(entries.length + added.length, entries.length)
    return true
  }

  /**
   * Returns an entry that restarts the review in all replicas with the same version of the reviewer; none unless this
   * replica needs the restart.
   */
  #reviewEntries(ownCalls: Map<string, WaitingCall>): NewEntry[] {
    const review = awaitedReview(this.#world!)
    if (review === undefined) return []
    const content = JSON.stringify({ review } satisfies LogEntry)
    const added: NewEntry = { kind: 'removal', nonce: this.#context.createNonce(), content }
    // If this entry is refused, the next call adds another one.
    ownCalls.set(added.nonce, { added, resolve: () => undefined, reject: () => undefined })
    return [added]
  }

  /**
   * Appends entries. If the store accepts no changes, rejects the calls of these entries, but still serves calls that
   * only read.
   */
  async #append(
    added: readonly NewEntry[],
    ownCalls: Map<string, WaitingCall>,
    onRepeat: () => void,
  ): ReturnType<WorldLog['append']> {
    const { log, limits } = this.#context
    if (added.length === 0 && !this.#mustShowUse()) return log.read(this.#at)
    try {
      this.#shownAliveMs = performance.now()
      const appended = await log.append(this.#at, added, { onRepeat, limit: limits?.requests })
      if ('refused' in appended) rejectRefused(appended, ownCalls, limits?.requests)
      return appended
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'store_refused') throw error
      for (const { nonce } of added) {
        ownCalls.get(nonce)?.reject(error)
        ownCalls.delete(nonce)
      }
      return log.read(this.#at)
    }
  }

  async #load(ownCalls: Map<string, WaitingCall>): Promise<void> {
    const { log, format, loaded } = this.#context
    try {
      const opened = await log.open()
      if ('refusal' in opened) throw toError(opened, this.id)
      const heapBytes = heapOf(bytesOfText(opened))
      this.#world = await loaded.load(heapBytes, () => this.#open(opened))
      this.#heapBytes = heapBytes
      // The size of a world without a snapshot is computed from its records.
      if (!opened.snapshot) this.#setHeap(heapOf(this.#world.size.text))
      this.#at = opened.from
      this.#snapshots.loaded(opened.snapshot ? opened.from.position : 0)
      const { entries } = opened
      await this.#applyAll(entries, ownCalls)
      this.#context.meter?.applied(entries.length, entries.length)
      // The first snapshot of a newer format shuts out releases of the older one.
      const isNewer = opened.format < format
      if (isNewer || this.#snapshots.isDueAfterLoad(opened.entries.length)) await this.#store()
      this.#nowMs = opened.nowMs
    } catch (error) {
      this.#unload()
      throw error
    }
  }

  async #open({ creation: text, snapshot, from }: OpenedLog): Promise<World> {
    const { inputs, start } = this.#context
    const creation = (this.#creation = JSON.parse(text) as Creation)
    const options = toReplicaOptions(creation, await inputs.seed(creation.seed), start, {
      realNow: () => this.#nowMs,
      order: (change) => this.change(change as Change),
      errors: { report: (error) => this.#context.onError(error, this.id) },
    })
    const setNow = (ms: number): void => void (this.#nowMs = ms)
    if (snapshot) return readReplica(snapshot, options, { inputs, setNow })
    setNow(from.atMs)
    const world = await World.create(options)
    recordSession(world)
    recordReview(world, { awaitsLog: true })
    return world
  }

  async #applyAll(
    entries: readonly StoredEntry[],
    ownCalls: Map<string, WaitingCall>,
  ): Promise<void> {
    for (const [index, entry] of entries.entries()) {
      if (index % ENTRIES_PER_TURN === ENTRIES_PER_TURN - 1) await yieldToEventLoop()
      await this.#apply(entry, ownCalls)
    }
  }

  /** Applies an entry, and settles its call if it came from this process. */
  async #apply(
    { nonce, content, atMs }: StoredEntry,
    ownCalls: Map<string, WaitingCall>,
  ): Promise<void> {
    const waiting = ownCalls.get(nonce)
    const entry = waiting?.entry ?? (JSON.parse(content) as LogEntry)
    this.#nowMs = atMs
    try {
      const result =
        'request' in entry
          ? this.#handle(entry, { isOwn: waiting !== undefined })
          : await this.#perform(entry)
      waiting?.resolve(result)
    } catch (error) {
      if (error instanceof StoreError) throw error
      // All replicas skip an entry that the world refuses.
      if (waiting) waiting.reject(error)
      else if (!isRefusal(error)) this.#context.onError(error)
    }
    ownCalls.delete(nonce)
    this.#setHeap(this.#heapBytes + BYTES_PER_STORED * content.length)
    this.#at = { position: this.#at.position + 1, nonce, atMs }
    const isNewSession = this.#noteFreed(entry)
    if (waiting && this.#mayBePartners()) this.#reviewNotes.touch()
    if (!waiting) return
    const { position } = this.#at
    if (this.#snapshots.isDue(position) || this.#snapshots.isDueFor(this.#sizes, { isNewSession }))
      await this.#store()
  }

  /** Sets `#hasFreed` if an entry may have freed data; returns true if the entry starts a session. */
  #noteFreed(entry: LogEntry): boolean {
    if (!('change' in entry)) return false
    const isNewSession = discardsState(entry.change)
    if (isNewSession || freesRoom(entry.change) || textOf(entry) !== undefined)
      this.#hasFreed = true
    return isNewSession
  }

  #handle(
    { request }: Extract<LogEntry, { request: unknown }>,
    { isOwn }: { isOwn: boolean },
  ): ApiResponse {
    const log = isOwn ? this.#endLogger() : undefined
    return this.#world!.handle(fromLoggedRequest(request), {
      logEnd: log && ((recorded, journal) => passOnEnd(recorded, journal, log)),
    })
  }

  /**
   * Returns a callback that logs the end of a response that begins now. It does nothing if the response is sent in one
   * go (see `IMMEDIATE_MS`), or if the world was unloaded meanwhile.
   */
  #endLogger(): (end: UntimedEnd) => void {
    const world = this.#world
    const beganMs = performance.now()
    return (end) => {
      if (this.#world !== world) return
      const tookMs = Math.floor(performance.now() - beganMs)
      const isAtOnce = tookMs < IMMEDIATE_MS && end.after === end.sequence
      if (isAtOnce && !end.aborted) return
      this.#ends.add({ ...end, ended_ms: end.arrived_ms + tookMs })
    }
  }

  async #perform(entry: Exclude<LogEntry, { request: unknown }>): Promise<unknown> {
    if ('review' in entry) return restartReview(this.#world!, entry.review)
    if ('end' in entry) return applyEnd(this.#world!, entry.end)
    const loaded = await loadedBy(entry, this.#context.inputs)
    return this.#world!.applyChange(entry.change, loaded)
  }

  /** Writes a snapshot as of the time of the last entry, even if the world has been read since. */
  async #store(): Promise<void> {
    const readMs = this.#nowMs
    this.#hasFreed = false
    this.#nowMs = this.#at.atMs
    try {
      const bytes = await this.#snapshots.write(this.#world!, this.#at)
      this.#setHeap(heapOf(bytes))
      this.#noteReview()
    } finally {
      this.#nowMs = readMs
    }
  }

  /** Stores the review for the list of partners, if it may have changed. */
  #noteReview(): void {
    const world = this.#world
    if (!world || !this.#reviewNotes.isDue) return
    this.#reviewNotes.write(world, this.#at)
  }

  /**
   * True if the world may be a partner's: isolated, and kept however long it is unused. The store ignores the review of
   * a world without a partner.
   */
  #mayBePartners(): boolean {
    return this.#context.limits !== undefined && this.#creation!.idle_ms === null
  }

  /**
   * True if it is time to tell the store that the world is in use. Without this, the store would eventually drop a world that is
   * only read.
   */
  #mustShowUse(): boolean {
    const { idle_ms: idleMs } = this.#creation!
    return idleMs !== null && performance.now() - this.#shownAliveMs > KEEP_ALIVE_MS
  }
}

function rejectRefused(
  { refused, maximumBytes }: Pick<AppendOutcome, 'refused' | 'maximumBytes'>,
  ownCalls: Map<string, WaitingCall>,
  perSecond = Infinity,
): void {
  for (const { nonce, reason } of refused) {
    const isLimited = reason === 'too_many_requests'
    const error = isLimited ? tooManyRequests(perSecond) : toRefusedError(reason, maximumBytes)
    ownCalls.get(nonce)?.reject(error)
    ownCalls.delete(nonce)
  }
}

function toRefusedError(
  reason: Exclude<RefusedEntry['reason'], 'too_many_requests'>,
  maximumBytes: number,
): Error {
  if (isFullness(reason)) return new StoreFullError(reason, maximumBytes)
  if (reason === 'too_late') return new StoreError('too_busy', TOO_BUSY)
  return new StoreError(reason, WORLD_EXPIRED)
}

function toError({ refusal, damage }: FinalRefusal, world: string): CommandError | StoreError {
  if (refusal === 'missing') return worldNotFound(world)
  if (refusal === 'newer') return new StoreError('world_unavailable', NEWER)
  const remedy =
    world === DEFAULT_WORLD
      ? 'delete seo-sandbox:{default}:world in it, and the world is created again'
      : `drop the world with DELETE /_sandbox/worlds/${world}`
  return new StoreError('world_damaged', DAMAGED, {
    forOperator: `The world ${world} is damaged (${damage}): restore the store from a backup, or ${remedy}.`,
  })
}

/** True for an error with which the world itself refuses a change. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && 'problems' in error
}
