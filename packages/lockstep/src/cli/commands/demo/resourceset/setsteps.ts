/** What a person does with a set of resources, step by step, and what is expected of the cluster after each. */
import { encodeYaml, type JsonObject } from '@lockstep/kube/object'

export const SET_CLUSTER = 'c1'
export const SET_NAME = 'addons'
export const SOURCE = 'addons'
const NAMESPACE = 'monitoring'

/** What the source holds. */
interface ConfigContent {
  readonly level: string
  readonly hasAlerts: boolean
}

const FIRST: ConfigContent = { level: 'info', hasAlerts: true }
const CHANGED: ConfigContent = { level: 'debug', hasAlerts: true }
const SMALLER: ConfigContent = { level: 'debug', hasAlerts: false }

const configMap = (name: string, data: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: NAMESPACE },
  data,
})

/** As `data` of the ConfigMap that is the source. */
export const dataOf = ({ level, hasAlerts }: ConfigContent): Record<string, string> => ({
  'monitoring.yaml': [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    configMap('settings', { level }),
    configMap('dashboard', { panels: '12' }),
    ...(hasAlerts ? [configMap('alerts', { rules: '7' })] : []),
  ]
    .map((o) => `---\n${encodeYaml(o)}`)
    .join(''),
})

/** What somebody looks for on the cluster: the data of a ConfigMap there, undefined where there is none. */
export type ConfigMapLookup = (name: string) => Readonly<Record<string, string>> | undefined

export interface SetStep {
  readonly id: 'created' | 'changed' | 'edited' | 'deleted' | 'removed'
  /** What is done, for people. */
  readonly text: string
  /** What is expected then. */
  readonly expected: string
  readonly act:
    | { readonly type: 'source'; readonly data: Record<string, string> }
    | { readonly type: 'edit'; readonly name: string; readonly data: JsonObject }
    | { readonly type: 'delete'; readonly name: string }
  isMet(look: ConfigMapLookup): boolean
}

export const SET_STEPS: readonly SetStep[] = [
  {
    id: 'created',
    text: 'create cluster and set',
    expected: 'delivered',
    act: { type: 'source', data: dataOf(FIRST) },
    isMet: (look) =>
      look('settings')?.level === 'info' && look('dashboard') !== undefined && look('alerts') !== undefined,
  },
  {
    id: 'changed',
    text: 'change the source',
    expected: 'followed',
    act: { type: 'source', data: dataOf(CHANGED) },
    isMet: (look) => look('settings')?.level === 'debug',
  },
  {
    id: 'edited',
    text: 'edit an object on the cluster',
    expected: 'reverted',
    act: { type: 'edit', name: 'settings', data: { level: 'trace' } },
    isMet: (look) => look('settings')?.level === 'debug',
  },
  {
    id: 'deleted',
    text: 'delete an object there',
    expected: 'back',
    act: { type: 'delete', name: 'dashboard' },
    isMet: (look) => look('dashboard') !== undefined,
  },
  {
    id: 'removed',
    text: 'remove one from the source',
    expected: 'deleted',
    act: { type: 'source', data: dataOf(SMALLER) },
    isMet: (look) => look('alerts') === undefined,
  },
]
export const TARGET_NAMESPACE = NAMESPACE
