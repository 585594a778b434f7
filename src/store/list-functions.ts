import { PARTNER_NAMES, WORLDS } from './store-keys.ts'

/** What Redis does in one step to list worlds: some at a time, so that no other call waits long. */
export const LIST_CODE = `
-- What a list shows of a world besides its id: what was lost of it, when its last entry is from, how many requests it has
-- had, how many bytes it takes and, of a partner, when it expires and is gone, the grace, whether its link can be claimed, and what
-- its review said.
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

-- Returns how many bytes a world may take and, for each of these worlds that is in a list, its id, when it was listed, the name
-- of its partner, and its summary. Where reading that raises an error, the error is shown as what was lost.
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

-- args: a list, how many, and where the page before ended: a time and an id, or ''. Returns the page, how many worlds the list has,
-- and where the page ends, or '' where it is the last one.
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
