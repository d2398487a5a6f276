import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { recordedSchemas } from '../../../api/crd/index.ts'
import { crdFiles, currentSchemas } from './crdfiles.ts'

it('the definitions and their schema numbers are current: npm run generate', () => {
  expect(currentSchemas()).toEqual(recordedSchemas)
  for (const [name, text] of Object.entries(crdFiles()))
    expect(readFileSync(`crds/${name}`, 'utf8')).toBe(text)
})

it('a definition that has changed, or is new, gets the next number', () => {
  const { 'holds.lockstep.dev': holds, 'modules.lockstep.dev': modules, ...others } = recordedSchemas
  const records = { ...others, 'holds.lockstep.dev': { schema: 4, digest: 'of another definition' } }
  expect(currentSchemas(records)).toEqual({
    ...others,
    'holds.lockstep.dev': { schema: 5, digest: holds!.digest },
    'modules.lockstep.dev': { schema: 1, digest: modules!.digest },
  })
})
