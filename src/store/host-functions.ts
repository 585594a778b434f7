import {
  FAILED_PARTNERS,
  PARTNER_NAMES,
  PARTNERS,
  PARTNERS_BY_NAME,
  WORLDS,
  PREFIX,
} from './store-keys.ts'

/** Maximum number of keys of a world. */
export const MAXIMUM_KEYS = 10

/** Minimum interval between two records of a key's use. */
const NOTE_INTERVAL_MS = 60_000

/**
 * Redis functions for partners, each atomic, in the same library as the functions for logs. All times are by the clock
 * of Redis.
 *
 * A partner is a hash beside its world, with the fields:
 *
 * - grace: period after expiry in which the world can be renewed
 * - claim: digest of the code of a link that has not been claimed
 * - claimed: digest of the last claimed code
 * - review: a summary as JSON
 * - review_position: position of the last reviewed entry
 * - `key:DIGEST` for each key: times of its creation and its last use; a use is recorded at most once a minute
 *
 * The hash of the world also has expires_ms, and gone_ms, the time when Redis removes the log, the snapshot and both
 * hashes.
 */
export const PARTNER_CODE = `
-- Adds a key, created now if no time is given, unless the world has the maximum number of keys. Returns true if the key was added,
-- now or by an earlier attempt at the same call (a call is repeated if its reply is lost).
local function add_key(partner, digest, created_ms)
  local fields, count = redis.call('HKEYS', partner), 0
  for _, field in ipairs(fields) do
    if field == 'key:' .. digest then return true end
    if string.find(field, '^key:') then count = count + 1 end
  end
  if count >= ${MAXIMUM_KEYS} then return false end
  redis.call('HSET', partner, 'key:' .. digest, created_ms or string.format('%.0f', now()))
  return true
end

-- Returns the id of another world whose partner has this name, even of an expired one; nil if there is none.
local function namesake(name, world)
  for _, found in ipairs(redis.call('ZRANGE', '${PARTNERS_BY_NAME}', '[' .. name .. '\\n', '(' .. name .. '\\v', 'BYLEX')) do
    local other = string.sub(found, #name + 2)
    if other ~= world and redis.call('EXISTS', key_of(other, 'world'), key_of(other, 'partner')) > 0 then return other end
  end
end

local function keep_until(keys, expires_ms, gone_ms)
  redis.call('HSET', keys[2], 'expires_ms', expires_ms, 'gone_ms', gone_ms)
  for _, key in ipairs(keys) do redis.call('PEXPIREAT', key, gone_ms) end
end

-- keys: log, hash, snapshot, partner. args: name, creation time, grace, digests of the key and of the code of the link,
-- expires_ms, gone_ms, and the arguments of create.
local function invite(keys, args)
  local name, created_ms, grace, key, claim, expires_ms, gone_ms = unpack(args, 1, 7)
  local other = namesake(name, world_of(keys))
  if other then return { 'name_taken', other } end
  local created = create(keys, { unpack(args, 8) })
  if created[1] ~= 'ok' then return created end
  local world = world_of(keys)
  redis.call('HSET', keys[4], 'grace', grace, 'claim', claim)
  add_key(keys[4], key, created_ms)
  redis.call('ZADD', '${PARTNERS}', created_ms, world)
  redis.call('HSET', '${PARTNER_NAMES}', world, name)
  redis.call('ZADD', '${PARTNERS_BY_NAME}', 0, name .. '\\n' .. world)
  keep_until(keys, expires_ms, gone_ms)
  return created
end

-- keys: log, hash, snapshot, partner. args: grace, expires_ms, gone_ms.
local function renew(keys, args)
  if redis.call('EXISTS', keys[2], keys[4]) < 2 then return { 'missing' } end
  redis.call('HSET', keys[4], 'grace', args[1])
  keep_until(keys, args[2], args[3])
  return { 'ok' }
end

-- keys: log, hash, snapshot, partner. args: digest of the code of a new link, which replaces the last link.
local function create_link(keys, args)
  local state = state_of(keys)
  if not state.format or redis.call('EXISTS', keys[4]) == 0 then return { 'missing' } end
  if is_expired(state) then return { 'expired' } end
  redis.call('HSET', keys[4], 'claim', args[1])
  return { 'ok' }
end

-- keys: log, hash, snapshot, partner. args: digest of the code, digest of the key to add. Only a caller with the code of a link
-- learns that the link was used, or that its world has expired.
local function claim(keys, args)
  local open, used = unpack(redis.call('HMGET', keys[4], 'claim', 'claimed'))
  -- If the key exists, this call is a repetition after a lost reply.
  if redis.call('HEXISTS', keys[4], 'key:' .. args[2]) == 0 then
    local state = state_of(keys)
    if not state.format or (open ~= args[1] and used ~= args[1]) then return { 'missing' } end
    if is_expired(state) then return { 'expired' } end
    if open ~= args[1] then return { 'used' } end
    if not add_key(keys[4], args[2]) then return { 'too_many_keys' } end
    redis.call('HDEL', keys[4], 'claim')
    redis.call('HSET', keys[4], 'claimed', args[1])
  end
  return { 'ok', redis.call('HGET', keys[2], 'expires_ms') }
end

-- keys: log, hash, snapshot, partner. args: last reviewed position, summary, 1 if the client fails. Stores the review of the client
-- if the world is a partner's, unless a later review is stored.
local function note_review(keys, args)
  local world = world_of(keys)
  local listed_ms, position = redis.call('ZSCORE', '${PARTNERS}', world), redis.call('HGET', keys[4], 'review_position')
  if not listed_ms or redis.call('EXISTS', keys[4]) == 0 then return { 'missing' } end
  if position and tonumber(position) > tonumber(args[1]) then return { 'late' } end
  redis.call('HSET', keys[4], 'review_position', args[1], 'review', args[2])
  if args[3] == '1' then
    redis.call('ZADD', '${FAILED_PARTNERS}', listed_ms, world)
  else
    redis.call('ZREM', '${FAILED_PARTNERS}', world)
  end
  return { 'ok' }
end

-- keys: log, hash, snapshot, partner. args: digest of the key to add.
local function create_key(keys, args)
  if redis.call('EXISTS', keys[2], keys[4]) < 2 then return { 'missing' } end
  return { add_key(keys[4], args[1]) and 'ok' or 'too_many_keys' }
end

-- keys: log, hash, snapshot, partner. args: digest of a key. Returns a status, and 1 if the use of the key should be noted.
local function check_key(keys, args)
  local made = redis.call('HGET', keys[4], 'key:' .. args[1])
  if not made then return { 'missing' } end
  local used_ms = tonumber(string.match(made, ' (%d+)') or '0')
  return { is_expired(state_of(keys)) and 'expired' or 'ok', now() - used_ms >= ${NOTE_INTERVAL_MS} and 1 or 0 }
end

-- keys: log, hash, snapshot, partner. args: digest of a key. Records the current time as the last use of the key.
local function note_use(keys, args)
  local field = 'key:' .. args[1]
  local made = redis.call('HGET', keys[4], field)
  if made then redis.call('HSET', keys[4], field, string.format('%s %.0f', string.match(made, '%d+'), now())) end
  return { 'ok' }
end
`

