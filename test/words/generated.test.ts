import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FLEET_METRICS, METRICS } from '../../packages/kube/src/env/metrics.ts'
import { reasonTable, renderedExample } from '../../packages/lockstep/src/api/reasons/reasontable.ts'
import { metricsPage } from '../../scripts/generate-metrics.js'
import { reasonsPage } from '../../scripts/generate-reasons.js'

const PAGE = 'docs/reference/reasons.md'
const page = readFileSync(PAGE, 'utf8')

describe('the page of reasons', () => {
  it('is the one that the table gives: npm run generate', () => {
    expect(reasonsPage(reasonTable, renderedExample)).toBe(page)
  })

  it('has a heading for each reason, and no other one', () => {
    const headings = [...page.matchAll(/^## (\w+)$/gm)].map((m) => m[1])
    expect(headings).toEqual(Object.keys(reasonTable).sort())
  })

  it('is another one after a changed message', () => {
    const render = (name: string, example: never) => {
      const { advice } = renderedExample(name as keyof typeof reasonTable, example)
      return { advice, message: 'x' }
    }
    expect(reasonsPage(reasonTable, render)).not.toBe(page)
  })
})

describe('the page of metrics', () => {
  const page = readFileSync('docs/reference/metrics.md', 'utf8')

  it('is the one that the table gives: npm run generate', () => {
    expect(metricsPage(METRICS, FLEET_METRICS)).toBe(page)
  })

  it('has a row for each metric', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| (?:counter|gauge|histogram) /gm)].map((m) => m[1])
    expect(rows.toSorted()).toEqual(Object.keys(METRICS).toSorted())
  })
})

it('npm run generate -- --check finds every generated file current', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/generate.js', '--check'], {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
})
