/** What is delivered: the cluster group of a Validated Pattern with two operators, of which one needs what the other makes. */

import type { Random } from '@lockstep/kube/env'
import { encodeYaml, type JsonObject, type KubeObject } from '@lockstep/kube/object'
import type { OperatorPlans } from '@lockstep/simulators/olm'
import { API_VERSION } from '../../../../api/apiversion.ts'
import type { Module } from '../../../../api/kinds/index.ts'
import { FLEET_NAMESPACE } from '../../../kit/localfleet/index.ts'

export const RACE_CLUSTER = 'edge'
export const GROUP_MODULE = 'edge'
/** Where the Job runs: the chart gives it no namespace, and Argo CD puts it there. */
export const JOBS_NAMESPACE = 'openshift-operators'
export const CLASS_NAME = 'ocs-storagecluster-ceph-rbd'
export const STORAGE = { name: 'odf-operator', namespace: 'openshift-storage' } as const
export const VIRTUALIZATION = { name: 'kubevirt-hyperconverged', namespace: 'openshift-cnv' } as const
/** As the chart calls it. */
export const JOB_NAME = `${STORAGE.name}-sequencejob`
const VALUES_FILE = 'values-edge.yaml'

/** How much the group says about the order of its operators, and how that is delivered. */
export interface RacePlayer {
  readonly name: string
  readonly hasWaves: boolean
  readonly hasSequenceJob: boolean
  readonly sequencing: 'Jobs' | 'Native'
}

export const RACE_PLAYERS: readonly RacePlayer[] = [
  { name: 'no waves', hasWaves: false, hasSequenceJob: false, sequencing: 'Jobs' },
  { name: 'waves', hasWaves: true, hasSequenceJob: false, sequencing: 'Jobs' },
  { name: 'waves + Jobs', hasWaves: true, hasSequenceJob: true, sequencing: 'Jobs' },
  { name: 'waves + waits', hasWaves: true, hasSequenceJob: true, sequencing: 'Native' },
]

/** A storage operator is installed within half a minute; only much later its cluster of disks is up, and with it the class. */
export function operatorPlans(random: Random): OperatorPlans {
  const within = (least: number, most: number): number => Math.round(least + random.next() * (most - least))
  const installMs = within(15_000, 25_000)
  const object = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: CLASS_NAME },
    provisioner: 'openshift-storage.rbd.csi.ceph.com',
  } as KubeObject
  return {
    [STORAGE.name]: { installMs, makes: [{ afterMs: installMs + within(30_000, 50_000), object }] },
    [VIRTUALIZATION.name]: { installMs: within(8000, 14_000) },
  }
}

/** The values file, in a ConfigMap of the hub. */
export function raceValues(player: RacePlayer): KubeObject {
  const wave = (n: number): JsonObject =>
    player.hasWaves ? { annotations: { 'argocd.argoproj.io/sync-wave': String(n) } } : {}
  const sequenceJob = { resourceType: 'sc', resourceName: CLASS_NAME }
  const values = {
    global: { pattern: 'edge', options: { useCSV: false } },
    clusterGroup: {
      name: 'edge',
      namespaces: [STORAGE.namespace, VIRTUALIZATION.namespace],
      subscriptions: {
        storage: { ...STORAGE, ...wave(5), ...(player.hasSequenceJob ? { sequenceJob } : {}) },
        virtualization: { ...VIRTUALIZATION, ...wave(10) },
      },
    },
  }
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: GROUP_MODULE, namespace: FLEET_NAMESPACE },
    data: { [VALUES_FILE]: encodeYaml(values) },
  } as KubeObject
}

export const raceModule = ({ sequencing }: RacePlayer): Module =>
  ({
    apiVersion: API_VERSION,
    kind: 'Module',
    metadata: { name: GROUP_MODULE, namespace: FLEET_NAMESPACE },
    spec: {
      targets: { clusterSelector: {} },
      source: { configMaps: [{ name: GROUP_MODULE }] },
      render: {
        namespace: JOBS_NAMESPACE,
        clusterGroup: { valuesFiles: [VALUES_FILE], sequencing },
      },
    },
  }) as unknown as Module
