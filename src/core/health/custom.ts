import type { KubeObject } from '../../object/object.ts'
import { conditionsOf, degraded, type Health, healthy, progressing, type SeenCondition } from './state.ts'

const BAD = ['Stalled', 'Failed', 'Degraded']
const GOOD = ['Ready', 'Available', 'Synced', 'Healthy', 'Programmed', 'Accepted', 'Succeeded']
const PASSING = /pending|progress|waiting|creating|provision|initiali[sz]/i

/** Custom resources, by the conditions that operators agree on: what is bad first, then the first good one there is. */
export function customHealth(o: KubeObject): Health {
  const conditions = conditionsOf(o)
  const bad = conditions.find((c) => BAD.includes(c.type) && c.status === 'True')
  if (bad) return degraded(textOf(bad))
  for (const type of GOOD) {
    const c = conditions.find((x) => x.type === type)
    if (!c) continue
    if (c.status === 'True') return healthy
    return c.status === 'False' && !PASSING.test(c.reason) ? degraded(textOf(c)) : progressing(textOf(c))
  }
  return healthy
}

const textOf = (c: SeenCondition): string => c.message || c.reason || `${c.type} is ${c.status}`
