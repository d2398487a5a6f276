/**
 * `applications: Modules`: for each Application that the chart would make a Module in its place, with the same content, of which
 * Argo CD need not be there.
 */

import {
  at,
  isArray,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  parseYamlStream,
  YamlError,
} from '@lockstep/kube/object'
import { API_VERSION } from '../../../api/apiversion.ts'
import type { ModuleSpecGiven } from '../../../api/kinds/index.ts'
import { BUNDLE_WAIT } from '../../order/bundlewait.ts'
import { renderedApplications } from '../render/applications.ts'
import type { ValuesField } from '../values/field.ts'
import type { Group } from '../values/group.ts'
import { type ArgoEnvironment, substituteEnvironment } from './argoenvironment.ts'
import { chartRepository, type GitGiven, gitReferenceOf, gitUrl, isSameRepository } from './gitreference.ts'
import { ignoredFields } from './ignoredfields.ts'
import { waitsForApplications } from './waitsforapplications.ts'

type GivenModuleSpec = ModuleSpecGiven
type GivenRender = NonNullable<GivenModuleSpec['render']>

/** What the Module of the cluster group says that its applications go by. */
export interface GroupModuleFacts {
  /** Where its values are from: of the same repository an application has its credentials. */
  readonly git: GitGiven | undefined
  /** What charts are told of clusters; absent: the defaults of `render.helm`. */
  readonly kubeVersion?: string | undefined
  readonly apiVersions?: readonly string[] | undefined
}

const WAVE = 'argocd.argoproj.io/sync-wave'
const HOOK = 'argocd.argoproj.io/hook'
/** An edge for each of the wave before, and one for the cluster group. */
const MOST_OF_A_WAVE = 60

/**
 * Modules without what the Module of the cluster group gives them: clusters, edges, a release; and waits for them. `others`: what
 * the group itself delivers.
 */
export function clusterGroupModules(
  g: Group,
  facts: GroupModuleFacts,
  others: readonly JsonObject[],
): JsonObject[] {
  const all = renderedApplications(g)
  sayWhatWaits(
    g,
    all.map(({ object }) => object),
    others,
  )
  const waves = new Map<JsonValue, number>()
  for (const { field, object } of all) {
    const wave = waveText(object)
    // Nobody waits for one that is in none.
    if (wave === undefined) continue
    waves.set(wave, (waves.get(wave) ?? 0) + 1)
    if (waves.get(wave) === MOST_OF_A_WAVE + 1)
      field.refuse(`: more than ${MOST_OF_A_WAVE} applications are in wave ${wave}`, {
        todo: 'give some of them another wave',
      })
  }
  const modules = all.map(({ field, object }) => new OneModule(g, field, object, facts).made())
  return [...waitsForApplications(modules, others), ...modules]
}

/**
 * An application without a wave begins once all of its group is there. What the group waits for in a wave after 0 may be what only
 * the application makes: under the chart, where it is in wave 0, that goes well, here both would wait for ever.
 */
function sayWhatWaits(
  { own }: Group,
  applications: readonly JsonObject[],
  others: readonly JsonObject[],
): void {
  const names = applications
    .filter((a) => waveText(a) === undefined)
    .map((a) => textAt(a, 'metadata', 'name'))
  if (names.length === 0) return
  const [have, it] = names.length === 1 ? ['has', 'it'] : ['have', 'they']
  for (const wait of others.filter(isWaitedFor)) {
    const wave = waveOf(wait)
    if (wave <= 0) continue
    own
      .get('applications')
      .warn(
        `: ${names.join(', ')} ${have} no wave: where the chart is installed ${it} would come before wave ${wave}, in which ${textAt(wait, 'kind')} ${textAt(wait, 'metadata', 'name')} holds the group, and here after all of the group; so what ${it} may make is never there for that wait`,
        { todo: `where it waits for that, give what makes it a wave, such as annotations: {${WAVE}: "0"}` },
      )
  }
}

/** It ends only when something is there. */
const isWaitedFor = (o: JsonObject): boolean =>
  (o.kind === BUNDLE_WAIT.kind && o.apiVersion === BUNDLE_WAIT.apiVersion) ||
  (o.kind === 'Job' && at(o, 'metadata', 'annotations', HOOK) !== undefined)

const waveText = (o: JsonObject): JsonValue | undefined => at(o, 'metadata', 'annotations', WAVE)

const waveOf = (o: JsonObject): number => {
  const wave = Number(waveText(o) ?? 0)
  return Number.isFinite(wave) ? wave : 0
}

class OneModule {
  private readonly g: Group
  private readonly field: ValuesField
  private readonly application: JsonObject
  private readonly facts: GroupModuleFacts

  constructor(g: Group, field: ValuesField, application: JsonObject, facts: GroupModuleFacts) {
    this.g = g
    this.field = field
    this.application = application
    this.facts = facts
  }

  made(): JsonObject {
    this.sayWhatIsLost()
    const wave = waveText(this.application)
    return {
      apiVersion: API_VERSION,
      kind: 'Module',
      metadata: {
        name: textAt(this.application, 'metadata', 'name'),
        ...(wave === undefined ? {} : { annotations: { [WAVE]: wave } }),
      },
      spec: this.spec() as unknown as JsonObject,
    }
  }

