import { PARTNER_NAMES, PARTNERS, PARTNERS_BY_NAME } from './store-keys.ts'

/**
 * What Redis does at once for partners, with the functions of logs in one library. A partner is a hash beside the world: grace,
 * claim (the digest of the code of a link, until it is claimed), and a field `key:DIGEST` for each key.
 * The world has expires_ms and gone_ms, when Redis removes everything: by the clock of Redis, as everything here.
 */
export const PARTNER_CODE = `
local function keep_until(keys, expires_ms, gone_ms)
  redis.call('HSET', keys[2], 'expires_ms', expires_ms, 'gone_ms', gone_ms)
  for _, key in ipairs(keys) do redis.call('PEXPIREAT', key, gone_ms) end
end

-- keys: log, hash, snapshot, partner. args: name, when created, grace, digests of key and claim, expires, gone, and those of
-- create.
local function invite(keys, args)
  local name, created_ms, grace, key, claim, expires_ms, gone_ms = unpack(args, 1, 7)
  local created = create(keys, { unpack(args, 8) })
  if created[1] ~= 'ok' then return created end
  local world = world_of(keys)
  redis.call('HSET', keys[4], 'grace', grace, 'claim', claim, 'key:' .. key, 1)
  redis.call('ZADD', '${PARTNERS}', created_ms, world)
  redis.call('HSET', '${PARTNER_NAMES}', world, name)
  redis.call('ZADD', '${PARTNERS_BY_NAME}', 0, name .. '\\n' .. world)
  keep_until(keys, expires_ms, gone_ms)
  return created
end

-- keys: log, hash, snapshot, partner. args: grace, expires, gone, and the digest of a new claim or ''.
local function renew(keys, args)
  if redis.call('EXISTS', keys[2], keys[4]) < 2 then return { 'missing' } end
  redis.call('HSET', keys[4], 'grace', args[1])
  if args[4] ~= '' then redis.call('HSET', keys[4], 'claim', args[4]) end
  keep_until(keys, args[2], args[3])
  return { 'ok' }
end

-- keys: log, hash, snapshot, partner. args: digests of the claim, and of a key that is valid from now on.
local function claim(keys, args)
  if is_expired(state_of(keys)) then return { 'missing' } end
  -- Sent once more, because its answer was lost.
  if redis.call('HEXISTS', keys[4], 'key:' .. args[2]) == 0 then
    if redis.call('HGET', keys[4], 'claim') ~= args[1] then return { 'missing' } end
    redis.call('HDEL', keys[4], 'claim')
    redis.call('HSET', keys[4], 'key:' .. args[2], 1)
  end
  return { 'ok', redis.call('HGET', keys[2], 'expires_ms') }
end

-- keys: log, hash, snapshot, partner. args: the digest of a key. Returns whether it opens the world.
local function check_key(keys, args)
  if redis.call('HEXISTS', keys[4], 'key:' .. args[1]) == 0 then return { 'missing' } end
  return { is_expired(state_of(keys)) and 'expired' or 'ok' }
end
`

export const PARTNER_FLAGS = {
  invite: [],
  renew: [],
  claim: [],
  check_key: ['no-writes'],
} as const
