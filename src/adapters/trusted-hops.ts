import { option, toBoolean, toInteger } from '../world/options/parse-option.ts'

const MAXIMUM_HOPS = 100

/** Number of trusted proxies in front of the server; true means 1. */
export const TrustedHops = option<number, number | boolean>(
  (input) => toInteger(input, MAXIMUM_HOPS) ?? toCount(toBoolean(input)),
  { noun: 'a number of proxies', remedy: `use 0 to ${MAXIMUM_HOPS}` },
)

function toCount(isOn: boolean | undefined): number | undefined {
  return isOn === undefined ? undefined : Number(isOn)
}
