import { createHash } from 'node:crypto'
import {
  LIST_CODE,
  LIST_FLAGS,
  LOAD_CODE,
  LOAD_FLAGS,
  PARTNER_CODE,
  PARTNER_FLAGS,
} from './host-functions.ts'
import { BLOB, PUTS, WORLDS } from './store-keys.ts'
import { TEXT_CODE, TEXT_FLAGS } from './text-functions.ts'

/**
 * The format of logs and snapshots. After the first release, it increases whenever the same log leads to another state
 * of the world, or an earlier release cannot read new data: test/store/recorded-logs.test.ts then fails. The
 * state of a review has its own version (`Reviewer.version`).
 */
export const LOG_FORMAT = 1

/** Entries that a log keeps before its snapshot, for replicas that lag slightly. */
const KEPT_ENTRIES = 100

/**
 * A log keeps entries older than its snapshot only up to this size, as a share of the maximum size of a world. The size includes
 * the texts that the entries load.
 */
export const KEPT_SHARE = 0.01

/**
 * The Redis functions for logs, each atomic (docs/decisions/0024-the-log-of-a-world-in-redis.md). The keys of a world:
 *
 * - log: a stream with the ids 1-0, 2-0, … and the fields n (nonce), t (time in ms), e (entry), b (bytes of all entries so far)
 * - hash: format, creation with its nonce and time, requests, idle_ms, position of the last entry, second (of its append),
 *   taken (entries counted in that second), snapshot_position, snapshot_texts, lacks (the key of a lost text), and sizes in
 *   bytes; for a partner's world also expires_ms and gone_ms
 * - snapshot
 * - texts
 * - loads under way
 *
 * Position 0 is the creation. It has no entry, because Redis reserves 4 kB for the first one.
 */
