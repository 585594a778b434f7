import { createHash } from 'node:crypto'
import { LOAD_CODE, LOAD_FLAGS } from './load-functions.ts'
import { PARTNER_CODE, PARTNER_FLAGS } from './partner-functions.ts'

/**
 * The format of logs and snapshots. Once there is a release, it grows with every change after which the same log leads to
 * another state of the world, or after which an earlier release cannot read what is written: test/store/recorded-logs.test.ts
 * fails then. What a review remembers has a version of its own (`Reviewer.version`).
 */
export const LOG_FORMAT = 1

/** How many entries before its snapshot a log keeps, for replicas that are a little behind. */
const KEPT_ENTRIES = 100

/**
 * What Redis does at once (docs/decisions/0024-the-log-of-a-world-in-redis.md). The keys of a world are its log (a stream
 * with the ids 1-0, 2-0, …; fields n: nonce, t: time in ms, e: what was sent), its hash (format, creation with its nonce
 * and time, requests, idle_ms, position of the last entry, snapshot_position, lacks; of a partner's world expires_ms and gone_ms), its snapshot, and the loads
 * that are under way. Position 0 is the creation. It has no entry, because Redis reserves 4 kB for the first one.
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

-- The nonce and the time of a position; nil where the log doesn't hold it.
local function held(keys, position)
  if position > 0 then
    local entry = redis.call('XRANGE', keys[1], id(position), id(position))[1]
    if entry then return entry[2][2], entry[2][4] end
  else
    local first = redis.call('XRANGE', keys[1], '-', '+', 'COUNT', 1)[1]
    if not first or position_of(first) == 1 then return unpack(redis.call('HMGET', keys[2], 'nonce', 'time')) end
  end
end

-- The last position, and its time.
local function last(keys)
  local entry = redis.call('XREVRANGE', keys[1], '+', '-', 'COUNT', 1)[1]
  if entry then return position_of(entry), tonumber(entry[2][4]) end
  return 0, tonumber(redis.call('HGET', keys[2], 'time'))
end

local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- What was lost of a world beside its hash; nil where nothing was.
local function damage(keys, last_position, snapshot_position, lacks)
  if snapshot_position > 0 and redis.call('EXISTS', keys[3]) == 0 then return keys[3] .. ' is missing' end
  if redis.call('XLEN', keys[1]) < last_position - math.max(snapshot_position, 1) + 1 then return keys[1] .. ' lacks entries' end
  if lacks and redis.call('EXISTS', lacks) == 0 then return lacks .. ' is missing' end
end

-- Why nobody can have a world: a status, and what was lost. nil where it is whole.
local function closed(keys)
  local found = redis.call('HMGET', keys[2], 'format', 'position', 'snapshot_position', 'lacks')
  if not found[1] then return { 'missing' } end
  if tonumber(found[1]) > FORMAT then return { 'newer' } end
  local lost = damage(keys, tonumber(found[2]), tonumber(found[3] or '0'), found[4])
  if lost then return { 'damaged', lost } end
end

-- The same of a replica that continues from a position.
local function refusal(keys, position, nonce)
  local why = closed(keys)
  if why then return why end
  if held(keys, position) ~= nonce then return { 'lost' } end
end

local function after(log, position)
  return redis.call('XRANGE', log, '(' .. id(position), '+')
end

-- Nonce, time and content of each entry.
local function flat(entries)
  local values = {}
  for _, entry in ipairs(entries) do
    for _, field in ipairs({ 2, 4, 6 }) do table.insert(values, entry[2][field]) end
  end
  return values
end

local function keep_alive(keys)
  local idle_ms, gone_ms = unpack(redis.call('HMGET', keys[2], 'idle_ms', 'gone_ms'))
  for _, key in ipairs(keys) do
    if gone_ms then
      redis.call('PEXPIREAT', key, gone_ms)
    elseif idle_ms then
      redis.call('PEXPIRE', key, idle_ms)
    end
  end
end

local function is_expired(world)
  local expires_ms = redis.call('HGET', world, 'expires_ms')
  return expires_ms and now() >= tonumber(expires_ms)
end

-- The second that it is, and how many entries were taken in it.
local function taken_now(world, limit)
  if not limit then return nil, 0 end
  local second = string.format('%.0f', math.floor(now() / 1000))
  local counted = redis.call('HMGET', world, 'second', 'taken')
  return second, counted[1] == second and tonumber(counted[2]) or 0
end

-- keys: log, hash, snapshot. args: position, its nonce, how many entries a second are taken or ''; nonce, kind and content of
-- each new entry.
-- Returns the time, all entries after the position except the new ones, and the nonces of new ones that are refused, each
-- with the reason.
local function append(keys, args)
  local position = tonumber(args[1])
  local why = refusal(keys, position, args[2])
  if why then return why end
  local unseen = after(keys[1], position)
  local known = {}
  for _, entry in ipairs(unseen) do known[entry[2][2]] = true end
  local last_position, last_ms = last(keys)
  local next_position, ms = last_position, math.max(now(), last_ms)
  local requests, refused = 0, {}
  local expired, limit = is_expired(keys[2]), tonumber(args[3])
  local second, taken = taken_now(keys[2], limit)
  for arg = 4, #args, 3 do
    if known[args[arg]] then
      -- Sent once more.
    elseif expired or (limit and taken >= limit) then
      table.insert(refused, args[arg])
      table.insert(refused, expired and 'expired' or 'too_many_requests')
    else
      taken = taken + 1
      next_position = next_position + 1
      redis.call('XADD', keys[1], id(next_position), 'n', args[arg], 't', string.format('%.0f', ms), 'e', args[arg + 2])
      if args[arg + 1] == 'request' then requests = requests + 1 end
    end
  end
  if requests > 0 then redis.call('HINCRBY', keys[2], 'requests', requests) end
  if next_position > last_position then
    redis.call('HSET', keys[2], 'position', next_position, unpack(limit and { 'second', second, 'taken', taken } or {}))
  end
  keep_alive(keys)
  return { 'ok', ms, flat(unseen), refused }
end

-- The same without new entries, which also works where nothing can be written.
local function read(keys, args)
  local position = tonumber(args[1])
  local why = refusal(keys, position, args[2])
  if why then return why end
  local _, last_ms = last(keys)
  return { 'ok', math.max(now(), last_ms), flat(after(keys[1], position)), {} }
end

-- keys: log, hash, snapshot. Returns what a replica needs to load the world.
local function open(keys)
  local why = closed(keys)
  if why then return why end
  local found = redis.call('HMGET', keys[2], 'format', 'creation', 'snapshot_position', 'position')
  local position = tonumber(found[3] or '0')
  local nonce, begin_ms = held(keys, position)
  local entries = after(keys[1], position)
  if not nonce or #entries ~= found[4] - position then return { 'damaged', keys[1] .. ' lacks entries' } end
  local _, last_ms = last(keys)
  return {
    'ok', math.max(now(), last_ms), tonumber(found[1]), found[2], position, nonce, begin_ms,
    found[3] and redis.call('GET', keys[3]), flat(entries)
  }
end

-- keys: log, hash, snapshot. args: the key of a text that the world was loaded from, which a replica has not found.
local function lack(keys, args)
  if redis.call('EXISTS', keys[2]) == 0 then return { 'missing' } end
  redis.call('HSET', keys[2], 'lacks', args[1])
  return closed(keys) or { 'ok' }
end

-- keys: log, hash, snapshot. args: nonce, creation, how long it is kept unused in ms or ''. Returns the creation that holds.
local function create(keys, args)
  local existing = redis.call('HGET', keys[2], 'creation')
  if existing then return { 'exists', existing } end
  local time = string.format('%.0f', now())
  -- What is left of a world whose hash was lost.
  redis.call('UNLINK', keys[1], keys[3])
  redis.call('HSET', keys[2], 'format', FORMAT, 'creation', args[2], 'nonce', args[1], 'time', time, 'requests', 0, 'position', 0)
  if args[3] ~= '' then redis.call('HSET', keys[2], 'idle_ms', args[3]) end
  keep_alive(keys)
  return { 'ok', args[2] }
end

-- keys: log, hash, snapshot. args: position, its nonce, the snapshot. Makes it the current one, and trims the log.
local function commit(keys, args)
  local position = tonumber(args[1])
  local why = refusal(keys, position, args[2])
  if why then return why end
  local found = redis.call('HMGET', keys[2], 'snapshot_position', 'format')
  local current = tonumber(found[1] or '0')
  if current > position or (current == position and tonumber(found[2]) == FORMAT) then return { 'late' } end
  redis.call('SET', keys[3], args[3])
  redis.call('HSET', keys[2], 'snapshot_position', position, 'format', FORMAT)
  redis.call('XTRIM', keys[1], 'MINID', id(math.max(position - ${KEPT_ENTRIES}, 1)))
  keep_alive(keys)
  return { 'ok' }
end

-- keys: log, hash, snapshot. Returns when the last entry is from, the creation, the count of requests, and whether it has
-- expired.
local function describe(keys)
  local found = redis.call('HMGET', keys[2], 'creation', 'requests', 'time')
  if not found[1] then return { 'missing' } end
  local _, used_ms = last(keys)
  return { 'ok', used_ms, found[1], tonumber(found[2]), is_expired(keys[2]) and 1 or 0, found[3] }
end
${PARTNER_CODE}${LOAD_CODE}`
}

/** Each with the flags that Redis goes by: what may run where memory is full, and where nothing can be written. */
const FLAGS = {
  append: [],
  read: ['no-writes'],
  open: ['no-writes'],
  lack: ['allow-oom'],
  create: [],
  commit: ['allow-oom'],
  describe: ['no-writes'],
  ...PARTNER_FLAGS,
  ...LOAD_FLAGS,
} as const satisfies Record<string, readonly string[]>

export type LogFunctionName = keyof typeof FLAGS

/** Functions of a format as a library of Redis, whose name differs from those of any other code. */
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
    /** The name of a function in Redis, where the functions of all libraries share one namespace. */
    nameOf: (name: LogFunctionName): string => `${library}_${name}`,
    isReadOnly: (name: LogFunctionName): boolean =>
      FLAGS[name].some((flag) => flag === 'no-writes'),
  }
}
