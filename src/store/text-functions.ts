import { DEFAULT_WORLD } from '../world/worlds.ts'
import {
  BLOB,
  FAILED_PARTNERS,
  LIMITS_KEY,
  PARTNER_NAMES,
  PARTNERS,
  PARTNERS_BY_NAME,
  PREFIX,
  PUTS,
  SWEPT,
  WORLDS,
} from './store-keys.ts'
import { DEFAULT_LIMITS } from './store-options.ts'

/** Time after which a text may be dropped if its entry has not been appended. */
const PENDING_TEXT_MS = 60_000

/** Share of Redis's `maxmemory` beyond which a store accepts only API requests and removals. */
export const FULL_SHARE = 0.8

/**
 * Redis functions that count the bytes of a world and drop data that it does not need, each atomic. A sorted set beside
 * the world holds the digest of each text with the position of the last entry that needs it, and does not expire.
 * The creation and the snapshot need the texts that they name. A text whose entry is not appended yet is kept for a
 * minute. A text is dropped with the last world that needs it.
 *
 * Byte counts are within a fifth of MEMORY USAGE: Redis allocates a sixteenth more than the length of a string, and a
 * fifth more for an entry. The hash of the world has creation_bytes (with the text of the creation), texts_bytes (all
 * other texts), snapshot_bytes, and trimmed_bytes (the running total at the beginning of the log).
 */