export const PARTNER_FLAGS = {
  invite: [],
  renew: [],
  create_link: [],
  claim: [],
  note_review: ['allow-oom'],
  create_key: [],
  check_key: ['no-writes'],
  note_use: ['allow-oom'],
} as const

/**
 * Redis functions that list worlds, each atomic. A call reads only a few worlds, so that other calls do not wait long.
 */
export const LIST_CODE = `
-- Returns the columns of a world in a list: the lost part or false, the time of the last entry, the number of requests and the
-- size in bytes; for a partner also expires_ms, gone_ms, the grace, 1 if the link can be claimed, and the review.
local function summary(keys, is_partner)
  local state = state_of(keys)
  local grace, claim, review = unpack(redis.call('HMGET', keys[4], 'grace', 'claim', 'review'))
  local lost = not state.format and keys[2] .. ' lacks format' or damage(keys, state)
  if is_partner and not lost then
    if not grace then lost = keys[4] .. ' lacks grace' end
    if not state.expires_ms or not state.gone_ms then lost = keys[2] .. ' lacks expires_ms or gone_ms' end
  end
  local found = { lost or false, false, state.requests, 0, state.expires_ms, state.gone_ms, grace, claim and 1 or 0, review }
  if not lost then
    local _, used_ms, total = last(keys, state)
    found[2], found[4] = used_ms, bytes_of(state, total)
  end
  return found
end

-- Returns the maximum size of a world and, for each of the worlds that is in the list and not gone, its id, the time of its listing,
-- the name of its partner, and its summary. An error while reading a world is returned as its lost part.
local function described(list, worlds)
  local shown = { maximum_bytes() }
  for _, world in ipairs(worlds) do
    local keys, listed_ms = {}, redis.call('ZSCORE', list, world)
    for at, name in ipairs({ 'log', 'world', 'snapshot', 'partner' }) do keys[at] = key_of(world, name) end
    if listed_ms and redis.call('EXISTS', keys[2], keys[4]) > 0 then
      local is_read, found = pcall(summary, keys, list ~= '${WORLDS}')
      if not is_read then found = { tostring(type(found) == 'table' and found.err or found) } end
      table.insert(shown, { world, listed_ms, redis.call('HGET', '${PARTNER_NAMES}', world), unpack(found) })
    end
  end
  return shown
end

-- args: a list, and ids of worlds.
local function describe_worlds(_, args)
  return described(args[1], { unpack(args, 2) })
end

-- args: a list, the maximum number of worlds, and the end of the previous page (a time and an id) or ''. Returns the page, the
-- length of the list, and the end of the page, which is '' for the last page.
local function page(_, args)
  local list, after_ms, after_id = args[1], string.match(args[3], '^(%d+)-(.+)$')
  local total, first = redis.call('ZCARD', list), 0
  if after_ms then
    first = redis.call('ZCOUNT', list, '-inf', '(' .. after_ms)
    for _, id in ipairs(redis.call('ZRANGE', list, after_ms, after_ms, 'BYSCORE')) do
      if id <= after_id then first = first + 1 end
    end
  end
  local ids = redis.call('ZRANGE', list, first, first + args[2] - 1)
  local last_id = first + #ids < total and ids[#ids]
  return { described(list, ids), total, last_id and redis.call('ZSCORE', list, last_id) .. '-' .. last_id or '' }
end
`

