/** Jobs that wait: at the wrong time, for nothing in particular, or without rights. */
import { at, isArray, isObject, isString, type JsonValue } from '@lockstep/kube/object'
import { isTruthy, templateText, waitLoopOf, waitLoopOfJob } from '../../decisions/clustergroup/index.ts'
import type { CheckedGroup, GroupCheckRule, UnplacedFinding } from './groupcheckrule.ts'
import type { GroupMember } from './groupmembers.ts'

/** S2: of those that only wait; whoever writes another command may mean it so. */
export const sequenceJobsAtAnotherTime: GroupCheckRule = ({ members }) =>
  members.filter(onlyWaits).flatMap((job): UnplacedFinding[] => {
    const { phase, wave } = job
    const own = members.find((m) => m.path.join() === job.path.slice(0, -1).join())!
    const path = [...job.path, phase === 'Sync' ? 'syncWave' : 'hookType']
    const say = (message: string): UnplacedFinding[] => [{ rule: 'S2', path, message }]
    const early = 'if it waits for the result of that subscription, both wait forever'
    if (phase === 'PreSync') return say(`runs before its subscription exists (PreSync): ${early}`)
    if (phase === 'PostSync') return say('runs after all waves (PostSync), and keeps none of them open')
    return wave.number < own.wave.number
      ? say(`runs in wave ${wave.number}, before its subscription in wave ${own.wave.number}: ${early}`)
      : []
  })

/** S3. */
export const sequenceJobsWithoutObject: GroupCheckRule = ({ members }) =>
  members
    .filter((m) => isSequenceJob(m) && !isTruthy(m.value.command))
    .flatMap((m): UnplacedFinding[] => {
      const [type, name] = [m.value.resourceType, m.value.resourceName]
      if (!isTruthy(type))
        return [
          {
            rule: 'S3',
            level: 'error',
            path: m.path,
            message: 'has no resourceType: oc get fails, and the Job waits forever',
          },
        ]
      if (isTruthy(name)) return []
      return [
        {
          rule: 'S3',
          path: m.path,
          message: `has no resourceName: it waits only until ${templateText(type)} can be listed, whether there is one or not`,
          fix: `Name the ${templateText(type)} in resourceName`,
        },
      ]
    })

/** S7: one finding for all of them. */
export const sequenceJobsWithoutRights: GroupCheckRule = (c) => {
  const jobs = c.members.filter((m) => isSequenceJob(m) || waitLoopOfJob(m.value) !== undefined)
  const [first] = jobs
  if (!first || grantsAnything(c)) return []
  const name = isSequenceJob(first) ? `${first.name}-sequencejob` : first.name
  const others = jobs.length === 1 ? '' : ` and ${jobs.length - 1} more`
  const runs = jobs.length === 1 ? 'runs' : 'run'
  const message = `Job ${name}${others} ${runs} as ServiceAccount default of the namespace to which Argo CD deploys, and these files grant it no rights: unless others do, oc get is refused, which looks like "not found" forever`
  return [{ rule: 'S7', path: first.path, message }]
}

const isSequenceJob = (m: GroupMember): boolean => m.what === 'sequenceJob'

const onlyWaits = (m: GroupMember): boolean =>
  isSequenceJob(m) && (!isTruthy(m.value.command) || waitLoopOf(m.value.command) !== undefined)

/** A binding for that account, or values for the chart's own means of granting. */
function grantsAnything({ members, group }: CheckedGroup): boolean {
  if (isTruthy(at(group.values.value, 'vp-rbac'))) return true
  return members.some(
    ({ what, value }) =>
      what === 'extra' &&
      ['RoleBinding', 'ClusterRoleBinding'].includes(String(value.kind)) &&
      isArray(value.subjects) &&
      value.subjects.some(isDefaultAccount),
  )
}

/** Where Argo CD delivers to nobody knows here: any namespace will do. */
function isDefaultAccount(subject: JsonValue): boolean {
  if (!isObject(subject)) return false
  const { kind, name } = subject
  if (kind === 'ServiceAccount') return name === 'default'
  if (!isString(name)) return false
  if (kind === 'User') return /^system:serviceaccount:[^:]+:default$/.test(name)
  return kind === 'Group' && /^system:(?:serviceaccounts(?::|$)|authenticated$)/.test(name)
}