export const TEXT_CODE = `
-- Approximate size of the hashes of a world and of its partner, in bytes.
local CREATION_BYTES = 2200

local function world_of(keys)
  return string.match(keys[1], '{(.*)}')
end

local function key_of(world, name)
  return '${PREFIX}{' .. world .. '}:' .. name
end

local function string_bytes(length)
  return math.floor(length * 17 / 16) + 130
end

local function entry_bytes(nonce, content)
  return math.floor((#nonce + #content) * 6 / 5) + 45
end

-- Returns the bytes of a text and its entries in sets.
local function text_bytes(digest)
  return string_bytes(redis.call('STRLEN', '${BLOB}' .. digest)) + 370
end

-- Returns the bytes of a log from its running total. Redis reserves 4 kB for the first entry.
local function log_bytes(total, trimmed)
  return total > trimmed and math.max(4700, total - trimmed + 1500) or 0
end

-- Returns the bytes of a world from the running total of its log.
local function bytes_of(state, total)
  local bytes = log_bytes(total, tonumber(state.trimmed_bytes or '0'))
  for _, name in ipairs({ 'creation_bytes', 'texts_bytes', 'snapshot_bytes' }) do
    bytes = bytes + tonumber(state[name] or '0')
  end
  return bytes
end

local function add_text(world, digest, position)
  local is_new = redis.call('ZADD', key_of(world, 'texts'), 'GT', position, digest) == 1
  if is_new then redis.call('SADD', '${BLOB}' .. digest .. ':worlds', world) end
  return is_new
end

-- Removes a text from those that the world needs. Returns the bytes of the text.
local function remove_text(world, digest)
  local bytes, blob = text_bytes(digest), '${BLOB}' .. digest
  redis.call('ZREM', key_of(world, 'texts'), digest)
  redis.call('ZREM', '${PUTS}', digest .. ' ' .. world)
  redis.call('SREM', blob .. ':worlds', world)
  if redis.call('EXISTS', blob .. ':worlds') == 0 then redis.call('UNLINK', blob) end
  return bytes
end

-- Drops the texts that neither the creation, the snapshot, an entry nor a put needs. Returns the bytes of the texts that only
-- entries need.
local function drop_unneeded(keys)
  local world, needed, freed, of_entries = world_of(keys), {}, 0, 0
  local found = redis.call('HMGET', keys[2], 'creation', 'snapshot_texts')
  needed[cjson.decode(found[1]).seed] = true
  for digest in string.gmatch(found[2] or '', '%S+') do needed[digest] = true end
  local first = redis.call('XRANGE', keys[1], '-', '+', 'COUNT', 1)[1]
  local first_position = first and position_of(first) or math.huge
  local texts = redis.call('ZRANGE', key_of(world, 'texts'), 0, -1, 'WITHSCORES')
  for at = 1, #texts, 2 do
    local digest = texts[at]
    if not needed[digest] and not redis.call('ZSCORE', '${PUTS}', digest .. ' ' .. world) then
      if tonumber(texts[at + 1]) >= first_position then
        of_entries = of_entries + text_bytes(digest)
      else
        freed = freed + remove_text(world, digest)
      end
    end
  end
  if freed > 0 then redis.call('HINCRBY', keys[2], 'texts_bytes', -freed) end
  return of_entries
end

local function maximum_bytes()
  local limits = redis.call('GET', '${LIMITS_KEY}')
  return limits and cjson.decode(limits).bytes or ${DEFAULT_LIMITS.bytes}
end

-- Returns the reason why a world of this size cannot grow by the added bytes; nil if it can.
local function fullness(bytes, added)
  if bytes + added > maximum_bytes() then return 'world_full' end
  local memory = redis.call('INFO', 'memory')
  local maximum = tonumber(string.match(memory, 'maxmemory:(%d+)'))
  if maximum > 0 and tonumber(string.match(memory, 'used_memory:(%d+)')) + added > maximum * ${FULL_SHARE} then
    return 'store_full'
  end
end

-- Returns the bytes of a text to keep; nil if the caller must send the text.
local function kept_bytes(digest, packed)
  if redis.call('EXISTS', '${BLOB}' .. digest) == 1 then return text_bytes(digest) end
  return packed ~= '' and string_bytes(#packed) + 370 or nil
end

-- keys: log, hash, snapshot. args: a digest, and its text or '' (enough if Redis has the text).
-- Keeps a text for an entry that is appended within a minute.
local function put(keys, args)
  local digest, packed = unpack(args)
  local state = state_of(keys)
  if not state.format then return { 'missing' } end
  if is_expired(state) then return { 'expired' } end
  local world, added = world_of(keys), kept_bytes(digest, packed)
  if not added then return { 'absent' } end
  if redis.call('ZSCORE', key_of(world, 'texts'), digest) then added = 0 end
  local _, _, total = last(keys, state)
  local why = fullness(bytes_of(state, total), added)
  if why then return { why, maximum_bytes() } end
  if packed ~= '' then redis.call('SET', '${BLOB}' .. digest, packed) end
  if add_text(world, digest, 0) then redis.call('HINCRBY', keys[2], 'texts_bytes', added) end
  redis.call('ZADD', '${PUTS}', now(), digest .. ' ' .. world)
  return { 'ok' }
end

local function drop_world(world)
  for _, digest in ipairs(redis.call('ZRANGE', key_of(world, 'texts'), 0, -1)) do remove_text(world, digest) end
  for _, name in ipairs({ 'log', 'world', 'snapshot', 'texts', 'loads', 'partner' }) do
    redis.call('UNLINK', key_of(world, name))
  end
  redis.call('ZREM', '${WORLDS}', world)
  redis.call('ZREM', '${PARTNERS}', world)
  redis.call('ZREM', '${FAILED_PARTNERS}', world)
  local name = redis.call('HGET', '${PARTNER_NAMES}', world)
  if name then redis.call('ZREM', '${PARTNERS_BY_NAME}', name .. '\\n' .. world) end
  redis.call('HDEL', '${PARTNER_NAMES}', world)
end

-- keys: log, hash, snapshot. args: a list that must contain the world. Removes all data of the world.
local function drop(keys, args)
  local world = world_of(keys)
  if not redis.call('ZSCORE', args[1], world) then return { 'missing' } end
  drop_world(world)
  return { 'ok' }
end

-- Drops the texts whose entries were not appended within a minute, and returns the ids of all worlds. Does nothing if a server did
-- so within the last minute.
local function begin_sweep()
  if not redis.call('SET', '${SWEPT}', 1, 'NX', 'PX', ${PENDING_TEXT_MS}) then return { 'late' } end
  local late = redis.call('ZRANGE', '${PUTS}', '-inf', now() - ${PENDING_TEXT_MS}, 'BYSCORE')
  for _, put in ipairs(late) do
    local world = string.match(put, ' (.*)')
    redis.call('ZREM', '${PUTS}', put)
    local keys = { key_of(world, 'log'), key_of(world, 'world') }
    if redis.call('EXISTS', keys[2]) == 1 then drop_unneeded(keys) end
  end
  local worlds = redis.call('ZUNION', 2, '${WORLDS}', '${PARTNERS}')
  table.insert(worlds, '${DEFAULT_WORLD}')
  return { 'ok', worlds }
end

-- args: ids of worlds. Returns the bytes of each world.
local function sizes(_, args)
  local bytes = {}
  for at, world in ipairs(args) do
    local keys = { key_of(world, 'log'), key_of(world, 'world') }
    local state = state_of(keys)
    local _, _, total = last(keys, state)
    bytes[at] = bytes_of(state, total)
  end
  return bytes
end

-- args: ids of worlds. Removes the remaining data of those whose hash Redis has removed.
local function sweep(_, args)
  for _, world in ipairs(args) do
    if redis.call('EXISTS', key_of(world, 'world')) == 0 then drop_world(world) end
  end
  return { 'ok' }
end
`

export const TEXT_FLAGS = {
  put: [],
  drop: ['allow-oom'],
  begin_sweep: ['allow-oom'],
  sweep: ['allow-oom'],
  sizes: ['no-writes'],
} as const
