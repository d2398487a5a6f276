import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { crdsYaml } from './crds.ts'

it('crds/lockstep.yaml is what the schemas say (npm run generate)', () => {
  expect(readFileSync('crds/lockstep.yaml', 'utf8')).toBe(crdsYaml())
})
