import { FAILED_PARTNERS, PARTNER_NAMES, PARTNERS, PARTNERS_BY_NAME } from './store-keys.ts'

/** How many keys a world may have at a time. */
export const MAXIMUM_KEYS = 10

/** The use of a key is noted at most once in this time. */
const NOTED_MS = 60_000

/**
 * What Redis does in one step for partners; in one library with the functions of logs. A partner is a hash beside the world: grace,
 * claim (the digest of the code of a link, until it is claimed), claimed (the digest of the last code that was), review (a summary, as
 * JSON) with the position that it goes up to, and a field `key:DIGEST` for each key: when it was made and, to the minute, last used.
 * The world has expires_ms, and gone_ms, when Redis removes everything. All times are by the clock of Redis.
 */
export const PARTNER_CODE = `
-- Makes a key valid from now on, unless the world has as many as it may. Returns whether the key is valid, which it is already
-- where the call is repeated because the reply was lost.
local function add_key(partner, digest)
  local fields, count = redis.call('HKEYS', partner), 0
  for _, field in ipairs(fields) do
    if field == 'key:' .. digest then return true end
    if string.find(field, '^key:') then count = count + 1 end
  end
  if count >= ${MAXIMUM_KEYS} then return false end
  redis.call('HSET', partner, 'key:' .. digest, string.format('%.0f', now()))
  return true
end

-- The other world of a partner with a name, which may have expired; nil where there is none.
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

-- keys: log, hash, snapshot, partner. args: name, when created, grace, digests of key and claim, expires, gone, and those of
-- create.
local function invite(keys, args)
  local name, created_ms, grace, key, claim, expires_ms, gone_ms = unpack(args, 1, 7)
  local other = namesake(name, world_of(keys))
  if other then return { 'name_taken', other } end
  local created = create(keys, { unpack(args, 8) })
  if created[1] ~= 'ok' then return created end
  local world = world_of(keys)
  redis.call('HSET', keys[4], 'grace', grace, 'claim', claim)
  add_key(keys[4], key)
  redis.call('ZADD', '${PARTNERS}', created_ms, world)
  redis.call('HSET', '${PARTNER_NAMES}', world, name)
  redis.call('ZADD', '${PARTNERS_BY_NAME}', 0, name .. '\\n' .. world)
  keep_until(keys, expires_ms, gone_ms)
  return created
end

-- keys: log, hash, snapshot, partner. args: grace, expires, gone.
local function renew(keys, args)
  if redis.call('EXISTS', keys[2], keys[4]) < 2 then return { 'missing' } end
  redis.call('HSET', keys[4], 'grace', args[1])
  keep_until(keys, args[2], args[3])
  return { 'ok' }
end

-- keys: log, hash, snapshot, partner. args: the digest of the claim of a new link, which replaces the last one.
local function create_link(keys, args)
  local state = state_of(keys)
  if not state.format or redis.call('EXISTS', keys[4]) == 0 then return { 'missing' } end
  if is_expired(state) then return { 'expired' } end
  redis.call('HSET', keys[4], 'claim', args[1])
  return { 'ok' }
end

-- keys: log, hash, snapshot, partner. args: digests of the claim, and of a key that is valid from now on. Only those who have the
-- code of a link are told that it was used, or that its world has expired.
local function claim(keys, args)
  local open, used = unpack(redis.call('HMGET', keys[4], 'claim', 'claimed'))
  -- The call is repeated because the reply was lost.
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

-- keys: log, hash, snapshot, partner. args: up to which position, the summary, and 1 where the client fails. Keeps what the review of
-- the client says, where the world is a partner's.
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

-- keys: log, hash, snapshot, partner. args: the digest of a key that is valid from now on.
local function create_key(keys, args)
  if redis.call('EXISTS', keys[2], keys[4]) < 2 then return { 'missing' } end
  return { add_key(keys[4], args[1]) and 'ok' or 'too_many_keys' }
end

-- keys: log, hash, snapshot, partner. args: the digest of a key. Returns whether it opens the world, and whether its use should
-- be noted.
local function check_key(keys, args)
  local made = redis.call('HGET', keys[4], 'key:' .. args[1])
  if not made then return { 'missing' } end
  local used_ms = tonumber(string.match(made, ' (%d+)') or '0')
  return { is_expired(state_of(keys)) and 'expired' or 'ok', now() - used_ms >= ${NOTED_MS} and 1 or 0 }
end

-- keys: log, hash, snapshot, partner. args: the digest of a key. Notes that it is used now.
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
