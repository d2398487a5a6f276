/** Waves that promise less than people expect of them. */
import { at, isArray, isString, parseApiVersion } from '@lockstep/kube/object'
import type { CheckedGroup, GroupCheckRule, UnplacedFinding } from './groupcheckrule.ts'
import { type GroupMember, isWaveNumber, memberNames } from './groupmembers.ts'
import { isPlatformObject } from './platformobject.ts'

/** S1. */
export const syncWavesWithoutResult: GroupCheckRule = ({ members }) => {
  const inSync = members.filter((m) => m.phase === 'Sync')
  return wavesOf(inSync.filter((m) => m.what === 'Subscription')).flatMap(
    ([wave, operators]): UnplacedFinding[] => {
      const next = nextOf(inSync.filter(isOperatorOrApplication), wave)
      if (next === undefined || isHeld(inSync, wave, next, mayHold)) return []
      const names = operators.map((o) => o.name)
      const [word, them] =
        names.length === 1 ? ['subscription', 'it installs'] : ['subscriptions', 'they install']
      return [
        {
          rule: 'S1',
          path: operators[0]!.wave.path,
          message: `wave ${wave} → ${next}: ${word} ${names.join(', ')} healthy; nothing waits for objects that ${them}`,
          fix: `Add a sequenceJob for what wave ${next} needs, such as a CustomResourceDefinition or a StorageClass`,
        },
      ]
    },
  )
}

/** S4: those that somebody has put into a wave. */
export const syncWavesWithoutHealth: GroupCheckRule = (c) => {
  const inSync = c.members.filter((m) => m.phase === 'Sync')
  return (['Application', 'ClusterExtension'] as const).flatMap((kind) => {
    if (hasCheck(c, kind)) return []
    const placed = inSync.filter((m) => m.what === kind && m.wave.text !== undefined)
    return wavesOf(placed).flatMap(([wave, those]): UnplacedFinding[] => {
      const next = nextOf(
        inSync.filter((m) => !isWait(m)),
        wave,
      )
      if (next === undefined || isHeld(inSync, wave, next, isWait)) return []
      return [
        {
          rule: 'S4',
          path: those[0]!.wave.path,
          message: `wave ${wave} → ${next}: Argo CD has no health check for ${memberNames(those)}, so that wave ${next} begins at once`,
          fix: `Add a check for ${kind} to clusterGroup.argoCD.resourceHealthChecks`,
        },
      ]
    })
  })
}

/** S5: one finding for all of them. */
export const syncWavesBeforeOperators: GroupCheckRule = ({ members }) => {
  const loose = members.filter((m) => m.what === 'Application' && m.wave.text === undefined)
  const operators = members
    .filter((m) => (m.what === 'Subscription' || m.what === 'ClusterExtension') && m.wave.number > 0)
    .toSorted((a, b) => a.wave.number - b.wave.number)
  const [first] = operators
  if (loose.length === 0 || !first) return []
  const them = loose.length === 1 ? 'has no wave, so that it is' : 'have no wave, so that they are'
  const message = `${memberNames(loose)} ${them} in wave 0, before ${memberNames([first])} in wave ${first.wave.number}`
  return [{ rule: 'S5', path: loose[0]!.path, message }]
}

/** S6. Each place once. */
export const syncWavesWithoutNumbers: GroupCheckRule = ({ members }) =>
  members
    .filter(
      (m, i) =>
        !isWaveNumber(m.wave) && members.findIndex((o) => o.wave.path.join() === m.wave.path.join()) === i,
    )
    .map(({ wave }) => ({
      rule: 'S6',
      path: wave.path,
      message: `${JSON.stringify(wave.text)} is not a whole number: Argo CD treats it as 0`,
    }))

const isOperatorOrApplication = ({ what }: GroupMember): boolean =>
  ['Subscription', 'ClusterExtension', 'Application'].includes(what)

/** It ends by itself, and its wave waits for that. */
const isWait = (m: GroupMember): boolean =>
  m.what === 'sequenceJob' ||
  (m.what === 'extra' &&
    (['Job', 'Pod', 'Wait'].includes(String(m.value.kind)) ||
      at(m.value, 'metadata', 'annotations', 'argocd.argoproj.io/hook') !== undefined))

const WORKLOADS = [
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'PersistentVolumeClaim',
  'CustomResourceDefinition',
]

/** Nobody can tell whether Argo CD has a check for a custom resource: it gets the benefit of the doubt. */
const mayHold = (m: GroupMember): boolean =>
  isWait(m) ||
  (m.what === 'extra' &&
    (WORKLOADS.includes(String(m.value.kind)) ||
      (isString(m.value.apiVersion) && !isPlatformObject(parseApiVersion(m.value.apiVersion).group))))

const isHeld = (
  members: readonly GroupMember[],
  from: number,
  to: number,
  by: (m: GroupMember) => boolean,
): boolean => members.some((m) => m.wave.number >= from && m.wave.number < to && by(m))

const nextOf = (members: readonly GroupMember[], wave: number): number | undefined =>
  members.reduce<number | undefined>(
    (next, { wave: { number } }) => (number > wave && (next === undefined || number < next) ? number : next),
    undefined,
  )

function wavesOf(members: readonly GroupMember[]): [number, GroupMember[]][] {
  const waves = new Map<number, GroupMember[]>()
  for (const m of members) waves.set(m.wave.number, [...(waves.get(m.wave.number) ?? []), m])
  return [...waves].sort(([a], [b]) => a - b)
}

/** The values may bring a check for the chart's Argo CD. */
function hasCheck({ group }: CheckedGroup, kind: string): boolean {
  const checks = at(group.own.value, 'argoCD', 'resourceHealthChecks')
  return isArray(checks) && checks.some((c) => at(c, 'kind') === kind)
}
