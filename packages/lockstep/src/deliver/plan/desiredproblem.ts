/** Problems of desired objects as blockers: a manifest that its cluster refuses, a value that cannot be copied. */

import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { desiredWaitRef, kindNameText, objectWaitRef } from '../state/objectwaitref.ts'
import type { DesiredObject, MissingCopyValue } from './desiredstate.ts'

/** The manifest is wrong on this cluster. */
export function desiredProblem(d: DesiredObject, cluster: string): NewBlocker | undefined {
  if (d.problem === undefined) return undefined
  return blocked(d.problem, [desiredWaitRef(d, cluster)], { field: 'metadata.namespace' })
}

/** The annotation that copies values (cli-utils `apply-time-mutation`). */
const COPIES = 'config.kubernetes.io/apply-time-mutation'

export function missingCopy(d: DesiredObject, lack: MissingCopyValue, cluster: string): NewBlocker {
  if (lack.type === 'wait')
    return blocked(lack.reason, [objectWaitRef(lack.source, cluster)], {
      ...lack.facts,
      waiter: kindNameText(d.ref),
      ask: 'Exists',
      rule: COPIES,
    })
  const { path, token } = lack
  return invalid(
    d,
    cluster,
    token === undefined
      ? `${path} does not exist; add it to the manifest, or change ${COPIES}`
      : `${path} is not a text with ${token}; change the manifest, or ${COPIES}`,
  )
}

const invalid = (d: DesiredObject, cluster: string, problem: string): NewBlocker =>
  blocked('InvalidObject', [desiredWaitRef(d, cluster)], { object: kindNameText(d.ref), problem })
