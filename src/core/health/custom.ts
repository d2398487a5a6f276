/** Custom resources without a rule of their own: by the conventions that most operators keep. Pure. */
import { at, isArray, isObject, isString, type KubeObject } from '../../object/object.ts'
import {
  conditionsOf,
  degraded,
  type Health,
  type HealthState,
  healthy,
  progressing,
  type SeenCondition,
} from './state.ts'

/** Conditions whose being true is bad (the last ones as operators made with Ansible and others write them). */
const BAD = ['Stalled', 'Failed', 'Degraded', 'Failure', 'Error']
/** Conditions whose being true is good; the first one that there is decides. */
const GOOD = ['Ready', 'Available', 'Synced', 'Healthy', 'Programmed', 'Accepted', 'Succeeded']
/** Reasons that say: not yet. */
const PASSING =
  /pending|progress|waiting|creating|provision|initiali[sz]|updating|upgrading|installing|deploying|starting|scheduling|scaling|reconciling|not\s?ready\s?yet/i

/** Where operators write one word for all. */
const WORDS = ['phase', 'state', 'health', 'status'] as const
const MEANINGS: readonly (readonly [HealthState, RegExp])[] = [
  ['Degraded', /^(failed|failure|error|errored|degraded|invalid|rejected|unhealthy|crashloopbackoff|lost)$/i],
  [
    'Progressing',
    /^(pending|waiting|queued|new|init|initializ(ing|ed)|creating|provisioning|installing|updating|upgrading|progressing|inprogress|in progress|reconciling|scaling|starting|deploying|scheduling|notready|not ready|deleting|terminating)$/i,
  ],
  ['Suspended', /^(paused|suspended)$/i],
]

/** What is bad first, then the first good condition there is, then one word. What says nothing is healthy. */
export function customHealth(o: KubeObject): Health {
  return byConditions(o) ?? byWord(o) ?? { ...healthy, rule: 'existence' }
}

function byConditions(o: KubeObject): Health | undefined {
  const conditions = conditionsOf(o)
  const bad = conditions.find((c) => BAD.includes(c.type) && c.status === 'True')
  if (bad) return { ...degraded(textOf(bad)), rule: 'conditions' }
  for (const type of GOOD) {
    const c = conditions.find((x) => x.type === type)
    if (!c) continue
    if (isOld(o, type)) return { ...progressing(`${type} is about an older generation`), rule: 'conditions' }
    if (c.status === 'True') return { state: 'Healthy', message: c.message, rule: 'conditions' }
    const isBad = c.status === 'False' && !PASSING.test(c.reason)
    return { ...(isBad ? degraded(textOf(c)) : progressing(textOf(c))), rule: 'conditions' }
  }
  return undefined
}

const textOf = (c: SeenCondition): string => c.message || c.reason || `${c.type} is ${c.status}`

/** Each condition may say of which generation it is (apimachinery `metav1.Condition`). */
function isOld(o: KubeObject, type: string): boolean {
  const list = at(o, 'status', 'conditions')
  const observed = isArray(list)
    ? at(
        list.find((c) => at(c, 'type') === type),
        'observedGeneration',
      )
    : undefined
  const { generation } = o.metadata
  return typeof observed === 'number' && generation !== undefined && observed < generation
}

function byWord(o: KubeObject): Health | undefined {
  const status = at(o, 'status')
  if (!isObject(status)) return undefined
  for (const name of WORDS) {
    const word = at(status, name)
    if (!isString(word)) continue
    const meaning = MEANINGS.find(([, pattern]) => pattern.test(word))
    if (!meaning) continue
    const said = ['message', 'reason'].map((m) => at(status, m)).find((m) => isString(m) && m !== '')
    const message = isString(said) ? `${name} ${word}: ${said}` : `${name} ${word}`
    return { state: meaning[0], message, rule: `status.${name}` }
  }
  return undefined
}
