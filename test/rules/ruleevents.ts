/** Changes on the hub and on clusters, by name. */
import { BUNDLE_DIGEST_ANNOTATION, REHASH_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import type { RuleEvent } from './rulehub.ts'
import {
  assemblage,
  bootstrap,
  C1,
  CAPI,
  consent,
  external,
  FOREIGN_WATCHED,
  HUB,
  idOf,
  inventory,
  module,
  OBJECTS,
  pipeline,
  plain,
  promotion,
  revision,
  secretOf,
  set,
  view,
  WATCHED,
} from './ruleobjects.ts'

const named = (kind: keyof typeof OBJECTS, name: string) =>
  (OBJECTS[kind] ?? []).find((x) => (x as { metadata: { name: string } }).metadata.name === name)!
const base = named('modules', 'base')
const published = module('base', { status: { currentRevision: 'v1:other' } })
const ledger = module('base', { status: { rollout: { ledger: [{ cluster: 'c1' }] } } })
const rehash = module('base', { meta: { annotations: { [REHASH_ANNOTATION]: 'now' } } })
const [boot] = OBJECTS.bootstrapModules ?? []
const copyOf = (x: object | undefined): object => ({ ...x })

const toModule = { kind: 'Module', name: 'app' }
const toPipeline = { kind: 'Pipeline', name: 'p1' }

export const EVENTS = {
  'a module changes, and nothing that others read': { on: 'modules', before: base, after: copyOf(base) },
  'a module is published': { on: 'modules', before: base, after: published },
  'a module takes a place': { on: 'modules', before: base, after: ledger },
  'a module is resynced': { on: 'modules', before: base, after: base },
  'a rehash is requested': { on: 'modules', before: base, after: rehash },
  'a module of a cluster group changes': {
    on: 'modules',
    before: named('modules', 'part'),
    after: copyOf(named('modules', 'part')),
  },
  'a module of a set changes': {
    on: 'modules',
    before: named('modules', 'crs-crs'),
    after: copyOf(named('modules', 'crs-crs')),
  },
  'a BootstrapModule changes': { on: 'bootstrapModules', before: boot, after: copyOf(boot) },
  'a BootstrapModule is published': {
    on: 'bootstrapModules',
    before: boot,
    after: bootstrap('boot', { status: { currentRevision: 'v1:other' } }),
  },
  'a BootstrapModule takes a place': {
    on: 'bootstrapModules',
    before: boot,
    after: bootstrap('boot', { status: { rollout: { ledger: [{ cluster: 'c1' }] } } }),
  },
  'a rehash of a BootstrapModule is requested': {
    on: 'bootstrapModules',
    before: boot,
    after: bootstrap('boot', { meta: { annotations: { [REHASH_ANNOTATION]: 'now' } } }),
  },
  'a BootstrapModule of a cluster group changes': {
    on: 'bootstrapModules',
    before: boot,
    after: bootstrap('boot', {
      meta: {
        ownerReferences: [
          { apiVersion: 'lockstep.dev/v1alpha1', kind: 'Module', controller: true, name: 'group', uid: 'g' },
        ],
      },
    }),
  },
  'a BootstrapModule without units changes': {
    on: 'bootstrapModules',
    before: bootstrap('new'),
    after: bootstrap('new'),
  },
  'a BootstrapModule is resynced': { on: 'bootstrapModules', before: boot, after: boot },
  'a set changes': { on: 'sets', before: set(), after: set({ meta: { generation: 2 } }) },
  'the status of a set changes': { on: 'sets', before: set(), after: set({ status: {} }) },
  'a set is resynced': { on: 'sets', before: named('sets', 'crs'), after: named('sets', 'crs') },
  'a binding changes': { on: 'setBindings', after: plain('ClusterResourceSetBinding', 'capi-2') },
  'a revision is created': { on: 'revisions', after: revision('base') },
  'a revision of a module without units is created': { on: 'revisions', after: revision('edge') },
  'a revision of another namespace is created': {
    on: 'revisions',
    after: { ...revision('base'), namespace: 'other' },
  },
  'a revision that needs a wave is created': {
    on: 'revisions',
    after: revision('shop', [
      {
        id: 'w',
        to: { kind: 'Module', namespace: 'ns', name: 'app' },
        release: 'Same',
        optional: false,
        beforeWave: 1,
      },
    ]),
  },
  'a Hold on a module is created': { on: 'holds', after: consent('Hold', 'h', toModule) },
  'a Hold is about another module': {
    on: 'holds',
    before: consent('Hold', 'h', toModule),
    after: consent('Hold', 'h', { kind: 'Module', name: 'base' }, 2),
  },
  'the status of a Hold changes': {
    on: 'holds',
    before: consent('Hold', 'h', toModule),
    after: consent('Hold', 'h', toModule),
  },
  'a Hold on a Pipeline is created': { on: 'holds', after: consent('Hold', 'h', toPipeline) },
  'an Approval of a module is created': { on: 'approvals', after: consent('Approval', 'a', toModule) },
  'the status of an Approval changes': {
    on: 'approvals',
    before: consent('Approval', 'a', toModule),
    after: consent('Approval', 'a', toModule),
  },
  'an Approval of a Pipeline is created': { on: 'approvals', after: consent('Approval', 'a', toPipeline) },
  'a ConfigMap of sources changes': { on: 'configMaps', after: plain('ConfigMap', 'cm') },
  'another ConfigMap changes': { on: 'configMaps', after: plain('ConfigMap', 'other') },
  'a Secret of a set changes': { on: 'secret', id: secretOf('crs-secret') },
  'a Secret of a Git host changes': { on: 'secret', id: secretOf('git-secret') },
  'a Secret of a module changes': { on: 'secret', id: secretOf('module-secret') },
  'a Secret of a binding changes': { on: 'secret', id: secretOf('bound-secret') },
  'another Secret changes': { on: 'secret', id: secretOf('other') },
  'the status of an assemblage changes': {
    on: 'assemblages',
    before: assemblage('c1'),
    after: assemblage('c1'),
  },
  'an assemblage does not name its cluster': { on: 'assemblages', after: assemblage('c1', {}) },
  'an external assemblage is created': { on: 'foreign', after: named('foreign', 'theirs') },
  'an external assemblage has no record': {
    on: 'foreign',
    before: external('none'),
    after: external('none'),
  },
  'an external assemblage changes': {
    on: 'foreign',
    before: named('foreign', 'theirs'),
    after: copyOf(named('foreign', 'theirs')),
  },
  'an Inventory changes': {
    on: 'inventories',
    before: inventory('base', 'c1', { serial: 1 }),
    after: inventory('base', 'c1', { serial: 1 }),
  },
  'the admission of an Inventory changes': {
    on: 'inventories',
    before: inventory('base', 'c1', { serial: 1 }),
    after: inventory('base', 'c1', { serial: 2 }),
  },
  'a unit is unhealthy': {
    on: 'inventories',
    before: inventory('app', 'c1', { serial: 1 }),
    after: inventory('app', 'c1', { serial: 1, health: 'Failed' }),
  },
  'an Inventory of a cluster group changes': {
    on: 'inventories',
    after: inventory('part', 'c1', { serial: 1 }),
  },
  'an external Inventory changes': {
    on: 'inventories',
    before: inventory('external', 'c1', { serial: 1, owner: 'theirs' }),
    after: inventory('external', 'c1', { serial: 1, owner: 'theirs' }),
  },
  'an Inventory of a set changes': {
    on: 'inventories',
    before: inventory('crs', 'c2', { kind: 'ClusterResourceSet', set: {} }),
    after: inventory('crs', 'c2', { kind: 'ClusterResourceSet', set: {} }),
  },
  'a DisruptionBudget changes': { on: 'disruptionBudgets', after: named('disruptionBudgets', 'budget') },
  'a part of a bundle is back': {
    on: 'shards',
    after: plain('Secret', 'bundle-0', {
      name: 'bundle-0',
      annotations: { [BUNDLE_DIGEST_ANNOTATION]: 'v1:bundle' },
    }),
  },
  'another part is back': { on: 'shards', after: plain('Secret', 'bundle-1') },
  'the keys change': { on: 'keys', after: plain('Secret', 'keys') },
  'a Pipeline changes': { on: 'pipelines', after: pipeline('p1', 'c1') },
  'a Pipeline of another identity changes': {
    on: 'pipelines',
    after: { ...pipeline('p3', 'c1'), spec: { identity: 'another', environments: [] } },
  },
  'a Pipeline is resynced': {
    on: 'pipelines',
    before: named('pipelines', 'p2'),
    after: named('pipelines', 'p2'),
  },
  'a Promotion changes': { on: 'promotions', after: promotion('run1', 'p1') },
  'a Promotion of a deleted Pipeline changes': { on: 'promotions', after: promotion('run9', 'p9') },
  'a Promotion is resynced': {
    on: 'promotions',
    before: named('promotions', 'run1'),
    after: named('promotions', 'run1'),
  },
  'a Pipeline of weaveworks changes': { on: 'weavePipelines', after: plain('Pipeline', 'w1') },
  'a cluster changes': { on: 'cluster', view: C1 },
  'a cluster of Cluster API changes': { on: 'cluster', view: CAPI },
  'a cluster of another namespace changes': { on: 'cluster', view: view('c1', { namespace: 'other' }) },
  'a cluster changes whose token is renewed': {
    on: 'cluster',
    view: view('c9', { namespace: 'other', annotations: { 'lockstep.dev/renew': '168h' } }),
  },
  'the hub changes': { on: 'cluster', view: HUB },
  'an object of a unit changes': { on: 'object', view: C1, label: 'm.ns.base' },
  'an object of an unknown unit changes': { on: 'object', view: C1, label: 'm.ns.other' },
  'a unit is judged': { on: 'judged', view: C1, label: 'm.ns.base' },
  'an unknown unit is judged': { on: 'judged', view: C1, label: 'm.ns.other' },
  'an object of a dependency changes': { on: 'selection', view: C1, id: idOf(WATCHED) },
  'an object of an external dependency changes': { on: 'selection', view: C1, id: idOf(FOREIGN_WATCHED) },
  'an object that a unit reads changes': { on: 'selection', view: C1, id: 'read by shop' },
  'a target of a Pipeline changes': { on: 'selection', view: C1, id: 'target of p1' },
  'another object changes': { on: 'selection', view: C1, id: 'another' },
} satisfies Readonly<Record<string, RuleEvent>>