function codeOf(format: number): string {
  return `
local FORMAT = ${format}

local function id(position)
  return string.format('%.0f-0', position)
end

local function position_of(entry)
  return tonumber(string.match(entry[1], '^%d+'))
end

local STATE = {
  'format', 'position', 'lacks', 'expires_ms', 'gone_ms', 'idle_ms', 'second', 'taken', 'requests', 'time', 'snapshot_position',
  'creation_bytes', 'texts_bytes', 'snapshot_bytes', 'trimmed_bytes'
}

-- Returns the short fields of a world's hash.
local function state_of(keys)
  local state, values = {}, redis.call('HMGET', keys[2], unpack(STATE))
  for at, name in ipairs(STATE) do state[name] = values[at] end
  return state
end

-- Returns the nonce and the time of a position; nil if the log does not hold the position.
local function held(keys, position)
  if position > 0 then
    local entry = redis.call('XRANGE', keys[1], id(position), id(position))[1]
    if entry then return entry[2][2], entry[2][4] end
  else
    local first = redis.call('XRANGE', keys[1], '-', '+', 'COUNT', 1)[1]
    if not first or position_of(first) == 1 then return unpack(redis.call('HMGET', keys[2], 'nonce', 'time')) end
  end
end

-- Returns the last position, its time, the bytes of the log up to it, and its nonce; no nonce for the creation.
local function last(keys, state)
  local entry = redis.call('XREVRANGE', keys[1], '+', '-', 'COUNT', 1)[1]
  if entry then return position_of(entry), tonumber(entry[2][4]), tonumber(entry[2][8]), entry[2][2] end
  return 0, tonumber(state.time), 0
end

local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Returns the lost part of a world; nil if nothing was lost.
local function damage(keys, state)
  for _, name in ipairs({ 'position', 'requests', 'time' }) do
    if not state[name] then return keys[2] .. ' lacks ' .. name end
  end
  local last_position, snapshot_position = tonumber(state.position), tonumber(state.snapshot_position or '0')
  if snapshot_position > 0 and redis.call('EXISTS', keys[3]) == 0 then return keys[3] .. ' is missing' end
  if redis.call('XLEN', keys[1]) < last_position - math.max(snapshot_position, 1) + 1 then return keys[1] .. ' lacks entries' end
  if state.lacks and redis.call('EXISTS', state.lacks) == 0 then return state.lacks .. ' is missing' end
end

-- Returns the reason why replicas of this format cannot use a world: a status, and the lost part if it is damaged; nil if they can.
local function closed(keys, state)
  if not state.format then return { 'missing' } end
  if tonumber(state.format) > FORMAT then return { 'newer' } end
  local lost = damage(keys, state)
  if lost then return { 'damaged', lost } end
end

-- Returns the reason why a replica at a position cannot continue the log: that of closed, or 'lost' if the log does not hold the
-- position with this nonce. A replica at the last entry (is_last) needs only the check of closed.
local function refusal(keys, state, position, nonce, is_last)
  local why = closed(keys, state)
  if why then return why end
  if not is_last and held(keys, position) ~= nonce then return { 'lost' } end
end

local function after(log, position)
  return redis.call('XRANGE', log, '(' .. id(position), '+')
end

-- Returns the nonce, time and content of each entry.
local function flat(entries)
  local values = {}
  for _, entry in ipairs(entries) do
    for _, field in ipairs({ 2, 4, 6 }) do table.insert(values, entry[2][field]) end
  end
  return values
end

local function keep_alive(keys, state)
  for _, key in ipairs(keys) do
    if state.gone_ms then
      redis.call('PEXPIREAT', key, state.gone_ms)
    elseif state.idle_ms then
      redis.call('PEXPIRE', key, state.idle_ms)
    end
  end
end

local function is_expired(state)
  return state.expires_ms and now() >= tonumber(state.expires_ms)
end
${TEXT_CODE}
-- keys: log, hash, snapshot. args: position, its nonce, and the limit of entries a second or ''; for each new entry its nonce, kind,
-- content, and the digest of its text or ''. Kinds: change, request and removal (accepted even without room), end (always accepted).
-- Returns the time, all entries after the position except the new ones, the nonces of refused entries with their reasons, the bytes
-- of the log and of the texts, and the maximum size of the world, or '' if no change was checked against it.
local function append(keys, args)
  local position, state = tonumber(args[1]), state_of(keys)
  local last_position, last_ms, total, last_nonce = last(keys, state)
  local is_last = position == last_position and args[2] == last_nonce
  local why = refusal(keys, state, position, args[2], is_last)
  if why then return why end
  local unseen, known = is_last and {} or after(keys[1], position), {}
  for _, entry in ipairs(unseen) do known[entry[2][2]] = true end
  local begun_ms, next_position = now(), last_position
  local ms = math.max(begun_ms, last_ms)
  local requests, refused, world, maximum = 0, {}, world_of(keys), ''
  local limit, second = tonumber(args[3]), string.format('%.0f', math.floor(begun_ms / 1000))
  local is_new_second = state.second ~= second
  local taken = is_new_second and 0 or tonumber(state.taken)

  local function reason_against(kind, bytes, text)
    if kind == 'end' then return nil end
    if state.expires_ms and begun_ms >= tonumber(state.expires_ms) then return 'expired' end
    if limit and taken >= limit then return 'too_many_requests' end
    if text ~= '' and not redis.call('ZSCORE', key_of(world, 'texts'), text) then return 'too_late' end
    if kind ~= 'change' then return nil end
    maximum = maximum_bytes()
    return fullness(bytes_of(state, total), bytes)
  end

  for arg = 4, #args, 4 do
    local nonce, kind, content, text = unpack(args, arg, arg + 3)
    if not known[nonce] then
      local bytes = entry_bytes(nonce, content)
      local reason = reason_against(kind, bytes, text)
      if reason then
        table.insert(refused, nonce)
        table.insert(refused, reason)
      else
        if kind ~= 'end' then taken = taken + 1 end
        total, next_position = total + bytes, next_position + 1
        redis.call(
          'XADD', keys[1], id(next_position), 'n', nonce, 't', string.format('%.0f', ms),
          'e', content, 'b', string.format('%.0f', total)
        )
        if kind == 'request' then requests = requests + 1 end
        if text ~= '' then
          add_text(world, text, next_position)
          redis.call('ZREM', '${PUTS}', text .. ' ' .. world)
        end
      end
    end
  end
  if next_position > last_position then
    redis.call(
      'HSET', keys[2], 'position', next_position, 'requests', tonumber(state.requests) + requests, 'second', second,
      'taken', taken
    )
  end
  if is_new_second or last_position == 0 then keep_alive(keys, state) end
  return {
    'ok', ms, flat(unseen), refused, log_bytes(total, tonumber(state.trimmed_bytes or '0')),
    tonumber(state.texts_bytes or '0'), maximum
  }
end

-- Returns the time and the entries after a position, as append does without new entries. Also works if nothing can be written.
local function read(keys, args)
  local position, state = tonumber(args[1]), state_of(keys)
  local why = refusal(keys, state, position, args[2])
  if why then return why end
  local _, last_ms = last(keys, state)
  return { 'ok', math.max(now(), last_ms), flat(after(keys[1], position)), {} }
end

-- keys: log, hash, snapshot. Returns the data from which a replica loads the world.
local function open(keys)
  local state = state_of(keys)
  local why = closed(keys, state)
  if why then return why end
  local position = tonumber(state.snapshot_position or '0')
  local nonce, begin_ms = held(keys, position)
  local entries = after(keys[1], position)
  if not nonce or #entries ~= state.position - position then return { 'damaged', keys[1] .. ' lacks entries' } end
  local _, last_ms = last(keys, state)
  return {
    'ok', math.max(now(), last_ms), tonumber(state.format), redis.call('HGET', keys[2], 'creation'), position, nonce,
    begin_ms, state.snapshot_position and redis.call('GET', keys[3]), flat(entries)
  }
end

-- keys: log, hash, snapshot. args: the key of a text that a replica of the world has not found. Records the key until the next
-- snapshot.
local function lack(keys, args)
  if redis.call('EXISTS', keys[2]) == 0 then return { 'missing' } end
  redis.call('HSET', keys[2], 'lacks', args[1])
  return closed(keys, state_of(keys)) or { 'ok' }
end

-- keys: log, hash, snapshot. args: nonce, creation, maximum idle time in ms or '', 1 for an isolated world; the digest of the seed,
-- and the seed or '' (enough if Redis has the seed). Returns the creation in force.
local function create(keys, args)
  local nonce, creation, idle_ms, is_isolated, seed, packed = unpack(args)
  local existing = redis.call('HGET', keys[2], 'creation')
  if existing then return { 'exists', existing } end
  -- Removes the remains of a world whose hash was lost.
  drop_world(world_of(keys))
  local added = kept_bytes(seed, packed)
  if not added then return { 'absent' } end
  local bytes = CREATION_BYTES + #creation + added
  local why = fullness(0, bytes)
  if why then return { why, maximum_bytes() } end
  if packed ~= '' then redis.call('SET', '${BLOB}' .. seed, packed) end
  local time = string.format('%.0f', now())
  redis.call(
    'HSET', keys[2], 'format', FORMAT, 'creation', creation, 'nonce', nonce, 'time', time, 'requests', 0,
    'position', 0, 'creation_bytes', bytes
  )
  if idle_ms ~= '' then redis.call('HSET', keys[2], 'idle_ms', idle_ms) end
  add_text(world_of(keys), seed, 0)
  if is_isolated == '1' then redis.call('ZADD', '${WORLDS}', time, world_of(keys)) end
  keep_alive(keys, state_of(keys))
  return { 'ok', creation }
end

-- Drops the entries before a position, and the texts that only these entries needed. Returns the bytes of the remaining log and of
-- the texts of its entries.
local function trim(keys, position)
  redis.call('XTRIM', keys[1], 'MINID', id(math.max(position, 1)))
  local first = redis.call('XRANGE', keys[1], '-', '+', 'COUNT', 1)[1]
  local trimmed = first and tonumber(first[2][8]) - entry_bytes(first[2][2], first[2][6]) or 0
  redis.call('HSET', keys[2], 'trimmed_bytes', string.format('%.0f', trimmed))
  local _, _, total = last(keys, {})
  return log_bytes(total, trimmed) + drop_unneeded(keys)
end

-- keys: log, hash, snapshot. args: position, its nonce, the snapshot, and the digests of the texts that the snapshot needs. Makes
-- the snapshot the current one, and drops data that is no longer needed. Does nothing if the current snapshot has a later
-- position, or the same position and format.
local function commit(keys, args)
  local position, state = tonumber(args[1]), state_of(keys)
  local why = refusal(keys, state, position, args[2])
  if why then return why end
  local current = tonumber(state.snapshot_position or '0')
  if current > position or (current == position and tonumber(state.format) == FORMAT) then return { 'late' } end
  redis.call('SET', keys[3], args[3])
  redis.call(
    'HSET', keys[2], 'snapshot_position', position, 'format', FORMAT, 'snapshot_bytes', string_bytes(#args[3]),
    'snapshot_texts', table.concat(args, ' ', 4)
  )
  redis.call('HDEL', keys[2], 'lacks')
  if trim(keys, position - ${KEPT_ENTRIES}) > maximum_bytes() * ${KEPT_SHARE} then trim(keys, position) end
  keep_alive(keys, state)
  return { 'ok' }
end

-- keys: log, hash, snapshot. Returns the creation, and 1 if the world has expired.
local function describe(keys)
  local state = state_of(keys)
  if not state.format then return { 'missing' } end
  return { 'ok', redis.call('HGET', keys[2], 'creation'), is_expired(state) and 1 or 0 }
end
${LIST_CODE}${PARTNER_CODE}${LOAD_CODE}`
}

