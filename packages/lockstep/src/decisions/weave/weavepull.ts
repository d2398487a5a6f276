/**
 * Pull requests of weaveworks' pipeline-controller (`server/strategy/pullrequest/pullrequest.go`): one branch for all revisions
 * of an environment, and a body that says whose it is.
 */

export interface WeaveEnvironment {
  readonly namespace: string
  readonly pipeline: string
  readonly environment: string
}

/** `a-b` of `c` and `a` of `b-c` have the same: the body tells them apart. */
export const weaveBranch = ({ namespace, pipeline, environment }: WeaveEnvironment): string =>
  `promotion-${namespace}-${pipeline}-${environment}`

/** On a line of its own. People may have written around it; "do not edit" stands above it. */
export function isWeavePull(
  { head, body }: { readonly head: string; readonly body: string },
  place: WeaveEnvironment,
): boolean {
  const mark = `${place.namespace}/${place.pipeline}/${place.environment}`
  return head === weaveBranch(place) && body.split('\n').some((line) => line.trim() === mark)
}
