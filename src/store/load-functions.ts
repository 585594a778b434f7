import { PREFIX } from './store-keys.ts'

/** A running server has a key of this prefix and its id, which Redis removes after this time without another beat. */
export const SERVER = `${PREFIX}server:`
export const BEAT_SECONDS = 10

/** How many servers may end while they load a world. After that it is loaded once an hour only. */
const MOST_ENDED = 3
const RETRY_SECONDS = 3600

/** How long loads that ended their servers are remembered after the last load. */
const REMEMBERED_SECONDS = 86_400

/**
 * What Redis does in one step for loads; in one library with the functions of logs. The loads under way are in a hash beside the
 * world, each with the second in which it began and the id of its server.
 */
export const LOAD_CODE = `
-- keys: server.
local function beat(keys)
  redis.call('SET', keys[1], 1, 'EX', ${BEAT_SECONDS})
  return { 'ok' }
end

-- The loads whose servers have ended, and when the latest load began. Which servers still run is looked up now, so that
-- a server that was only silent for a while does not count.
local function ended_loads(key)
  local noted, ended, last = redis.call('HGETALL', key), {}, 0
  for at = 1, #noted, 2 do
    local seconds, server = string.match(noted[at + 1], '^(%d+) (.+)$')
    last = math.max(last, tonumber(seconds))
    if redis.call('EXISTS', '${SERVER}' .. server) == 0 then table.insert(ended, noted[at]) end
  end
  return ended, last
end

-- Lets one more load begin.
local function allow(key, ended)
  for at = ${MOST_ENDED}, #ended do redis.call('HDEL', key, ended[at]) end
end

-- keys: loads.
local function allow_load(keys)
  allow(keys[1], ended_loads(keys[1]))
  return { 'ok' }
end

-- keys: loads, server. args: the load, its server. Notes it if it may begin; otherwise returns how many loads have ended their
-- servers. Nothing is noted for a world that does not exist.
local function begin_load(keys, args)
  beat({ keys[2] })
  if redis.call('EXISTS', key_of(world_of(keys), 'world')) == 0 then return { 'ok' } end
  local ended, last = ended_loads(keys[1])
  local seconds = tonumber(redis.call('TIME')[1])
  -- A load that is noted already belongs to a call that is repeated.
  if #ended >= ${MOST_ENDED} and redis.call('HEXISTS', keys[1], args[1]) == 0 then
    if seconds - last < ${RETRY_SECONDS} then return { 'refused', #ended } end
    allow(keys[1], ended)
  end
  redis.call('HSET', keys[1], args[1], seconds .. ' ' .. args[2])
  redis.call('EXPIRE', keys[1], ${REMEMBERED_SECONDS})
  return { 'ok' }
end
`

/** These also run where the memory is full. */
export const LOAD_FLAGS = {
  beat: ['allow-oom'],
  allow_load: ['allow-oom'],
  begin_load: ['allow-oom'],
} as const