/**
 * Flags for Redis: `allow-oom` lets a function run when memory is full; `no-writes` lets it run also when nothing can
 * be written.
 */
const FLAGS = {
  append: [],
  read: ['no-writes'],
  open: ['no-writes'],
  lack: ['allow-oom'],
  create: [],
  commit: ['allow-oom'],
  describe: ['no-writes'],
  ...TEXT_FLAGS,
  ...LIST_FLAGS,
  ...PARTNER_FLAGS,
  ...LOAD_FLAGS,
} as const satisfies Record<string, readonly string[]>

export type LogFunctionName = keyof typeof FLAGS

/**
 * The functions of one log format as a Redis library. The name of the library contains a hash of its code, so that
 * versions do not collide.
 */
export type LogFunctions = ReturnType<typeof createLogFunctions>

export function createLogFunctions(format: number = LOG_FORMAT) {
  const code = codeOf(format)
  const hash = createHash('sha256').update(code).digest('hex').slice(0, 8)
  const library = `seo_sandbox_${format}_${hash}`
  const registered = Object.entries(FLAGS).map(([name, flags]) => {
    const list = flags.map((flag) => `'${flag}'`).join(', ')
    return `redis.register_function({ function_name = '${library}_${name}', callback = ${name}, flags = { ${list} } })`
  })
  return {
    code: `#!lua name=${library}\n${code}${registered.join('\n')}\n`,
    /** Returns a function's name in Redis. It begins with the library's name, because all libraries share one namespace. */
    nameOf: (name: LogFunctionName): string => `${library}_${name}`,
    isReadOnly: (name: LogFunctionName): boolean =>
      FLAGS[name].some((flag) => flag === 'no-writes'),
  }
}
