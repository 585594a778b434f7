import { errorResponse } from '../control-error.ts'
import type { ControlContext, ControlledStore, ControlResponse } from './route.ts'

export const NO_STORE =
  'This needs a store, which keeps worlds for several servers. Start the server with --store.'

/** Answers from the store, where there is one. */
export function withStore(
  { store }: ControlContext,
  answer: (store: ControlledStore) => ControlResponse | Promise<ControlResponse>,
): ControlResponse | Promise<ControlResponse> {
  return store ? answer(store) : errorResponse(422, 'store_required', NO_STORE)
}
