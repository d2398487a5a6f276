import { readFileSync } from 'node:fs'
import { load, loadAll } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { RIGHTS } from '../../../api/rights.ts'
import { chartFiles } from './chartfiles.ts'

const { version } = JSON.parse(readFileSync('packages/lockstep/package.json', 'utf8')) as { version: string }
const files = chartFiles(version)

describe('generated files of the chart', () => {
  it('are current: npm run generate', () => {
    for (const [path, text] of Object.entries(files))
      expect(readFileSync(`charts/lockstep/${path}`, 'utf8'), path).toBe(text)
  })

  it('have the version of the program', () => {
    expect(load(files['Chart.yaml']!)).toMatchObject({ version, appVersion: version })
  })

  it('have every right, and keep every definition', () => {
    expect(load(files['files/rights.yaml']!)).toHaveLength(RIGHTS.length)
    const definitions = ['lockstep', 'resourcesets'].flatMap((name) =>
      loadAll(files[`files/crds/${name}.yaml`]!),
    )
    expect(definitions.length).toBeGreaterThan(9)
    for (const crd of definitions)
      expect(crd).toMatchObject({ metadata: { annotations: { 'helm.sh/resource-policy': 'keep' } } })
  })
})
