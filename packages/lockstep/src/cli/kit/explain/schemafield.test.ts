import { describe, expect, it } from 'vitest'
import { rowsOfTier } from '../../../../../../test/tier.ts'
import { inventoryKind } from '../../../api/kinds/inventory/columns.ts'
import { moduleKind } from '../../../api/kinds/module/columns.ts'
import { ownKinds } from '../../../api/registry.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { widthOf } from '../terminal/texttable.ts'
import { drawField } from './drawfield.ts'
import {
  allBelow,
  fieldFacts,
  fieldsOf,
  findField,
  pathText,
  rootOf,
  type SchemaField,
} from './schemafield.ts'

const find = (path: string, kind = moduleKind as (typeof ownKinds)[number]) => {
  const found = findField(kind, path === '' ? [] : path.split('.'))
  if (!found.ok) throw new Error(found.error.message)
  return found.value
}
const terminalOf = (width: number, wraps: boolean) =>
  createTerminal({ color: false, unicode: true, live: false, wraps, width }, { out() {}, err() {} })

describe('a field', () => {
  const cases: readonly [string, Partial<SchemaField>][] = [
    ['', { path: 'module', type: 'Object' }],
    ['kind', { type: 'string', required: true, description: 'Always Module.' }],
    ['metadata.labels', { type: 'map[string]string', required: false }],
    ['metadata.labels.app', { type: 'string' }],
    ['spec', { type: 'Object', required: true }],
    [
      'spec.release',
      { type: 'string', required: false, limits: expect.arrayContaining(['1 to 63 characters']) },
    ],
    [
      'spec.source',
      {
        required: true,
        limits: [expect.stringMatching(/^exactly one of .*inline/), 'ordering: requires resources'],
      },
    ],
    ['spec.source.inline.objects', { type: '[]any', limits: ['at most 1000 items'] }],
    ['spec.source.inline.objects.spec.replicas', { type: 'any' }],
    [
      'spec.dependsOn',
      {
        type: '[]Object',
        limits: [
          'at most 64 items',
          'unique by id',
          'each: exactly one of module, object',
          'each: readyExpr: is for object; a module is ready when it is verified',
          'each: beforeWave: is for module; an object is in no wave',
        ],
      },
    ],
    ['spec.dependsOn.release', { default: 'Same', limits: ['one of Same, Any'] }],
    ['spec.dependsOn.optional', { type: 'boolean', default: false }],
    ['spec.rollout.maxUnavailable', { type: 'integer or string' }],
    [
      'spec.targets.clusters',
      { type: '[]string', limits: expect.arrayContaining(['each: 1 to 253 characters']) },
    ],
    ['status.conditions.lastTransitionTime', { type: 'string', limits: ['date-time'] }],
  ]
  it.each(cases)('module.%s', (path, expected) => {
    expect(fieldFacts(find(path))).toMatchObject(expected)
  })
  // The largest kinds take seconds: the short tier checks the last one.
  const kinds = rowsOfTier([...ownKinds].reverse(), () => 'every field')
  it.each(kinds.map((k) => [k.kind, k] as const))('every one of %s is found at its path', (_, kind) => {
    const all = allBelow(rootOf(kind))
    expect(all.length).toBeGreaterThan(10)
    for (const f of all) expect(fieldFacts(find(f.path.join('.'), kind))).toEqual(fieldFacts(f))
    expect(new Set(all.map(pathText)).size).toBe(all.length)
  })
  it('of the spec of a Module says what it is for, but for those that only group others', () => {
    const silent = allBelow(find('spec')).filter((f) => fieldFacts(f).description === undefined)
    expect(silent.filter((f) => fieldsOf(f).length === 0 && f.path.length < 4).map(pathText)).toEqual([])
  })
})

describe('an unknown field', () => {
  const cases: readonly [string, RegExp][] = [
    ['spec.rolout', /^did you mean module\.spec\.rollout\?$/],
    ['spec.dependsOn.modle.name', /^did you mean module\.spec\.dependsOn\.module\?$/],
    ['spec.zzz', /^fields: release, serviceAccountName, source, .*attempt$/],
    ['spec.release.x', /^module\.spec\.release is a string and has no fields$/],
  ]
  it.each(cases)('module.%s', (path, hint) => {
    expect(findField(moduleKind, path.split('.'))).toMatchObject({
      error: { code: 'E_FIELD_UNKNOWN', exit: 2, hint: expect.stringMatching(hint) },
    })
  })
})

describe('as lines', () => {
  it('says what it is, what it takes and what is below it', () => {
    expect(drawField(terminalOf(60, true), find('spec.dependsOn.optional'), false)).toEqual([
      'GROUP:    lockstep.dev',
      'KIND:     Module',
      'VERSION:  v1alpha1',
      '',
      'FIELD: optional <boolean>',
      '',
      'DESCRIPTION:',
      '    Whether the dependency may be missing: it does not',
      '    exist, or does not target the cluster.',
      '',
      'RULES:',
      '    default: false',
    ])
    expect(drawField(terminalOf(100, false), find('spec.dependsOn'), false)).toContain(
      '  id <string> -required-',
    )
  })
  it('recursive: every field once, indented below its parent', () => {
    const lines = drawField(terminalOf(80, true), find('spec', inventoryKind), true)
    const fields = lines.slice(lines.indexOf('FIELDS:') + 1)
    expect(fields.length).toBe(allBelow(find('spec', inventoryKind)).length)
    const at = fields.indexOf('  moduleRef <Object> -required-')
    expect(fields[at + 1]).toBe('    kind <string> -required-')
  })
  it('is as wide as the terminal; in a pipe sentences stay whole', () => {
    for (const kind of ownKinds)
      for (const f of allBelow(rootOf(kind)))
        for (const line of drawField(terminalOf(80, true), f, false))
          expect(widthOf(line)).toBeLessThanOrEqual(80)
    const piped = drawField(terminalOf(80, false), find('spec'), false)
    expect(Math.max(...piped.map(widthOf))).toBeGreaterThan(80)
  })
})
