/** Custom resources without a rule of their own: by the conventions that most operators keep. Pure. */
import { at, isArray, isObject, isString, type KubeObject } from '@lockstep/kube/object'
import {
  aboutOlder,
  conditionsOf,
  degraded,
  type Health,
  type HealthState,
  healthy,
  isOld,
  progressing,
  type SeenCondition,
  textOfCondition,
} from '../state/healthstate.ts'

/** Conditions whose being true is bad, however it is called. */
const BAD = /^(Stalled|Failed|Failure|Degraded|Error|ErrorOccurred|HasErrors|Invalid|NotReady)$/
/** Conditions whose being true is good; the first one that there is decides. */
const GOOD = ['Ready', 'Available', 'Synced', 'Healthy', 'Programmed', 'Accepted', 'Succeeded']
/** Of parts, where there is none of the whole: `RemoteSynced`, `PodsHealthy`, `example.com/app-ready`. */
const GOOD_PART = /(?<!Not)(Ready|Healthy|Synced|Synchronized)$|[./-]ready$/
/** Reasons that say: not yet. */
const PASSING =
  /pending|progress|waiting|creating|provision|initiali[sz]|updating|upgrading|installing|deploying|starting|scheduling|scaling|reconciling|not\s?ready\s?yet/i

/** Where operators write one word for all. */
const WORDS = ['phase', 'state', 'health', 'status'] as const
/**
 * What words mean, once they are told apart and in small letters (`SUBMISSION_FAILED`, `MigratingData`): how they end, or
 * that they say what is being done. The first that fits.
 */
const MEANINGS: readonly (readonly [HealthState, RegExp])[] = [
  ['Degraded', /\b(failed|failure|error|errored|degraded|invalid|rejected|unhealthy|back off|lost|red)$/],
  ['Progressing', /^(pending|queued|new|init|submitted|in ?progress|not ?ready|yellow)$/],
  ['Progressing', /^(?!(running|serving|listening|operating|passing|working)\b)\w+ing\b/],
  ['Suspended', /^(paused|suspended)$/],
  ['Unknown', /^unknown$/],
]

const apart = (word: string): string =>
  word
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase()

/** What is bad first, then the first good condition there is, then one word. What says nothing is healthy. */
export function customHealth(o: KubeObject): Health {
  return byConditions(o) ?? byWord(o) ?? { ...healthy, rule: 'existence' }
}

function byConditions(o: KubeObject): Health | undefined {
  const conditions = conditionsOf(o)
  const bad = conditions.find((c) => BAD.test(c.type) && c.status === 'True')
  if (bad)
    return { ...(isOld(o, bad) ? aboutOlder(bad) : degraded(textOfCondition(bad))), rule: 'conditions' }
  const whole = GOOD.map((type) => conditions.find((c) => c.type === type)).find((c) => c !== undefined)
  const parts = whole ? [whole] : conditions.filter((c) => GOOD_PART.test(c.type))
  const lacking = parts.find((c) => c.status !== 'True' || isOld(o, c))
  if (!lacking)
    return parts.length > 0
      ? { state: 'Healthy', message: whole?.message ?? '', rule: 'conditions' }
      : undefined
  if (isOld(o, lacking)) return { ...aboutOlder(lacking), rule: 'conditions' }
  const isBad = lacking.status === 'False' && !isPassing(o, lacking)
  return {
    ...(isBad ? degraded(textOfCondition(lacking)) : progressing(textOfCondition(lacking))),
    rule: 'conditions',
  }
}

/** By its reason; or by its severity (Cluster API, Azure Service Operator), of which only Error needs a person. */
function isPassing(o: KubeObject, c: SeenCondition): boolean {
  const list = at(o, 'status', 'conditions')
  const severity = at(isArray(list) ? list.find((x) => at(x, 'type') === c.type) : undefined, 'severity')
  return severity === 'Info' || severity === 'Warning' || PASSING.test(c.reason)
}

function byWord(o: KubeObject): Health | undefined {
  const status = at(o, 'status')
  if (!isObject(status)) return undefined
  for (const name of WORDS) {
    const word = at(status, name)
    if (!isString(word)) continue
    const meaning = MEANINGS.find(([, pattern]) => pattern.test(apart(word)))
    if (!meaning) continue
    const said = ['message', 'reason'].map((m) => at(status, m)).find((m) => isString(m) && m !== '')
    const message = isString(said) ? `${name} ${word}: ${said}` : `${name} ${word}`
    return { state: meaning[0], message, rule: `status.${name}` }
  }
  return undefined
}
