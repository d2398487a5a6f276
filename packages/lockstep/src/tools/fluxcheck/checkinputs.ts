/** W3b, W3c: a unit that is ready, but not for what it was given, or not healthy. */
import { at, isArray, isObject, type JsonValue, type YamlPath } from '@lockstep/kube/object'
import { type FluxManifest, labelOf, positionOf, textAt } from '../flux/fluxmanifest.ts'
import { type FluxUnit, unitText } from '../flux/fluxunit.ts'
import {
  type CheckedFlux,
  type FluxCheckRule,
  type FluxFinding,
  relatedTo,
  shortUnitText,
} from './fluxcheckrule.ts'

const WATCH_LABEL = 'reconcile.fluxcd.io/watch'
/** As kustomize appends them, and as others do: hex. */
const HASHED = /-(?:[bcdfghkmt2456789]{10}|[0-9a-f]{8,64})$/

export const checkInputs: FluxCheckRule = (c) => {
  const needed = c.set.units.filter((u) => c.set.dependants(u).length > 0)
  return [
    ...needed.flatMap((u) => [...unwatched(c, u), ...unhealthy(u)]),
    ...c.set.manifests.flatMap(scripts),
  ]
}

function unwatched(c: CheckedFlux, a: FluxUnit): FluxFinding[] {
  const list: YamlPath =
    a.kind === 'Kustomization' ? ['spec', 'postBuild', 'substituteFrom'] : ['spec', 'valuesFrom']
  const items = at(a.manifest.value, ...list)
  if (!isArray(items)) return []
  return items.flatMap((item, i): FluxFinding[] => {
    const [kind, name] = [textAt(item, 'kind'), textAt(item, 'name')]
    if (kind === undefined || name === undefined || HASHED.test(name)) return []
    const object = c.set.object(a.manifest, { kind, name, namespace: a.namespace })
    // What is not here may well have the label.
    if (!object || labelOf(object, WATCH_LABEL) === 'Enabled') return []
    const text = unitText(a)
    return [
      {
        rule: 'W3b',
        level: 'warning',
        place: positionOf(a.manifest, [...list, i, 'name']),
        message: `${text} reads ${kind} ${name}, which Flux does not watch: its change makes no new generation of ${text}`,
        race: [
          `a new release changes ${kind} ${name}`,
          `${shortUnitText(text)} stays Ready=True at the old values until its interval is over`,
          'its dependents see a ready dependency and apply the new release',
        ],
        fix: `Label it ${WATCH_LABEL}: Enabled, or give it a name with a hash of its content (configMapGenerator).`,
        related: [relatedTo(object, ['metadata', 'name'], 'without the label')],
      },
    ]
  })
}

function unhealthy(a: FluxUnit): FluxFinding[] {
  const field = a.kind === 'Kustomization' ? notWaiting(a) : notWaitingRelease(a)
  if (!field) return []
  const text = unitText(a)
  return [
    {
      rule: 'W3c',
      level: 'warning',
      place: positionOf(a.manifest, field.path, field.what),
      related: [],
      message: `${text}: ${field.text}; its dependents begin as soon as it is applied`,
      race: [
        `Flux applies the objects of ${shortUnitText(text)} and sets Ready=True at once`,
        'its Deployments are still starting',
        'its dependents apply',
      ],
      fix:
        a.kind === 'Kustomization'
          ? 'Set wait: true, or name what to wait for in healthChecks.'
          : 'Take disableWait out.',
    },
  ]
}

interface InputField {
  readonly path: YamlPath
  readonly what: 'value' | 'key'
  readonly text: string
}

function notWaiting(a: FluxUnit): InputField | undefined {
  const { wait, healthChecks } = a.spec
  if (wait === true || (isArray(healthChecks) && healthChecks.length > 0)) return undefined
  return wait === undefined
    ? { path: ['spec'], what: 'key', text: 'no wait, no healthChecks' }
    : { path: ['spec', 'wait'], what: 'value', text: 'wait is off, no healthChecks' }
}

function notWaitingRelease(a: FluxUnit): InputField | undefined {
  const action = ['install', 'upgrade'].find((x) => at(a.spec, x, 'disableWait') === true)
  return action === undefined
    ? undefined
    : { path: ['spec', action, 'disableWait'], what: 'value', text: `${action}.disableWait is set` }
}

const WAITS_FOR_FLUX =
  /kubectl\b[^\n;|&]*\bwait\b[^\n;|&]*\b(?:kustomizations?|ks|helmreleases?|hr)(?:\.(?:kustomize|helm)\.toolkit\.fluxcd\.io)?(?=[\s/"'])/

/** Conditions of Flux are of its last run: who waits for them may be told of the one before. */
function scripts(m: FluxManifest): FluxFinding[] {
  if (m.group !== 'batch' || (m.kind !== 'Job' && m.kind !== 'CronJob')) return []
  const pod: YamlPath =
    m.kind === 'Job' ? ['spec', 'template', 'spec'] : ['spec', 'jobTemplate', 'spec', 'template', 'spec']
  const containers = ['initContainers', 'containers'].flatMap((list) => {
    const found = at(m.value, ...pod, list)
    return isArray(found) ? found.map((container, i) => ({ container, path: [...pod, list, i] })) : []
  })
  return containers.flatMap(({ container, path }) =>
    textsIn(container, path).flatMap(({ text, path: where }): FluxFinding[] =>
      WAITS_FOR_FLUX.test(text)
        ? [
            {
              rule: 'W3c',
              level: 'warning',
              place: positionOf(m, where),
              related: [],
              message: `${m.kind} ${m.name} runs kubectl wait for a condition of Flux, which may be of the run before`,
              race: [
                'a new spec is written',
                'until Flux begins, the old Ready=True stands',
                'kubectl wait ends at once',
              ],
              fix: 'Use dependsOn, and compare observedGeneration; or wait for the objects themselves.',
            },
          ]
        : [],
    ),
  )
}

/** Command and arguments: each text, and a command that is written word by word. */
function textsIn(container: JsonValue, path: YamlPath): { text: string; path: YamlPath }[] {
  if (!isObject(container)) return []
  return ['command', 'args'].flatMap((list) => {
    const words = at(container, list)
    if (!isArray(words)) return []
    const single = words.map((w, i) => ({ text: String(w), path: [...path, list, i] }))
    const own = single.filter((s) => WAITS_FOR_FLUX.test(s.text))
    return own.length > 0 ? own : [{ text: words.join(' '), path: [...path, list] }]
  })
}
