/**
 * Cluster inventory API: a `ClusterProfile` (`apis/v1alpha1`, `apis/v1alpha2` of kubernetes-sigs/cluster-inventory-api).
 * It says where a cluster is and who can give a credential for it; the program that gives it is named on our side.
 */

import { conditionIs } from '@lockstep/health/state'
import type { TlsOptions } from '@lockstep/kube/env'
import {
  at,
  canonicalJson,
  isArray,
  isString,
  type JsonValue,
  type Stored,
  sha256Hex,
} from '@lockstep/kube/object'
import { records } from '../../api/records.ts'
import type { ClusterAccess, ClusterView } from '../clusters/cluster.ts'
import { type ExecProviders, providerNames, providerProblem } from '../credentials/provider.ts'
import { pem, serverUrl } from '../kubeconfig/serverurl.ts'
import { inventoryHeadOf } from './inventoryhead.ts'

/** The best first. */
export const clusterProfileKinds = records.clusterProfile

/** An extension with this name is what the program is told of the cluster (`client-authentication.v1`). */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec'

/** `providers` undefined: nobody knows them here. */
export const clusterOfClusterProfile = (o: Stored, providers: ExecProviders | undefined): ClusterView => ({
  ...inventoryHeadOf('ClusterProfile', o),
  properties: propertiesOf(o),
  initialized: conditionIs(o, 'ControlPlaneHealthy', 'False') === undefined,
  access: accessOf(o, providers),
})

function propertiesOf(o: Stored): Record<string, string> {
  const list = at(o, 'status', 'properties')
  const pairs = (isArray(list) ? list : []).map((p) => [at(p, 'name'), at(p, 'value')] as const)
  return Object.fromEntries(pairs.filter(([name, value]) => isString(name) && isString(value)))
}

interface Offer {
  readonly name: string
  readonly field: string
  readonly cluster: JsonValue | undefined
}

/** Where both lists name a provider, `accessProviders` counts. */
function offersOf(o: Stored): Offer[] {
  return ['accessProviders', 'credentialProviders'].flatMap((list) => {
    const all = at(o, 'status', list)
    return (isArray(all) ? all : []).flatMap((p, i) => {
      const name = at(p, 'name')
      return isString(name) ? [{ name, field: `status.${list}[${i}]`, cluster: at(p, 'cluster') }] : []
    })
  })
}

/** The first provider of our file that the profile offers. */
function accessOf(o: Stored, providers: ExecProviders | undefined): ClusterAccess {
  const where = `ClusterProfile ${o.metadata.namespace}/${o.metadata.name}`
  const offers = offersOf(o)
  if (offers.length === 0)
    return {
      type: 'Missing',
      message: `${where} has no status.accessProviders; its cluster manager writes them`,
    }
  if (!providers) return { type: 'Unread', message: `${where}, by a program beside the controller` }
  const provider = providers.list.find((p) => offers.some((offer) => offer.name === p.name))
  const offer = offers.find((x) => x.name === provider?.name)
  if (!provider || !offer) {
    const names = [...new Set(offers.map((x) => x.name))].join(', ')
    return refused(`${where}: no provider ${names} in ${providerNames(providers)}`)
  }
  const field = `${where}: ${offer.field}.cluster`
  const get = (key: string): JsonValue | undefined => at(offer.cluster, key)
  const url = serverUrl(get('server'), 'Secret')
  if (!url.ok) return refused(`${field}.server: ${url.error}`)
  if (get('insecure-skip-tls-verify') === true)
    return refused(`${field}.insecure-skip-tls-verify: is not allowed`)
  for (const key of ['proxy-url', 'certificate-authority']) {
    const value = get(key)
    if (value !== undefined && value !== '') return refused(`${field}.${key}: is not allowed`)
  }
  const problem = providerProblem(provider, o.metadata.namespace ?? '', url.value)
  if (problem !== undefined) return refused(`${where}: ${problem}`)
  const config = extensionOf(get('extensions'))
  const program = config === undefined ? provider.program : { ...provider.program, config }
  return {
    type: 'Source',
    source: { type: 'Exec', endpoint: { url: url.value, ...tlsOf(get) }, files: {}, program },
    version: sha256Hex(canonicalJson([provider.name, offer.cluster ?? null])).slice(0, 16),
  }
}

const refused = (message: string): ClusterAccess => ({ type: 'Refused', message })

function tlsOf(get: (key: string) => JsonValue | undefined): { readonly tls?: TlsOptions } {
  const ca = pem(get('certificate-authority-data'))
  const serverName = get('tls-server-name')
  const tls: TlsOptions = {
    ...(ca === undefined ? {} : { ca }),
    ...(isString(serverName) && serverName !== '' ? { serverName } : {}),
  }
  return Object.keys(tls).length > 0 ? { tls } : {}
}

function extensionOf(list: JsonValue | undefined): JsonValue | undefined {
  const found = (isArray(list) ? list : []).find((e) => at(e, 'name') === EXEC_EXTENSION)
  return at(found, 'extension')
}