  private spec(): Pick<GivenModuleSpec, 'source' | 'render' | 'apply'> {
    const namespace = textAt(this.application, 'spec', 'destination', 'namespace')
    const ignored = this.field.get('ignoreDifferences')
    const apply = ignored.isTruthy ? { apply: { ignore: ignoredFields(ignored) } } : {}
    const source = at(this.application, 'spec', 'source')
    const sources = at(this.application, 'spec', 'sources')
    const content = (isArray(sources) ? sources[1] : source) as JsonObject
    const values = isArray(sources) ? this.git(sources[0] as JsonObject, 'global.targetRevision') : undefined
    const refs = values ? { refs: [{ name: 'patternref', git: values }] } : {}
    if (isString(content.chart)) {
      const helm = {
        repository: chartRepository(textAt(content, 'repoURL')),
        chart: content.chart,
        version: textAt(content, 'targetRevision'),
      }
      return { source: { helm, ...refs }, render: this.helm(content, namespace), ...apply }
    }
    const git = this.git(content, 'targetRevision')
    if (!isObject(content.helm)) return { source: { git }, render: { kustomize: {}, namespace }, ...apply }
    return { source: { git, ...refs }, render: this.helm(content, namespace), ...apply }
  }

  private git(source: JsonObject, what: string): GitGiven {
    const repoURL = textAt(source, 'repoURL')
    const own = this.facts.git
    const isOwn = own !== undefined && isSameRepository(own.url, repoURL)
    const revision = textAt(source, 'targetRevision')
    const { ref, doubt } = gitReferenceOf(revision, isOwn ? own : undefined)
    if (doubt !== undefined) this.field.warn(`: ${what} ${revision} is read as ${doubt}`)
    return {
      url: isOwn ? own.url : gitUrl(repoURL),
      ref,
      ...(isString(source.path) ? { path: source.path } : {}),
      ...(isOwn && own.secretRef ? { secretRef: own.secretRef } : {}),
    }
  }

  private helm(source: JsonObject, namespace: string): GivenRender {
    const { kubeVersion, apiVersions } = this.facts
    const files = ((at(source, 'helm', 'valueFiles') ?? []) as string[]).map((f) => this.bound(f, source))
    const parameters = (at(source, 'helm', 'parameters') ?? []) as JsonObject[]
    const nested = this.nested(textAt(source, 'helm', 'values'))
    return {
      namespace,
      helm: {
        releaseName: textAt(this.application, 'metadata', 'name'),
        // Those of a chart of a repository may be templates' own: what is not there is passed over.
        valuesFiles: files,
        ignoreMissingValuesFiles: true,
        values: nested === undefined ? {} : { extraParametersNested: nested },
        parameters: parameters.map((p) => ({
          name: textAt(p, 'name'),
          value: this.bound(textAt(p, 'value'), source),
          ...(p.forceString === true ? { forceString: true } : {}),
        })),
        ...(kubeVersion === undefined ? {} : { kubeVersion }),
        ...(apiVersions === undefined ? {} : { apiVersions: [...apiVersions] }),
      },
    }
  }

  /** As the chart writes it: keys without quotes. */
  private nested(text: string): JsonObject | undefined {
    try {
      const found = at(parseYamlStream(text)[0], 'extraParametersNested')
      return isObject(found) ? found : undefined
    } catch (e) {
      if (!(e instanceof YamlError)) throw e
      this.g.values.get('extraParametersNested').refuse(`: Helm could not read it: ${e.message}`, {
        todo: 'use names that are plain in YAML',
      })
      return undefined
    }
  }

  /** `$patternref/…` is the name of a tree here as there. */
  private bound(text: string, source: JsonObject): string {
    if (text.startsWith('$patternref/')) return text
    const { field, application } = this
    const environment: ArgoEnvironment = {
      name: textAt(application, 'metadata', 'name'),
      namespace: textAt(application, 'spec', 'destination', 'namespace'),
      project: textAt(application, 'spec', 'project'),
      repoURL: textAt(source, 'repoURL'),
      path: textAt(source, 'path'),
      targetRevision: textAt(source, 'targetRevision'),
    }
    const found = substituteEnvironment(text, environment)
    if (found.ok) return found.value
    field.refuse(`: ${found.error}`)
    return ''
  }

  /** What only Argo CD does is refused where it changes what is delivered, and said where not. */
  private sayWhatIsLost(): void {
    const { field, g } = this
    if (field.get('plugin').isTruthy)
      field.get('plugin').refuse(': a Module runs no plugin of Argo CD', {
        todo: 'set render.clusterGroup.applications: Objects',
      })
    if (field.get('fileParameters').isTruthy)
      field
        .get('fileParameters')
        .refuse(': a Module has no parameters that are files', { todo: 'put the text into a values file' })
    if (at(this.application, 'spec', 'syncPolicy') === null)
      field.warn(': sync by hand is a Hold on its Module')
    const cluster = g.own.get('targetCluster')
    if (cluster.text !== 'in-cluster')
      cluster.warn(
        `: ${cluster.text} is a name of Argo CD; Modules of applications go where that of the group goes`,
      )
  }
}

function textAt(v: JsonValue, ...path: readonly string[]): string {
  const found = at(v, ...path)
  return found === null || found === undefined ? '' : String(found)
}
