import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import { applyFaults } from './faults/apply-faults.ts'
import type { WorldState } from './world-state.ts'

/** The API's response to a request, with the faults that are due. `context` is what its engine has identified. */
export function answerRequest(
  request: ApiRequest,
  { clock, engine, faults }: Pick<WorldState, 'clock' | 'engine' | 'faults'>,
  context = engine.identify(request),
): ApiResponse {
  if (faults.isEmpty) return engine.answer(request, context)
  const { route, token, policies: identifiedBy } = context
  const operation = route?.operation
  const due = faults.take({ operation, project: route?.project ?? undefined, token: token?.id })
  return applyFaults(due, {
    operation,
    rateMs: clock.rateMs(),
    identifiedBy,
    answer: () => engine.answer(request, context),
    reject: (problem) => engine.reject(request, context, problem),
  })
}
