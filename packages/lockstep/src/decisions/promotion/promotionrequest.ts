/** `lockstep.dev/request.<environment>: <id>[=<revision>]`: somebody asks for a promotion, once for each id. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { type PromotionObject, pipelineRef } from './promotionref.ts'

export const REQUEST_PREFIX = 'lockstep.dev/request.'

export interface PromotionRequest {
  readonly id: string
  /** Undefined: what is settled where revisions come from. */
  readonly revision: string | undefined
}

/** Like a label's value, so that it can stand in names and messages. */
const ID = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,251}[A-Za-z0-9])?$/

/** What a pipeline's annotations ask for in an environment; the problem is for people. Undefined: nothing. */
export function promotionRequestOf(
  annotations: Readonly<Record<string, string>> | undefined,
  environment: string,
): Result<PromotionRequest | undefined, string> {
  const key = `${REQUEST_PREFIX}${environment}`
  const text = annotations?.[key]
  if (text === undefined) return ok(undefined)
  const at = text.indexOf('=')
  const id = at < 0 ? text : text.slice(0, at)
  const revision = at < 0 ? undefined : text.slice(at + 1)
  const problem = idProblem(id)
  if (problem !== undefined) return err(`${problem}, such as r1 or r1=6.0.1`)
  if (revision === '') return err('no revision after =; write r1=6.0.1, or r1 for the settled revision')
  return ok({ id, revision })
}

/** Why this cannot be the id of a request, and what could; for people. */
export const idProblem = (id: string): string | undefined =>
  ID.test(id) ? undefined : `"${id}" is no id; write letters, digits, -, _ and .`

export const requestText = ({ id, revision }: PromotionRequest): string =>
  revision === undefined ? id : `${id}=${revision}`

/** A request for a promotion that cannot be created. `problem`: of its annotation. */
export const invalidRequest = (pipeline: PromotionObject, environment: string, problem: string): NewBlocker =>
  blocked('InvalidAnnotation', [pipelineRef(pipeline)], {
    object: `Pipeline ${pipeline.name}`,
    key: `${REQUEST_PREFIX}${environment}`,
    problem,
  })
