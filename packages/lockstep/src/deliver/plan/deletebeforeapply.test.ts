import { describe, expect, it } from 'vitest'
import { manifest } from '../../../../../test/order.ts'
import { digestOf, parseApiVersion } from '../../../../kube/src/object/index.ts'
import type { InventoryObject } from '../../api/kinds/inventory/spec.ts'
import type { WeighedRule } from '../../decisions/order/orderoptions.ts'
import type { LiveObject } from '../../fleet/connection/liveobject.ts'
import { withDeleteBeforeApply } from './deletebeforeapply.ts'
import { desiredStateOf, type ObjectToDelete, type UnitDesiredState } from './desiredstate.ts'

const RULE = 'kapp.k14s.io/change-rule'
const GROUP = 'kapp.k14s.io/change-group'

/** ConfigMaps `app/NAME` with their annotations. */
function bundle(objects: Readonly<Record<string, Readonly<Record<string, string>>>>): UnitDesiredState {
  const resource = { plural: 'x', namespaced: true, hasStatus: false, verbs: [], preferred: true }
  const desired = desiredStateOf(
    Object.entries(objects).map(([name, annotations]) => manifest(`v1 ConfigMap app/${name}`, annotations)),
    { namespace: undefined, ignore: undefined },
    (group, kind, version = 'v1') => ({ group, kind, version, ...resource }),
    digestOf,
  )
  if (!desired.ok) throw new Error(desired.error.message)
  return desired.value
}

interface Says {
  readonly groups?: readonly string[]
  readonly rules?: readonly (Pick<WeighedRule, 'action' | 'order' | 'other' | 'group'> & {
    optional?: true
  })[]
  readonly live?: 'unknown'
  readonly spec?: object
}

function leaver(what: string, { groups = [], rules = [], live, spec }: Says = {}): ObjectToDelete {
  const { apiVersion, kind, metadata } = manifest(what)
  const { namespace, name } = metadata
  const { group } = parseApiVersion(apiVersion)
  const entry = { group, kind, ...(namespace ? { namespace } : {}), name } as InventoryObject
  const weighed = rules.map(({ optional, ...r }) => ({
    ...r,
    weight: 0,
    ignoreIfCyclical: optional === true,
  }))
  const seen = { object: manifest(what, {}, { spec }) } as LiveObject
  return { entry, live: live ?? seen, changes: { groups, rules: weighed } }
}

/** `old → a`: what leaves first, before what. */
function order(desired: UnitDesiredState, leavers: readonly ObjectToDelete[]): string[] | string {
  const made = withDeleteBeforeApply(desired, leavers)
  if (!made.ok) return made.error.message
  const { graph } = made.value
  const nameOf = (n: number): string => {
    const node = graph.nodes[n]!
    if (node.type === 'delete') return `-${node.ref.name}`
    return node.type === 'object' ? node.object.metadata.name! : node.id
  }
  return graph.needs.flat().map((e) => `${nameOf(e.from)} → ${nameOf(e.to)}`)
}

const after = (group: string) => ({ [RULE]: `upsert after deleting ${group}` })

describe('objects that leave before others are applied', () => {
  it('those that a rule names, and no others', () => {
    const desired = bundle({ a: after('g'), b: {} })
    expect(
      order(desired, [leaver('v1 ConfigMap app/old', { groups: ['g'] }), leaver('v1 ConfigMap app/z')]),
    ).toEqual(['-old → a'])
    expect(order(desired, [leaver('v1 ConfigMap app/z', { groups: ['h'] })])).toEqual([])
  })

  it('a Namespace with all that it would take along', () => {
    const leavers = [
      leaver('v1 Namespace old', { groups: ['g'] }),
      leaver('v1 ConfigMap old/inside'),
      leaver('v1 ConfigMap app/outside'),
    ]
    expect(order(bundle({ a: after('g') }), leavers)).toEqual(['-old → a', '-inside → -old'])
  })

  it('a definition with all of its kind', () => {
    const definition = 'apiextensions.k8s.io/v1 CustomResourceDefinition widgets.example.com'
    const leavers = [
      leaver(definition, { groups: ['g'], spec: { group: 'example.com', names: { kind: 'Widget' } } }),
      leaver('example.com/v1 Widget app/w'),
    ]
    expect(order(bundle({ a: after('g') }), leavers)).toEqual([
      '-widgets.example.com → a',
      '-w → -widgets.example.com',
    ])
  })

  it('after what they wait for themselves', () => {
    const old = leaver('v1 ConfigMap app/old', {
      groups: ['g'],
      rules: [{ action: 'delete', order: 'after', other: 'upserting', group: 'b' }],
    })
    expect(order(bundle({ a: after('g'), b: { [GROUP]: 'b' } }), [old])).toEqual(['-old → a', 'b → -old'])
  })

  it('a cycle is refused; a rule that may be left out is', () => {
    const rule = { action: 'delete', order: 'after', other: 'upserting', group: 'h' } as const
    const desired = bundle({ a: { ...after('g'), [GROUP]: 'h' } })
    const old = (optional?: true) =>
      leaver('v1 ConfigMap app/old', { groups: ['g'], rules: [{ ...rule, ...(optional && { optional }) }] })
    expect(order(desired, [old()])).toBe(
      'order has a cycle: ConfigMap app/a -(kapp.k14s.io/change-rule delete after upserting h, Healthy)-> deletion of ConfigMap app/old -(kapp.k14s.io/change-rule upsert after deleting g, Gone)-> ConfigMap app/a; remove one of these dependencies',
    )
    expect(order(desired, [old(true)])).toEqual(['-old → a'])
  })

  it('what has not been read holds up all that its annotations could speak of', () => {
    const desired = bundle({ a: after('g'), b: { [GROUP]: 'b' }, c: {} })
    expect(order(desired, [leaver('v1 ConfigMap app/old', { live: 'unknown' })])).toEqual([
      '-old → a',
      '-old → b',
    ])
  })
})