export const LIST_FLAGS = {
  describe_worlds: ['no-writes'],
  page: ['no-writes'],
} as const

/**
 * Prefix of the Redis key of a running server. The rest of the key is the id of the server. Redis removes the key after
 * `BEAT_SECONDS` without a beat.
 */
export const SERVER = `${PREFIX}server:`
export const BEAT_SECONDS = 10

/** Once this many loads of a world have crashed their servers, the world is loaded at most once per `RETRY_SECONDS`. */
const MAXIMUM_ENDED = 3
const RETRY_SECONDS = 3600

/** Time after the latest load of a world until Redis forgets the loads that crashed their servers. */
const REMEMBERED_SECONDS = 86_400

/**
 * Redis functions for loads, each atomic, in the same library as the functions for logs. A hash beside the world holds
 * the loads that are under way or crashed their servers, each with the second in which it began and the id of its server.
 */
export const LOAD_CODE = `
-- keys: server.
local function beat(keys)
  redis.call('SET', keys[1], 1, 'EX', ${BEAT_SECONDS})
  return { 'ok' }
end

-- Returns the loads whose servers have ended, and the second in which the latest load began. Looks up the running servers now, so
-- that a server that was silent for a while does not count as ended.
local function ended_loads(key)
  local noted, ended, last = redis.call('HGETALL', key), {}, 0
  for at = 1, #noted, 2 do
    local seconds, server = string.match(noted[at + 1], '^(%d+) (.+)$')
    last = math.max(last, tonumber(seconds))
    if redis.call('EXISTS', '${SERVER}' .. server) == 0 then table.insert(ended, noted[at]) end
  end
  return ended, last
end

-- Forgets ended loads of a world until one more load is allowed.
local function allow(key, ended)
  for at = ${MAXIMUM_ENDED}, #ended do redis.call('HDEL', key, ended[at]) end
end

-- keys: loads.
local function allow_load(keys)
  allow(keys[1], ended_loads(keys[1]))
  return { 'ok' }
end

-- keys: loads, server. args: the load, its server. Notes the load if it may begin; otherwise returns the number of loads that ended
-- their servers. Notes nothing for a world that does not exist.
local function begin_load(keys, args)
  beat({ keys[2] })
  if redis.call('EXISTS', key_of(world_of(keys), 'world')) == 0 then return { 'ok' } end
  local ended, last = ended_loads(keys[1])
  local seconds = tonumber(redis.call('TIME')[1])
  -- If the load is noted already, this call is a repetition after a lost reply.
  if #ended >= ${MAXIMUM_ENDED} and redis.call('HEXISTS', keys[1], args[1]) == 0 then
    if seconds - last < ${RETRY_SECONDS} then return { 'refused', #ended } end
    allow(keys[1], ended)
  end
  redis.call('HSET', keys[1], args[1], seconds .. ' ' .. args[2])
  redis.call('EXPIRE', keys[1], ${REMEMBERED_SECONDS})
  return { 'ok' }
end
`

/** Flags for Redis. All functions for loads also run when the memory of Redis is full. */
export const LOAD_FLAGS = {
  beat: ['allow-oom'],
  allow_load: ['allow-oom'],
  begin_load: ['allow-oom'],
} as const
