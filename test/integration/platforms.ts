/** Platforms as files of a repository, one folder a module, and what the story about them changes. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { sharedData } from '../shareddata.ts'

export interface PlatformPlan {
  readonly needs: readonly string[]
  readonly namespace?: string
}

/** An object on a cluster: resource, namespace, name. */
export type ObjectPath = readonly [resource: string, namespace: string, name: string]

export interface PlatformCase {
  readonly title: string
  /** Without it the case cannot run. */
  readonly folder: string
  readonly plans: Readonly<Record<string, PlatformPlan>>
  /** By their path, below the folder of their module. */
  files(): Record<string, string>
  /** Objects of modules that need each other, from the first to the last. */
  readonly inOrder: readonly ObjectPath[]
  readonly changed: {
    readonly file: string
    readonly from: string
    readonly to: string
    readonly object: ObjectPath
  }
  readonly removed: { readonly file: string; readonly object: ObjectPath }
  /** One field by hand: the path of the field, and what somebody makes of it. */
  readonly edited: {
    readonly object: ObjectPath
    readonly path: readonly [string, string]
    readonly to: string
  }
  readonly deleted: ObjectPath
}

const CORPUS = sharedData('corpus/platform')
const EXAMPLE = fileURLToPath(new URL('../../examples/platform/v1', import.meta.url))

const namespace = (name: string) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`

/** Every file below a folder, by its path in it. */
function filesOf(folder: string, prefix: string): Record<string, string> {
  const out: Record<string, string> = {}
  for (const e of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!e.isFile() || e.name === 'NOTICE') continue
    const path = join(e.parentPath, e.name)
    out[`${prefix}/${relative(folder, path)}`] = readFileSync(path, 'utf8')
  }
  return out
}

const corpus: PlatformCase = {
  title: 'seven platform modules that people run',
  folder: CORPUS,
  plans: {
    calico: { needs: [] },
    metallb: { needs: ['calico'] },
    'ingress-nginx': { needs: ['calico'] },
    'kube-prometheus': { needs: ['metallb', 'ingress-nginx'] },
    'cert-manager': { needs: [] },
    podinfo: { needs: ['cert-manager'], namespace: 'podinfo' },
    'argo-cd': { needs: [], namespace: 'argocd' },
  },
  files() {
    const out: Record<string, string> = {}
    for (const [name, plan] of Object.entries(this.plans)) {
      Object.assign(out, filesOf(join(CORPUS, name), name))
      if (plan.namespace) out[`${name}/namespace.yaml`] = namespace(plan.namespace)
    }
    return out
  },
  inOrder: [
    ['daemonsets.apps', 'kube-system', 'calico-node'],
    ['deployments.apps', 'metallb-system', 'controller'],
    ['deployments.apps', 'monitoring', 'prometheus-operator'],
  ],
  changed: {
    file: 'podinfo/kustomize/service.yaml',
    from: 'port: 9898',
    to: 'port: 9899',
    object: ['services', 'podinfo', 'podinfo'],
  },
  removed: {
    file: 'podinfo/kustomize/hpa.yaml',
    object: ['horizontalpodautoscalers.autoscaling', 'podinfo', 'podinfo'],
  },
  edited: {
    object: ['services', 'podinfo', 'podinfo'],
    path: ['spec', 'type'],
    to: 'NodePort',
  },
  deleted: ['configmaps', 'argocd', 'argocd-cm'],
}

/** The example's modules have their manifests in ConfigMaps: each key becomes a file. */
function exampleFiles(): Record<string, string> {
  const out: Record<string, string> = {}
  for (const file of readdirSync(EXAMPLE)) {
    const [map, module] = parseAllDocuments(readFileSync(join(EXAMPLE, file), 'utf8')).map((d) => d.toJS())
    for (const [key, text] of Object.entries(map.data as Record<string, string>))
      out[`${module.metadata.name}/${key}`] = text
  }
  return out
}

const example: PlatformCase = {
  title: 'the example platform',
  folder: EXAMPLE,
  plans: {
    'cluster-base': { needs: [] },
    certs: { needs: ['cluster-base'] },
    ingress: { needs: ['cluster-base', 'certs'] },
    monitoring: { needs: ['certs', 'ingress'] },
  },
  files: exampleFiles,
  inOrder: [
    ['configmaps', 'kube-public', 'platform-settings'],
    ['deployments.apps', 'certs', 'controller'],
    ['deployments.apps', 'ingress', 'gateway'],
    ['statefulsets.apps', 'monitoring', 'store'],
  ],
  changed: {
    file: 'ingress/routes.yaml',
    from: 'apps/admin',
    to: 'apps/console',
    object: ['configmaps', 'ingress', 'routes'],
  },
  removed: { file: 'ingress/legacy.yaml', object: ['configmaps', 'ingress', 'legacy-redirects'] },
  edited: {
    object: ['configmaps', 'ingress', 'routes'],
    path: ['data', 'routes.conf'],
    to: 'shop.example.com -> /dev/null',
  },
  deleted: ['configmaps', 'certs', 'settings'],
}

export const platformCases: readonly PlatformCase[] = [corpus, example]
