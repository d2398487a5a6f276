/** Decisions are made of facts: with other messages, controllers write the same. */
import { afterEach, describe, expect, it } from 'vitest'
import type { CommitRecord } from '../../packages/apiserver/src/server/index.ts'
import {
  isArray,
  isObject,
  type JsonValue,
  type KubeObject,
  sha256Hex,
} from '../../packages/kube/src/object/index.ts'
import { reasonTable } from '../../packages/lockstep/src/api/reasons/reasontable.ts'
import type { SimFleet } from '../fleet/simfleet.ts'
import { promoteRun } from '../promote/random/promoterun.ts'
import { campaignRun } from './campaign/campaignrun.ts'
import { groupRun } from './groups.ts'
import { randomRun } from './randomrun.ts'
import { setRun } from './sets/setrun.ts'

type Render = (input: never) => string
type Look = (fleet: SimFleet) => void

/** A message is rendered by its row, and by nothing else. */
const rows = Object.values(reasonTable) as unknown as { message: Render }[]
const rendered = rows.map((row) => row.message)

function renderBy(of: (render: Render) => Render): void {
  for (const [i, row] of rows.entries()) row.message = of(rendered[i]!)
}
const asWritten = (render: Render): Render => render
/** Another text for each message, in which nothing can be read. */
const opaque =
  (render: Render): Render =>
  (input) =>
    `x${sha256Hex(render(input)).slice(0, 8)}`
const always = (): Render => () => 'x'

const ignore = (): void => {}

const RUNS: Readonly<Record<string, (seed: string, look: Look) => Promise<unknown>>> = {
  small: randomRun,
  group: groupRun,
  rollout: campaignRun,
  set: (seed, look) => setRun(seed, ignore, (story) => look(story.fleet)),
  promote: (seed, look) => promoteRun(seed, ignore, look),
}

async function play(seed: string, of: (render: Render) => Render): Promise<SimFleet> {
  const [prefix = ''] = seed.split('-')
  let fleet: SimFleet | undefined
  renderBy(of)
  await RUNS[prefix]!(seed, (f) => {
    fleet = f
  })
  renderBy(asWritten)
  return fleet!
}

/** With the messages that people read: played once. */
const read = new Map<string, Promise<SimFleet>>()

function playRead(seed: string): Promise<SimFleet> {
  const played = read.get(seed) ?? play(seed, asWritten)
  read.set(seed, played)
  return played
}

/** Fields that hold messages, or texts with messages in them. */
const TEXTS: ReadonlySet<string> = new Set([
  'message',
  'note',
  'detail',
  'lacks',
  'failure',
  'failed',
  'refusedFor',
  'blocker',
])

/** `skipped`: fields that count writes. */
function withoutTexts(value: unknown, skipped: ReadonlySet<string> = new Set()): unknown {
  if (isArray(value as JsonValue)) return (value as JsonValue[]).map((v) => withoutTexts(v, skipped))
  if (!isObject(value as JsonValue)) return value
  return Object.fromEntries(
    Object.entries(value as object)
      .filter(([key]) => !skipped.has(key))
      .map(([key, v]) => [key, typeof v === 'string' && TEXTS.has(key) ? 'text' : withoutTexts(v, skipped)]),
  )
}

const serversOf = ({ hubApi, clusters }: SimFleet) => [hubApi, ...[...clusters.values()].map((c) => c.api)]

/** All objects of all servers, without texts; Events are nothing else. */
const objectsOf = (fleet: SimFleet, skipped?: ReadonlySet<string>): unknown[] =>
  serversOf(fleet).flatMap((api) =>
    api
      .snapshot()
      .tables.flatMap(({ objects }) => objects)
      .filter(({ object }) => object.kind !== 'Event')
      .map(({ object }) => withoutTexts(object, skipped)),
  )

/** The name of an Event ends in a digest of its cause, and a cause can have a message in it. */
const lineOf = ({ cluster, verb, resource, key, actor }: CommitRecord): string =>
  [cluster, verb, resource, resource.startsWith('events') ? key.replace(/\.\w+$/, '') : key, actor].join(' ')

const WRITE_COUNTS: ReadonlySet<string> = new Set(['resourceVersion', 'managedFields'])
const bareText = (o: KubeObject): string => JSON.stringify(withoutTexts(o, WRITE_COUNTS))

/** Neither an Event nor a write that changes texts only. */
const decides = ({ resource, old, next }: CommitRecord): boolean =>
  !resource.startsWith('events') && !(old && next && bareText(old) === bareText(next))

/** Reasons and messages of all blockers that the hub has stored. */
function blockersOf({ commits }: SimFleet): { readonly reason: string; readonly message: string }[] {
  const found: { reason: string; message: string }[] = []
  const visit = (value: unknown): void => {
    if (isArray(value as JsonValue)) for (const v of value as JsonValue[]) visit(v)
    else if (isObject(value as JsonValue))
      for (const [key, v] of Object.entries(value as object)) {
        if (key === 'blockers') found.push(...(v as typeof found))
        visit(v)
      }
  }
  for (const { cluster, next } of commits) if (cluster === 'hub') visit(next?.status)
  return found
}

afterEach(() => renderBy(asWritten))

const SEEDS = [
  'small-3',
  ...['rollout-1', 'set-1', 'group-0', 'rollout-14', 'rollout-19', 'promote-92', 'promote-95'],
]

describe('no decision reads a message', () => {
  const reached = new Set<string>()

  it.each(SEEDS)('with opaque messages the writes and the objects of run %s are the same', async (seed) => {
    const fleet = await playRead(seed)
    const muted = await play(seed, opaque)
    expect(muted.commits.map(lineOf)).toEqual(fleet.commits.map(lineOf))
    expect(objectsOf(muted)).toEqual(objectsOf(fleet))
    expect(blockersOf(muted).some((b) => /x[0-9a-f]{8}/.test(b.message))).toBe(true)
    for (const { reason } of blockersOf(fleet)) reached.add(reason)
  })

  it('the runs reach many reasons', () => {
    expect(reached.size).toBeGreaterThanOrEqual(35)
  })

  // A write of a text alone is missing: no process of these runs dies at a number of writes.
  it.each(['small-3', 'rollout-1'])(
    'with one message for all, the decisions of run %s are the same',
    async (seed) => {
      const fleet = await playRead(seed)
      const muted = await play(seed, always)
      expect(muted.commits.filter(decides).map(lineOf)).toEqual(fleet.commits.filter(decides).map(lineOf))
      expect(objectsOf(muted, WRITE_COUNTS)).toEqual(objectsOf(fleet, WRITE_COUNTS))
      expect(blockersOf(muted).some((b) => b.message === 'x')).toBe(true)
    },
  )
})
