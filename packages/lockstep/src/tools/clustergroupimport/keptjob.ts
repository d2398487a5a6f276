/** Why a Job stays a Job where waits take the place of those that only poll. */
import { at, isArray, isObject, isString, type JsonObject, type JsonValue } from '@lockstep/kube/object'
import { WAIT_JOB_MEMBERS, waitLoopOf } from '../../decisions/clustergroup/index.ts'

const HOOK = 'argocd.argoproj.io/hook'
const WAITING = /(?:^|,)\s*(?:PreSync|Sync|PostSync)\s*(?:,|$)/

/** Begins with what it is about: `it is no hook`. */
export function keptJobReason(job: JsonObject): string {
  const hook = at(job, 'metadata', 'annotations', HOOK)
  const containers = at(job, 'spec', 'template', 'spec', 'containers')
  const [container, ...more] = isArray(containers) ? containers : []
  const command = at(container, 'command')
  if (!isString(hook)) return 'it is not a hook of Argo CD'
  if (!WAITING.test(hook)) return `it runs at ${hook}, when nothing is kept open`
  if (container === undefined || more.length > 0) return 'it has not one container'
  if (command === undefined) return 'its image defines its effect'
  if (waitLoopOf(command) === undefined) return 'its command is another one than the loop that only waits'
  const members = [...new Set(strangers(job))]
  return `it has ${members.join(', ')}, which no wait has`
}

/** Members that a wait has no use for. */
function strangers(job: JsonObject): string[] {
  const of = (v: JsonValue | undefined, known: readonly string[]): string[] =>
    isObject(v) ? Object.keys(v).filter((key) => !known.includes(key)) : []
  const template = at(job, 'spec', 'template')
  return [
    ...of(job, WAIT_JOB_MEMBERS.job!),
    ...of(at(job, 'metadata'), WAIT_JOB_MEMBERS.metadata!),
    ...of(at(job, 'spec'), WAIT_JOB_MEMBERS.spec!),
    ...of(template, WAIT_JOB_MEMBERS.template!),
    ...of(at(template, 'metadata'), WAIT_JOB_MEMBERS.podMetadata!),
    ...of(at(template, 'spec'), WAIT_JOB_MEMBERS.pod!),
    ...of(at(template, 'spec', 'containers', 0), WAIT_JOB_MEMBERS.container!),
  ]
}
