/** For each rule of each controller: a change puts exactly its requests into the queue, and another change none. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { recordedHub, selectionRead } from '../../packages/lockstep/src/controllers/cache/recordedhub.ts'
import {
  moduleKey,
  objectKey,
  requestOf,
  unitKey,
} from '../../packages/lockstep/src/controllers/runtime/requestkeys.ts'
import { EVENTS } from './ruleevents.ts'
import { type RuleEvent, wiredRules } from './rulehub.ts'
import { C1, CAPI, HUB, idOf, OBJECTS, secretOf, WATCHED } from './ruleobjects.ts'

/** Requests by event and controller: `key`, or `key priority` where that is not `change`. */
const REQUESTS: Readonly<Record<string, object>> = JSON.parse(
  readFileSync(new URL('./requests.json', import.meta.url), 'utf8'),
)

/** Rules that enqueue after every event of their source. */
const UNCONDITIONAL = [
  'set sets 1',
  'set-binding setBindings 1',
  'pipeline pipelines 1',
  'pipeline promotions 1',
  'weave-pipeline weavePipelines 1',
  'disruptionbudget disruptionBudgets 1',
  'module modules 1',
  'module bootstrapModules 2',
  'module revisions 1',
  'foreign foreign 1',
  'key keys 1',
]

const events: readonly [string, RuleEvent][] = Object.entries(EVENTS)
const wired = wiredRules(OBJECTS, [C1, CAPI, HUB], ({ labels, indexes, hub }) => {
  labels.set(C1, 'm.ns.base', unitKey.of({ kind: 'Module', namespace: 'ns', name: 'base' }, 'c1'))
  const shop = unitKey.of({ kind: 'Module', namespace: 'ns', name: 'shop' }, 'c1')
  const pipeline = objectKey.of({ namespace: 'ns', name: 'p1' })
  const base = { kind: 'Module', namespace: 'ns', name: 'base' } as const
  const app = unitKey.of({ kind: 'Module', namespace: 'ns', name: 'app' }, 'c1')
  const reads = indexes.reads.begin(requestOf('unit', app))
  const seen = recordedHub(hub, { reads, own: app, breadth: 'Unit' })
  seen.published(base)
  seen.unit(base, 'c1')
  reads.note(selectionRead(C1, idOf(WATCHED)))
  const fleetReads = indexes.reads.begin(requestOf('module', moduleKey.of(app.ref)))
  recordedHub(hub, { reads: fleetReads, own: { ref: app.ref }, breadth: 'Fleet' }).admission(base, 'c1')
  indexes.watches.add(requestOf('unit', shop), { view: C1, id: 'read by shop' })
  indexes.watches.add(requestOf('pipeline', pipeline), { view: C1, id: 'target of p1' })
  indexes.watches.add(requestOf('module', moduleKey.of(shop.ref)), {
    view: undefined,
    id: secretOf('bound-secret'),
  })
})

it('the table names every event', () => {
  expect(Object.keys(REQUESTS)).toEqual(Object.keys(EVENTS))
})

it.each(events)('%s', (name, event) => {
  expect(wired.requests(event)).toEqual(REQUESTS[name])
})

it('each rule enqueues after one of the events of its source, and not after another', () => {
  const silent: string[] = []
  const unconditional: string[] = []
  for (const rule of wired.rules) {
    const asked = events.filter(([, e]) => e.on === rule.source)
    const count = asked.filter(([, e]) => rule.ask(e).length > 0).length
    if (count === 0) silent.push(rule.name)
    if (count === asked.length) unconditional.push(rule.name)
  }
  expect([silent, unconditional]).toEqual([[], UNCONDITIONAL])
})
